# The tests of the page, web/test/*.test.ts, one ctest each; `make page` builds what they test.

# Once is enough: the sanitizers would look at the browser, not at us.
if(ATTEND_TEST_SUFFIX)
    return()
endif()

find_program(ATTEND_NPX npx)
if(NOT ATTEND_NPX OR NOT EXISTS "${PROJECT_SOURCE_DIR}/build/page/attention.html")
    message(STATUS "build/page/attention.html is missing: the tests of the page are left out (make page builds it)")
    return()
endif()

# attend_page_test(NAME COMMAND...): run in web/, one at a time where they measure time in a browser.
function(attend_page_test name)
    attend_test(page_${name} page "${ATTEND_NPX}" ${ARGN})
    set_tests_properties(page_${name}${ATTEND_TEST_SUFFIX} PROPERTIES
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}/web" RESOURCE_LOCK page)
endfunction()

attend_page_test(types svelte-check --fail-on-warnings --tsconfig tsconfig.json)
file(GLOB page_tests CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/web/test/*.test.ts")
foreach(test IN LISTS page_tests)
    get_filename_component(name "${test}" NAME_WE)
    attend_page_test(${name} vitest run "test/${name}.test.ts")
endforeach()
