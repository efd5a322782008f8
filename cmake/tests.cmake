# Every file test/<folder>/test_*.c is one test, labelled <folder>, that sees internal symbols.  Other files of the folder
# are linked to each of its tests, and test/*.c to all.

set(test_environment "ATTEND_SHARED=${ATTEND_SHARED}" "ATTEND_BINARY=${PROJECT_BINARY_DIR}/attend"
    "ATTEND_SOURCE=${PROJECT_SOURCE_DIR}"
    "ATTEND_TEST_PATIENCE=${ATTEND_TEST_PATIENCE}"
    "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/test/leaks.txt:print_suppressions=0")

# OpenMP's run-time is not instrumented: Archer, which comes with it, tells the thread sanitizer what waits for what.  The
# run-time looks for it where programs find their libraries, and Debian keeps it elsewhere.
if(CMAKE_C_FLAGS MATCHES "-fsanitize=thread")
    execute_process(COMMAND "${CMAKE_C_COMPILER}" -print-file-name=libarcher.so
        OUTPUT_VARIABLE ATTEND_ARCHER OUTPUT_STRIP_TRAILING_WHITESPACE)
    list(APPEND test_environment "OMP_TOOL_LIBRARIES=${ATTEND_ARCHER}"
        "TSAN_OPTIONS=ignore_noninstrumented_modules=1")
endif()

math(EXPR test_seconds "300 * ${ATTEND_TEST_PATIENCE}")

# attend_test(NAME LABEL COMMAND...)
function(attend_test name label)
    set(name ${name}${ATTEND_TEST_SUFFIX})
    add_test(NAME ${name} COMMAND ${ARGN})
    set_tests_properties(${name} PROPERTIES LABELS ${label} ENVIRONMENT "${test_environment}"
        TIMEOUT ${test_seconds})
endfunction()

# attend_test_support(TARGET SOURCES...): what several tests share, compiled once.
function(attend_test_support target)
    add_library(${target} STATIC ${ARGN})
    attend_compile(${target})
    target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/test")
    target_link_libraries(${target} PUBLIC attend_model_static PkgConfig::CMOCKA PkgConfig::JANSSON m)
endfunction()

# attend_test_folder(FOLDER): its tests.
function(attend_test_folder folder)
    get_filename_component(label "${folder}" NAME)
    file(GLOB sources CONFIGURE_DEPENDS "${folder}/test_*.c")
    file(GLOB support CONFIGURE_DEPENDS "${folder}/*.c")
    list(REMOVE_ITEM support ${sources})
    if(sources AND support)
        attend_test_support(attend_test_support_${label} ${support})
        target_link_libraries(attend_test_support_${label} PUBLIC attend_test_support)
    endif()
    foreach(source IN LISTS sources)
        get_filename_component(name "${source}" NAME_WE)
        add_executable(${name} "${source}")
        attend_compile(${name})
        set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/test")
        target_link_libraries(${name} PRIVATE attend_test_support$<$<BOOL:${support}>:_${label}>)
        attend_test(${name} ${label} ${name})
    endforeach()
endfunction()

file(GLOB support CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/test/*.c")
attend_test_support(attend_test_support ${support})
file(GLOB folders LIST_DIRECTORIES true CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/test/*")
foreach(folder IN LISTS folders)
    if(IS_DIRECTORY "${folder}")
        attend_test_folder("${folder}")
    endif()
endforeach()

# A race that the thread sanitizer must find, and a barrier that it must know of.
if(ATTEND_ARCHER)
    add_executable(two_threads "${PROJECT_SOURCE_DIR}/test/race/two_threads.c")
    attend_compile(two_threads)
    target_link_libraries(two_threads PRIVATE OpenMP::OpenMP_C)
    attend_test(race_none race two_threads ordered)
    attend_test(race_found race two_threads racy)
    set_tests_properties(race_found${ATTEND_TEST_SUFFIX} PROPERTIES PASS_REGULAR_EXPRESSION "data race.*written")
endif()

# The NEON kernels: cross-built by Debian's compiler and run by QEMU, with the tests of test/cross/CMakeLists.txt.
find_program(ATTEND_AARCH64_GCC aarch64-linux-gnu-gcc)
find_program(ATTEND_AARCH64_QEMU qemu-aarch64)
if(ATTEND_CHECKS AND ATTEND_AARCH64_GCC AND ATTEND_AARCH64_QEMU)
    attend_test(test_neon kernel "${CMAKE_CTEST_COMMAND}" --build-and-test "${PROJECT_SOURCE_DIR}/test/cross"
        "${PROJECT_BINARY_DIR}/aarch64" --build-generator "${CMAKE_GENERATOR}" --build-target run_tests
        --build-options "-DCMAKE_TOOLCHAIN_FILE=${PROJECT_SOURCE_DIR}/cmake/aarch64.cmake" -DCMAKE_BUILD_TYPE=None)
    set_tests_properties(test_neon${ATTEND_TEST_SUFFIX} PROPERTIES TIMEOUT 900)
else()
    message(STATUS "test_neon is left out: aarch64-linux-gnu-gcc or qemu-aarch64 is missing")
endif()

# Programs that the documents show; test/docs/test_examples.py runs them.
file(GLOB examples CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/*.c")
foreach(example IN LISTS examples)
    get_filename_component(name "${example}" NAME_WE)
    add_executable(example_${name} "${example}")
    attend_compile(example_${name})
    set_target_properties(example_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/test")
    target_link_libraries(example_${name} PRIVATE attend_static)
endforeach()

# Transcripts of the program, and the commands that the documents show; and tests in Python.
if(TARGET attend_program)
    set(run_transcripts "${ATTEND_PYTHON}" "${PROJECT_SOURCE_DIR}/tools/run_transcripts.py"
        --attend "$<TARGET_FILE:attend_program>")
    file(GLOB transcripts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/test/cli/*.test")
    foreach(transcript IN LISTS transcripts)
        get_filename_component(name "${transcript}" NAME_WE)
        attend_test(${name} cli ${run_transcripts} "${transcript}")
    endforeach()
    file(GLOB documents CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/*.md" "${PROJECT_SOURCE_DIR}/docs/*.md"
        "${PROJECT_SOURCE_DIR}/docs/*/*.md")
    attend_test(documents docs ${run_transcripts} ${documents})

    file(GLOB python_tests CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/test/*/test_*.py")
    if(NOT ATTEND_CHECKS)
        list(FILTER python_tests EXCLUDE REGEX "/test/tools/")
    endif()
    foreach(test IN LISTS python_tests)
        get_filename_component(name "${test}" NAME_WE)
        get_filename_component(folder "${test}" DIRECTORY)
        get_filename_component(label "${folder}" NAME)
        attend_test(${name} ${label} "${ATTEND_PYTHON}" "${test}")
    endforeach()
endif()
