# Compiler flags for all targets of the project.
add_library(sau_flags INTERFACE)
target_compile_options(
  sau_flags
  INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wpedantic
            # Results must not depend on whether the machine has fused multiply-add.
            -ffp-contract=off -fno-math-errno
            $<$<BOOL:${SAU_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # A false alarm of GCC 12 on `"literal" + std::string` (GCC bug 105651).
  target_compile_options(sau_flags INTERFACE -Wno-restrict)
elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # GCC's -Wconversion does not include sign conversions, and clang's does.
  target_compile_options(sau_flags INTERFACE -Wno-sign-conversion)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  # False alarms in instrumented code, and a warning that the thread sanitizer does not follow fences.
  target_compile_options(sau_flags INTERFACE -Wno-maybe-uninitialized -Wno-tsan)
endif()

# Objects must not contain the path of the source tree, so that the compiler cache can share them
# between copies of the tree. Only debug builds without a sanitizer keep the path, because a debugger
# must find the sources.
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize" OR NOT CMAKE_BUILD_TYPE MATCHES "Debug|RelWithDebInfo")
  target_compile_options(sau_flags INTERFACE -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
endif()

# In sanitizer builds, optimise only the code that computes. Optimising instrumented code takes the
# compiler minutes.
function(sau_compile_quickly target)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()

# Flags and language level for one target.
function(sau_configure_target target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  # Hidden symbols: position-independent code costs nothing if no symbol can be replaced from outside.
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden
                                             VISIBILITY_INLINES_HIDDEN ON)
  # BUILD_INTERFACE keeps the flags out of the installed package.
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:sau_flags>)
endfunction()

# sau_add_library(<name> OUTPUT <file name> FOLDERS <folder>...)
# Adds the static library sau_<name>, alias sau::<name>, from every src/<folder>/*.cpp. A folder may be
# empty or absent; a new file is found at the next build. The property SAU_LIBRARY_OF_<folder> tells
# the tests which library a folder is in.
function(sau_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OUTPUT" "FOLDERS")
  foreach(folder IN LISTS arg_FOLDERS)
    set_property(GLOBAL PROPERTY SAU_LIBRARY_OF_${folder} sau::${name})
  endforeach()
  list(TRANSFORM arg_FOLDERS REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/\\1/*.cpp")
  file(GLOB sources CONFIGURE_DEPENDS ${arg_FOLDERS})
  add_library(sau_${name} STATIC ${sources})
  add_library(sau::${name} ALIAS sau_${name})
  sau_configure_target(sau_${name})
  target_link_libraries(sau_${name} PRIVATE $<BUILD_INTERFACE:sau_private>)
  target_include_directories(
    sau_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                       $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_target_properties(sau_${name} PROPERTIES OUTPUT_NAME ${arg_OUTPUT} EXPORT_NAME ${name})
  install(TARGETS sau_${name} EXPORT sau-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# sau_batch_by_folder(<target>): the unity batches of a library hold files of one folder each, so that a
# program that needs none of a folder does not link what the folder needs.
function(sau_batch_by_folder target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  set(size ${CMAKE_UNITY_BUILD_BATCH_SIZE})
  if(NOT size)
    set(size 12)
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} DIRECTORY)
    get_filename_component(folder ${folder} NAME)
    math(EXPR batch "0${files_of_${folder}} / ${size}")
    math(EXPR files_of_${folder} "0${files_of_${folder}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${batch})
  endforeach()
endfunction()
