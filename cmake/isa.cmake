# The kernels of each instruction set are one file, compiled for that set alone; src/kernel/select.c picks at run time.
# They are optimised in every build: at -O0 the tests of the fast path would take minutes.

file(GLOB kernel_sources "${CMAKE_CURRENT_LIST_DIR}/../src/kernel/kernels_*.c")
set_property(SOURCE ${kernel_sources} APPEND PROPERTY COMPILE_OPTIONS -O3)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    target_compile_definitions(attend_objects PRIVATE AT_HAVE_X86)
    set_property(SOURCE "${CMAKE_CURRENT_LIST_DIR}/../src/kernel/kernels_avx2.c"
        "${CMAKE_CURRENT_LIST_DIR}/../src/kernel/kernels_avx2_f64.c" APPEND PROPERTY COMPILE_OPTIONS
        -mavx2 -mfma -mf16c)
    set_property(SOURCE "${CMAKE_CURRENT_LIST_DIR}/../src/kernel/kernels_avx512.c" APPEND PROPERTY COMPILE_OPTIONS
        -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mf16c)
    set_property(SOURCE "${CMAKE_CURRENT_LIST_DIR}/../src/kernel/pairs_avx512.c" APPEND PROPERTY COMPILE_OPTIONS
        -O3 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512bf16 -mfma -mf16c)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$")
    target_compile_definitions(attend_objects PRIVATE AT_HAVE_NEON)
endif()
