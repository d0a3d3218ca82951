# sau_embed_files(<target> HEADER <header> FUNCTION <function> FILES <file>...)
# Compiles the files into the target. <header>, under src/, declares sau::detail::<function>(), which
# returns them as a span of EmbeddedFile (core/embedded_file.hpp). A file is called by its name
# without the extension; the order is that of FILES. Run as a script (cmake -P) this same file writes
# the source.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(SAU_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

  function(sau_embed_files target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADER;FUNCTION" "FILES")
    set(output ${PROJECT_BINARY_DIR}/generated/${arg_FUNCTION}.cpp)
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} -D OUTPUT=${output} -D HEADER=${arg_HEADER}
              -D FUNCTION=${arg_FUNCTION} -P ${SAU_EMBED_SCRIPT} -- ${arg_FILES}
      DEPENDS ${arg_FILES} ${SAU_EMBED_SCRIPT}
      COMMENT "Embedding the files of ${arg_FUNCTION}"
      VERBATIM)
    target_sources(${target} PRIVATE ${output})
    set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endfunction()
  return()
endif()

# The files are the arguments after "--".
set(files "")
set(after_dashes FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(after_dashes)
    list(APPEND files "${CMAKE_ARGV${i}}")
  elseif("${CMAKE_ARGV${i}}" STREQUAL "--")
    set(after_dashes TRUE)
  endif()
endforeach()

# Bytes, not string literals: those may be no longer than 65,536 characters in portable C++.
set(arrays "")
set(entries "")
set(count 0)
foreach(file IN LISTS files)
  file(READ "${file}" bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  # Lines of 16 bytes; the closing zero lets an empty file be an array too.
  string(REPEAT "'.....," 16 line)
  string(REGEX REPLACE "(${line})" "\\1\n    " bytes "${bytes}")
  string(APPEND arrays "constexpr char kBytes${count}[] = {\n    ${bytes}'\\0'};\n")
  get_filename_component(name "${file}" NAME_WLE)
  string(APPEND entries "    {\"${name}\", {kBytes${count}, sizeof(kBytes${count}) - 1}},\n")
  math(EXPR count "${count} + 1")
endforeach()

file(WRITE "${OUTPUT}" "#include \"${HEADER}\"

#include <array>

namespace sau::detail {
namespace {

${arrays}
constexpr std::array<EmbeddedFile, ${count}> kFiles{{
${entries}}};

}  // namespace

std::span<const EmbeddedFile> ${FUNCTION}() { return kFiles; }

}  // namespace sau::detail
")
