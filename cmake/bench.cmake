# The peak of cli/peak*.c for bench/peers/compare.py; built on demand: cmake --build --preset release --target attend_peak
if(TARGET attend_program)
    file(GLOB peak_library_sources "${PROJECT_SOURCE_DIR}/cli/peak*.c")
    add_library(attend_peak SHARED EXCLUDE_FROM_ALL ${peak_library_sources})
    attend_compile(attend_peak)
    set_target_properties(attend_peak PROPERTIES C_VISIBILITY_PRESET default)
    target_compile_definitions(attend_peak PRIVATE
        $<$<IN_LIST:${CMAKE_SYSTEM_PROCESSOR},x86_64;AMD64;amd64>:PEAK_HAVE_X86>)
    target_include_directories(attend_peak PRIVATE "${PROJECT_SOURCE_DIR}/cli")
    target_link_libraries(attend_peak PRIVATE attend OpenMP::OpenMP_C)
endif()
