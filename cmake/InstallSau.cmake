# Headers, find_package(sau) and pkg-config; each library installs itself (SauTargets.cmake).
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sau)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp")
install(EXPORT sau-targets NAMESPACE sau:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/sau-config.cmake.in
                              ${PROJECT_BINARY_DIR}/sau-config.cmake
                              INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sau-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sau-config.cmake ${PROJECT_BINARY_DIR}/sau-config-version.cmake
        DESTINATION ${package_dir})

# The .pc files derive the prefix from their own location, so that an installed tree can be moved and
# `cmake --install --prefix` works.
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
  set(SAU_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
  set(SAU_PC_LIBDIR ${CMAKE_INSTALL_FULL_LIBDIR})
  set(SAU_PC_INCLUDEDIR ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
  file(RELATIVE_PATH up /${pc_dir} /)
  string(REGEX REPLACE "/$" "" up "${up}")
  set(SAU_PC_PREFIX "\${pcfiledir}/${up}")
  set(SAU_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(SAU_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
set(pc_files sau)
if(SAU_BUILD_LAB)
  list(APPEND pc_files sau-lab)
endif()
foreach(name IN LISTS pc_files)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${pc_dir})
endforeach()
