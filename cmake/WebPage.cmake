# sau_web_packages([DEVELOPMENT])
# Installs the packages of web/package-lock.json into the build folder when the lock file has changed,
# and copies the pages' sources next to them, where all tools find them. DEVELOPMENT adds the packages
# for the type check and the tests of the pages. Node is needed to build the pages, not to use them.
function(sau_web_packages)
  cmake_parse_arguments(PARSE_ARGV 0 arg "DEVELOPMENT" "" "")
  sau_find_node()
  set(source ${PROJECT_SOURCE_DIR}/web)
  set(work ${PROJECT_BINARY_DIR}/web/work)
  set(packages ${source}/package.json ${source}/package-lock.json)
  # CONFIGURE_DEPENDS: a new file is found at the next build.
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${source}/src/*.ts ${source}/src/*.css
       ${source}/src/*.html)

  set(omit --omit=dev)
  if(arg_DEVELOPMENT)
    set(omit --include=dev)
  endif()
  # The packages' install scripts are not run; esbuild's binary comes as a separate package.
  add_custom_command(
    OUTPUT ${work}/installed
    COMMAND ${CMAKE_COMMAND} -E make_directory ${work}
    COMMAND ${CMAKE_COMMAND} -E copy ${packages} ${work}
    COMMAND ${SAU_NPM} ci --prefix ${work} ${omit} --prefer-offline --ignore-scripts --no-audit
            --no-fund --loglevel=error
    COMMAND ${CMAKE_COMMAND} -E touch ${work}/installed
    DEPENDS ${packages}
    COMMENT "Installing the packages of the pages"
    VERBATIM)
  add_custom_command(
    OUTPUT ${work}/copied
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${work}/src
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${source}/src ${work}/src
    COMMAND ${CMAKE_COMMAND} -E copy ${source}/build.mjs ${source}/tsconfig.json ${work}
    COMMAND ${CMAKE_COMMAND} -E touch ${work}/copied
    DEPENDS ${work}/installed ${sources} ${source}/build.mjs ${source}/tsconfig.json
    COMMENT "Copying the sources of the pages"
    VERBATIM)
  # A common target, because with some generators two targets would make the same files at the same
  # time.
  add_custom_target(sau_web_sources DEPENDS ${work}/copied)
endfunction()

# sau_web_page(<variable> <name>)
# Builds a page with web/build.mjs into one self-contained file and sets <variable> to its path. Call
# sau_web_packages() first.
function(sau_web_page variable name)
  set(work ${PROJECT_BINARY_DIR}/web/work)
  set(page ${PROJECT_BINARY_DIR}/web/${name}.html)
  add_custom_command(
    OUTPUT ${page}
    COMMAND ${SAU_NODE} ${work}/build.mjs ${name} ${page}
    DEPENDS sau_web_sources ${work}/copied
    COMMENT "Bundling the page ${name}"
    VERBATIM)
  set(${variable} ${page} PARENT_SCOPE)
endfunction()

# Sets SAU_NODE and SAU_NPM; if one is missing, fails and says what to install.
function(sau_find_node)
  find_program(SAU_NODE NAMES node nodejs)
  find_program(SAU_NPM NAMES npm)
  mark_as_advanced(SAU_NODE SAU_NPM)
  set(how "Debian's packages are nodejs and npm; tools/setup.sh installs them.")
  foreach(program IN ITEMS NODE NPM)
    if(NOT SAU_${program})
      string(TOLOWER ${program} name)
      message(FATAL_ERROR "${name} was not found. The pages of `sau report` and `sau serve` are built "
                          "with Node.js 18 or newer and npm; the program itself does not need them. "
                          "${how}")
    endif()
  endforeach()
  execute_process(COMMAND ${SAU_NODE} --version OUTPUT_VARIABLE version
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REGEX REPLACE "^v" "" version "${version}")
  if(version VERSION_LESS 18)
    message(FATAL_ERROR "${SAU_NODE} is version '${version}'; the pages of `sau report` and `sau "
                        "serve` are built with Node.js 18 or newer. ${how}")
  endif()
endfunction()
