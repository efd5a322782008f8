# Measurements; built on demand: cmake --build --preset release --target kernel_speed
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    add_executable(kernel_speed EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/bench/kernel_speed.c")
    attend_compile(kernel_speed)
    target_include_directories(kernel_speed PRIVATE "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(kernel_speed PRIVATE attend_static OpenMP::OpenMP_C m)
endif()
