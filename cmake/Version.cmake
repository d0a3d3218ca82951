# sau_add_version(<target>): compiles version.cpp.in into the target. Looks up the commit at every
# build, but writes the source only when it changes, so a new commit recompiles one small file. Run as
# a script (cmake -P), this file writes the source.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(SAU_VERSION_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

  function(sau_add_version target)
    set(output ${PROJECT_BINARY_DIR}/generated/version.cpp)
    add_custom_target(
      sau_version
      COMMAND
        ${CMAKE_COMMAND} -D OUTPUT=${output} -D SOURCE_DIR=${PROJECT_SOURCE_DIR}
        -D VERSION=${PROJECT_VERSION}
        "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" -P
        ${SAU_VERSION_SCRIPT}
      BYPRODUCTS ${output}
      COMMENT "Looking up the commit"
      VERBATIM)
    target_sources(${target} PRIVATE ${output})
    # Not in a batch, which every commit would compile again.
    set_source_files_properties(${output} PROPERTIES GENERATED ON SKIP_UNITY_BUILD_INCLUSION ON)
    add_dependencies(${target} sau_version)
  endfunction()
  return()
endif()

set(COMMIT "unknown")
find_program(GIT git)
if(GIT)
  # An empty prefix means that the repository is ours, not one that merely contains our folder.
  execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} rev-parse --show-prefix RESULT_VARIABLE outside
                  OUTPUT_VARIABLE prefix ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} rev-parse --short --verify HEAD
                  RESULT_VARIABLE no_commit OUTPUT_VARIABLE hash ERROR_QUIET
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT outside AND NOT prefix AND NOT no_commit)
    set(COMMIT ${hash})
  endif()
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/version.cpp.in ${OUTPUT} @ONLY)
