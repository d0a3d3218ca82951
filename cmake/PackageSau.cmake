# Installs what belongs to the program: its units for systemd, manual pages and completion. Also makes
# the Debian package (`make package`), which has the program and these files, and nothing else.
install(FILES ${PROJECT_SOURCE_DIR}/contrib/sau.service ${PROJECT_SOURCE_DIR}/contrib/sau.socket
        DESTINATION lib/systemd/system COMPONENT program)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright
        COMPONENT program)
# The program writes its own pages and scripts, from the same descriptions as --help.
install(CODE "set(sau_program \"$<TARGET_FILE:sau_program>\")" COMPONENT program)
install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/InstallPages.cmake COMPONENT program)
# The same for sau-mpi. It is a package of its own, because it needs MPI, and sau does not.
install(CODE "set(sau_program \"$<TARGET_FILE:sau_program>\")" COMPONENT mpi)
install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/InstallMpiPage.cmake COMPONENT mpi)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/sau-mpi
        RENAME copyright COMPONENT mpi)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sau)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "the authors of sau <sau@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "exploration for contextual bandits")
set(CPACK_PACKAGE_DESCRIPTION
    "A laboratory that compares exploration methods by Sample Average Uncertainty and others,
and a decision service that answers over HTTP, logs with exact probabilities and learns.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
# Only the programs. Whoever needs the libraries builds from source.
set(CPACK_COMPONENTS_ALL program)
if(MPI_CXX_FOUND)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME sau)
set(CPACK_DEBIAN_MPI_PACKAGE_NAME sau-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "sau (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_MPI_PACKAGE_RECOMMENDS openmpi-bin)
set(CPACK_COMPONENT_MPI_DESCRIPTION
    "sau run and sau paper on many machines, by MPI: one rank plans and writes, the others play.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "fonts-dejavu-core, ca-certificates")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_EXTRA
    "${PROJECT_SOURCE_DIR}/contrib/debian/prerm;${PROJECT_SOURCE_DIR}/contrib/debian/postinst;${PROJECT_SOURCE_DIR}/contrib/debian/postrm")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
