# make install: everything lies below one prefix, which may be moved afterwards.
include(CMakePackageConfigHelpers)

set(installed_targets attend_static attend_model_static)
if(TARGET attend)
    list(APPEND installed_targets attend attend_model)
endif()
add_custom_target(attend_product DEPENDS ${installed_targets})

set(cmake_folder "${CMAKE_INSTALL_LIBDIR}/cmake/attend")
install(TARGETS ${installed_targets} EXPORT attendTargets)
install(EXPORT attendTargets NAMESPACE attend:: DESTINATION "${cmake_folder}")
install(DIRECTORY include/attend DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")

configure_package_config_file(cmake/attendConfig.cmake.in attendConfig.cmake INSTALL_DESTINATION "${cmake_folder}")
# Before 1.0 a new minor version may change the interface.
write_basic_package_version_file(attendConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/attendConfig.cmake" "${PROJECT_BINARY_DIR}/attendConfigVersion.cmake"
    DESTINATION "${cmake_folder}")

# A .pc file finds the prefix from its own place: one ".." for each folder of lib/pkgconfig.
string(REGEX REPLACE "[^/]+" ".." pc_up "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
foreach(name IN ITEMS attend attend_model)
    configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()

if(TARGET attend_program)
    add_dependencies(attend_product attend_program)
    install(TARGETS attend_program)
    install(DIRECTORY "${PROJECT_BINARY_DIR}/generated/man/" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
    set(completion "${PROJECT_BINARY_DIR}/generated/completion")
    install(FILES "${completion}/attend.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
        RENAME attend)
    install(FILES "${completion}/_attend" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
    install(FILES "${completion}/attend.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
endif()
