# Rules that no compiler knows, and the installed copy, as tests.

set(tools "${PROJECT_SOURCE_DIR}/tools")
attend_test(check_layers checks "${ATTEND_PYTHON}" "${tools}/check_layers.py" "${PROJECT_SOURCE_DIR}")
attend_test(check_tree checks "${ATTEND_PYTHON}" "${tools}/check_tree.py" "${PROJECT_SOURCE_DIR}")
attend_test(check_headers checks "${ATTEND_PYTHON}" "${tools}/check_headers.py" "${PROJECT_SOURCE_DIR}/include")
file(GLOB public_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/attend/*.h")
attend_test(check_docs checks "${ATTEND_PYTHON}" "${tools}/check_docs.py" ${public_headers})
find_program(ATTEND_CLANG_FORMAT clang-format-19)
if(ATTEND_CLANG_FORMAT)
    attend_test(check_format checks "${tools}/check_format.sh")
endif()
if(TARGET attend)
    attend_test(check_symbols_attend checks "${ATTEND_PYTHON}" "${tools}/check_symbols.py"
        "${PROJECT_SOURCE_DIR}/include/attend/attend.h" $<TARGET_FILE:attend> $<TARGET_FILE:attend_static>)
    attend_test(check_symbols_model checks "${ATTEND_PYTHON}" "${tools}/check_symbols.py"
        "${PROJECT_SOURCE_DIR}/include/attend/files.h" $<TARGET_FILE:attend_model> $<TARGET_FILE:attend_model_static>)
endif()
if(ATTEND_INSTALL)
    attend_test(install install "${PROJECT_SOURCE_DIR}/test/install/run_install_test.sh" "${PROJECT_BINARY_DIR}"
        ${PROJECT_VERSION})
endif()
attend_test(subproject install "${PROJECT_SOURCE_DIR}/test/install/run_subproject_test.sh")
