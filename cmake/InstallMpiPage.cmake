# Runs at installation: `sau_program` is the program that was built; it writes the page of sau-mpi too.
set(page $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/man/man1/sau-mpi.1)
get_filename_component(folder ${page} DIRECTORY)
file(MAKE_DIRECTORY ${folder})
execute_process(COMMAND ${sau_program} man mpi OUTPUT_FILE ${page} RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "sau man mpi failed: ${code}")
endif()
message(STATUS "Installing: ${page}")
