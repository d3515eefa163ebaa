# `cmake --install` exports sinew::sinew for find_package(sinew).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
install(TARGETS sinew EXPORT sinew-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/sinew DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT sinew-targets NAMESPACE sinew:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)
configure_package_config_file(cmake/sinew-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/sinew-config.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/sinew-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sinew-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/sinew-config-version.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)
