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

# What the fixed order of sums costs: build/release/same_bits.  Built with everything else, so that it keeps up with the kernels.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    add_executable(same_bits "${PROJECT_SOURCE_DIR}/bench/same_bits.c")
    set_target_properties(same_bits PROPERTIES C_STANDARD 11 RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
    target_compile_options(same_bits PRIVATE -O3 -mavx2 -mfma -ffp-contract=fast -Wall -Wextra -Wno-psabi)
    target_compile_definitions(same_bits PRIVATE AT_HAVE_X86)
    target_include_directories(same_bits PRIVATE "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(same_bits PRIVATE attend_static OpenMP::OpenMP_C m)
endif()
