# sau_embed_files(<target> HEADER <header> FUNCTION <function> FILES <file>...)
# Compiles the files into the target. <header>, under src/, declares sau::detail::<function>(), which
# returns them as a span of EmbeddedFile (core/embedded_file.hpp), in the order of FILES, which may be
# empty. A file's name loses its extension. Run as a script (cmake -P), this file writes the source.
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
    # The assembler reads the files, so the compiler's own dependency list does not have them.
    set_source_files_properties(${output} PROPERTIES OBJECT_DEPENDS "${arg_FILES}"
                                                     SKIP_UNITY_BUILD_INCLUSION ON)
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

# The assembler takes the bytes as they are. C++ string literals may be limited to 65,536 characters,
# and a list of numbers takes the compiler a second per 100 kB.
set(blocks "")
set(entries "")
set(count 0)
foreach(file IN LISTS files)
  get_filename_component(path "${file}" ABSOLUTE)
  string(REGEX REPLACE "([\\\\\"])" "\\\\\\1" path "${path}")
  string(REGEX REPLACE "([\\\\\"])" "\\\\\\1" path "${path}")
  set(symbol "sau_${FUNCTION}_${count}")
  string(APPEND blocks "SAU_EMBED(${symbol}, \"${path}\")\n")
  get_filename_component(name "${file}" NAME_WLE)
  string(APPEND entries
         "      {\"${name}\", {${symbol}, static_cast<std::size_t>(${symbol}_end - ${symbol})}},\n")
  math(EXPR count "${count} + 1")
endforeach()

file(WRITE "${OUTPUT}" "#include \"${HEADER}\"

#include <array>
#include <cstddef>

#ifdef __APPLE__
#define SAU_SECTION \".const_data\\n\"
#define SAU_SECTION_END \".text\\n\"
#define SAU_SYMBOL(name) \"_\" #name
#else
#define SAU_SECTION \".pushsection .rodata\\n\"
#define SAU_SECTION_END \".popsection\\n\"
#define SAU_SYMBOL(name) #name
#endif
#define SAU_EMBED(name, path)                                                   \\
  asm(SAU_SECTION \".globl \" SAU_SYMBOL(name) \"\\n\" SAU_SYMBOL(name) \":\\n\"      \\
      \".incbin \\\"\" path \"\\\"\\n\"                                              \\
      \".globl \" SAU_SYMBOL(name##_end) \"\\n\" SAU_SYMBOL(name##_end) \":\\n\"      \\
      \".byte 0\\n\" SAU_SECTION_END);                                            \\
  extern \"C\" const char name[], name##_end[];

${blocks}
namespace sau::detail {

std::span<const EmbeddedFile> ${FUNCTION}() {
  static const std::array<EmbeddedFile, ${count}> kFiles{{
${entries}  }};
  return kFiles;
}

}  // namespace sau::detail
")
