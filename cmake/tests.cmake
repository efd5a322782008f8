# Every file test/<folder>/test_*.c is one test, labelled <folder>.  Other files of the folder are linked to each of its
# tests, and test/*.c to all.

pkg_check_modules(CMOCKA IMPORTED_TARGET cmocka)
if(NOT CMOCKA_FOUND)
    message(STATUS "cmocka is missing: the tests are left out (tools/setup test installs it)")
    return()
endif()

set(test_environment "ATTEND_SHARED=${ATTEND_SHARED}" "ATTEND_BINARY=${PROJECT_BINARY_DIR}/attend"
    "ATTEND_SOURCE=${PROJECT_SOURCE_DIR}"
    "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/test/leaks.txt:print_suppressions=0")

# attend_test(NAME LABEL COMMAND...)
function(attend_test name label)
    set(name ${name}${ATTEND_TEST_SUFFIX})
    add_test(NAME ${name} COMMAND ${ARGN})
    set_tests_properties(${name} PROPERTIES LABELS ${label} ENVIRONMENT "${test_environment}" TIMEOUT 300)
endfunction()

# attend_test_program(NAME SOURCES...): internal symbols are visible, as the static libraries hold them all.
function(attend_test_program name)
    add_executable(${name} ${ARGN})
    attend_compile(${name})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/test")
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/test")
    target_link_libraries(${name} PRIVATE attend_model_static PkgConfig::CMOCKA PkgConfig::JANSSON m)
endfunction()

file(GLOB shared_support CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/test/*.c")
if(shared_support)
    add_library(attend_test_support STATIC ${shared_support})
    attend_compile(attend_test_support)
    target_include_directories(attend_test_support PUBLIC "${PROJECT_SOURCE_DIR}/test" "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(attend_test_support PUBLIC attend_model_static PkgConfig::CMOCKA PkgConfig::JANSSON m)
endif()

file(GLOB test_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/test/*/test_*.c")
foreach(source IN LISTS test_sources)
    get_filename_component(name "${source}" NAME_WE)
    get_filename_component(folder "${source}" DIRECTORY)
    get_filename_component(label "${folder}" NAME)
    file(GLOB support CONFIGURE_DEPENDS "${folder}/*.c")
    list(FILTER support EXCLUDE REGEX "/test_[^/]*$")
    attend_test_program(${name} "${source}" ${support})
    if(TARGET attend_test_support)
        target_link_libraries(${name} PRIVATE attend_test_support)
    endif()
    attend_test(${name} ${label} ${name})
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
    foreach(test IN LISTS python_tests)
        get_filename_component(name "${test}" NAME_WE)
        get_filename_component(folder "${test}" DIRECTORY)
        get_filename_component(label "${folder}" NAME)
        attend_test(${name} ${label} "${ATTEND_PYTHON}" "${test}")
    endforeach()
endif()
