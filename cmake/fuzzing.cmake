# Each fuzz/fuzz_<name>.c is a program: with ATTEND_FUZZ one that libFuzzer drives, else one that replays
# fuzz/corpus/<name>/ as a test.

file(GLOB fuzz_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/fuzz/fuzz_*.c")
foreach(source IN LISTS fuzz_sources)
    get_filename_component(target "${source}" NAME_WE)
    string(REPLACE "fuzz_" "" name "${target}")
    add_executable(${target} "${source}")
    attend_compile(${target})
    target_compile_options(${target} PRIVATE -Wno-missing-prototypes) # LLVMFuzzerTestOneInput has no header
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(${target} PRIVATE attend_model_static m)
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
    if(name STREQUAL fragment) # a part of the program
        target_sources(${target} PRIVATE "${PROJECT_SOURCE_DIR}/cli/fragment.c" "${PROJECT_SOURCE_DIR}/cli/fragment_text.c"
            "${PROJECT_SOURCE_DIR}/cli/numbers.c" "${PROJECT_SOURCE_DIR}/cli/options.c")
        target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/cli")
    endif()
    if(ATTEND_FUZZ)
        target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    else()
        target_sources(${target} PRIVATE "${PROJECT_SOURCE_DIR}/fuzz/replay.c")
        attend_test(replay_${name} fuzz ${target} "${PROJECT_SOURCE_DIR}/fuzz/corpus/${name}")
    endif()
endforeach()
