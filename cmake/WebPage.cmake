# sau_web_page(<variable> [DEVELOPMENT])
# Builds web/ into one self-contained page and sets <variable> to its path. The packages of
# web/package-lock.json are installed into the build folder, when the lock file has changed;
# DEVELOPMENT: with those for the type check and the tests of the page. Node is needed to build the
# page, never to use it.
function(sau_web_page variable)
  cmake_parse_arguments(PARSE_ARGV 1 arg "DEVELOPMENT" "" "")
  sau_find_node()
  set(source ${PROJECT_SOURCE_DIR}/web)
  set(work ${PROJECT_BINARY_DIR}/web/work)
  set(page ${PROJECT_BINARY_DIR}/web/report.html)
  set(packages ${source}/package.json ${source}/package-lock.json)
  # CONFIGURE_DEPENDS: a new file is found at the next build.
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${source}/src/*.ts ${source}/src/*.css
       ${source}/src/*.html)

  set(omit --omit=dev)
  if(arg_DEVELOPMENT)
    set(omit --include=dev)
  endif()
  # Their own install scripts are not run: esbuild's program comes as a package of its own.
  add_custom_command(
    OUTPUT ${work}/installed
    COMMAND ${CMAKE_COMMAND} -E make_directory ${work}
    COMMAND ${CMAKE_COMMAND} -E copy ${packages} ${work}
    COMMAND ${SAU_NPM} ci --prefix ${work} ${omit} --prefer-offline --ignore-scripts --no-audit
            --no-fund --loglevel=error
    COMMAND ${CMAKE_COMMAND} -E touch ${work}/installed
    DEPENDS ${packages}
    COMMENT "Installing the packages of the report's page"
    VERBATIM)
  # The sources are copied beside the packages, where every tool looks for them.
  add_custom_command(
    OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${work}/src
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${source}/src ${work}/src
    COMMAND ${CMAKE_COMMAND} -E copy ${source}/build.mjs ${source}/tsconfig.json ${work}
    COMMAND ${SAU_NODE} ${work}/build.mjs ${page}
    DEPENDS ${work}/installed ${sources} ${source}/build.mjs ${source}/tsconfig.json
    COMMENT "Bundling the report's page"
    VERBATIM)
  set(${variable} ${page} PARENT_SCOPE)
endfunction()

# Sets SAU_NODE and SAU_NPM, or says what to install.
function(sau_find_node)
  find_program(SAU_NODE NAMES node nodejs)
  find_program(SAU_NPM NAMES npm)
  mark_as_advanced(SAU_NODE SAU_NPM)
  set(how "Debian's packages are nodejs and npm; tools/setup.sh installs them.")
  foreach(program IN ITEMS NODE NPM)
    if(NOT SAU_${program})
      string(TOLOWER ${program} name)
      message(FATAL_ERROR "${name} was not found. The page of `sau report` is built with Node.js 18 "
                          "or newer and npm; the program itself does not need them. ${how}")
    endif()
  endforeach()
  execute_process(COMMAND ${SAU_NODE} --version OUTPUT_VARIABLE version
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REGEX REPLACE "^v" "" version "${version}")
  if(version VERSION_LESS 18)
    message(FATAL_ERROR "${SAU_NODE} is version '${version}'; the page of `sau report` is built "
                        "with Node.js 18 or newer. ${how}")
  endif()
endfunction()
