# The program attend: cli/*.c and server/*.c with both libraries, jansson, cairo and libmicrohttpd.  From docs/cli/*.md, one page for each verb,
# come its --help, its table of options, its man page and its completion.

file(GLOB program_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cli/*.c" "${PROJECT_SOURCE_DIR}/server/*.c")
if(NOT "${PROJECT_SOURCE_DIR}/cli/main.c" IN_LIST program_sources)
    message(STATUS "cli/main.c is missing: the program is left out")
    return()
endif()
pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo)
pkg_check_modules(MICROHTTPD REQUIRED IMPORTED_TARGET libmicrohttpd)

set(generated "${PROJECT_BINARY_DIR}/generated")
file(GLOB help_pages CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/docs/cli/*.md")
set(help_outputs "${generated}/completion/attend.bash" "${generated}/completion/_attend"
    "${generated}/completion/attend.fish")
foreach(page IN LISTS help_pages)
    get_filename_component(verb "${page}" NAME_WE)
    string(REPLACE "attend-attend" "attend" man_page "attend-${verb}.1")
    list(APPEND help_outputs "${generated}/help_${verb}.h" "${generated}/man/${man_page}")
endforeach()
add_custom_command(OUTPUT ${help_outputs}
    COMMAND "${ATTEND_PYTHON}" "${PROJECT_SOURCE_DIR}/tools/make_help.py" --version ${PROJECT_VERSION}
        --verbs "${PROJECT_SOURCE_DIR}/cli/verbs.def" --output "${generated}" ${help_pages}
    DEPENDS "${PROJECT_SOURCE_DIR}/tools/make_help.py" "${PROJECT_SOURCE_DIR}/cli/verbs.def" ${help_pages}
    COMMENT "Writing help, man pages and completion from docs/cli" VERBATIM)

# examples/*.json are built in, so that `attend trace --example NAME` works anywhere.
if(EXISTS "${PROJECT_SOURCE_DIR}/tools/make_examples.py")
    file(GLOB examples CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/*.json")
    set(examples_output "${generated}/examples_embedded.h")
    add_custom_command(OUTPUT "${examples_output}"
        COMMAND "${ATTEND_PYTHON}" "${PROJECT_SOURCE_DIR}/tools/make_examples.py" "${examples_output}" ${examples}
        DEPENDS "${PROJECT_SOURCE_DIR}/tools/make_examples.py" ${examples}
        COMMENT "Writing the built-in examples" VERBATIM)
endif()

# The page is built in when `make page` has made it; a glob sees at each build whether it has.
set(ATTEND_PAGE_FILE "${PROJECT_SOURCE_DIR}/build/page/attention.html" CACHE FILEPATH "the page, one HTML file")
file(GLOB page_file CONFIGURE_DEPENDS "${ATTEND_PAGE_FILE}")
set(page_output "${generated}/page_embedded.h")
add_custom_command(OUTPUT "${page_output}"
    COMMAND "${ATTEND_PYTHON}" "${PROJECT_SOURCE_DIR}/tools/make_page_header.py" "${page_output}" ${page_file}
    DEPENDS "${PROJECT_SOURCE_DIR}/tools/make_page_header.py" "${PROJECT_SOURCE_DIR}/tools/make_examples.py" ${page_file}
    COMMENT "Writing the built-in page" VERBATIM)

add_custom_target(attend_generated DEPENDS ${help_outputs} ${examples_output} ${page_output})

add_executable(attend_program ${program_sources} ${help_outputs} ${examples_output} ${page_output})
attend_compile(attend_program)
set_target_properties(attend_program PROPERTIES OUTPUT_NAME attend RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
target_include_directories(attend_program PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/cli" "${generated}")
# What `attend bench` holds itself against: loops of multiply-adds, contracted and for one instruction set each.
file(GLOB peak_sources "${PROJECT_SOURCE_DIR}/cli/peak_*.c")
set_property(SOURCE ${peak_sources} APPEND PROPERTY COMPILE_OPTIONS -O3 -ffp-contract=fast -Wno-psabi)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    target_compile_definitions(attend_program PRIVATE PEAK_HAVE_X86)
    set_property(SOURCE "${PROJECT_SOURCE_DIR}/cli/peak_avx2.c" APPEND PROPERTY COMPILE_OPTIONS -mavx2 -mfma)
    set_property(SOURCE "${PROJECT_SOURCE_DIR}/cli/peak_avx512.c" APPEND PROPERTY COMPILE_OPTIONS -mavx512f -mfma)
endif()
target_link_libraries(attend_program PRIVATE OpenMP::OpenMP_C attend_model_static PkgConfig::JANSSON PkgConfig::CAIRO
    PkgConfig::MICROHTTPD m)
