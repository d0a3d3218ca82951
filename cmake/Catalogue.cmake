# sau_component_list(<name> <folder> <component>...)
# Writes the header catalog/<folder>_list.hpp, which includes the components and defines <name> as the
# list of their types. catalog/<folder>_names.hpp defines the same list but only declares the types.
function(sau_component_list list_name folder)
  set(includes "")
  set(types "")
  set(declarations "")
  foreach(component IN LISTS ARGN)
    sau_component_file(type file ${component})
    string(APPEND includes "#include \"sau/${folder}/${file}.hpp\"\n")
    string(APPEND declarations "class ${type};\n")
    list(APPEND types ${type})
  endforeach()
  string(REPLACE ";" ", " types "${types}")
  set(start "// Written by cmake/Catalogue.cmake from src/catalog/components.cmake.\n#pragma once\n\n")
  set(body "using ${list_name} = TypeList<${types}>;\n\n}  // namespace sau\n")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/catalog/${folder}_list.hpp
       CONTENT "${start}#include \"catalog/type_list.hpp\"\n${includes}\nnamespace sau {\n\n${body}")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/catalog/${folder}_names.hpp
       CONTENT
       "${start}#include \"catalog/type_list.hpp\"\n\nnamespace sau {\n\n${declarations}\n${body}")
endfunction()

# Sets the class name and the file name (snake case) of a component.
function(sau_component_file type file component)
  if(component MATCHES "^(.+)=(.+)$")
    set(${type} ${CMAKE_MATCH_1} PARENT_SCOPE)
    set(${file} ${CMAKE_MATCH_2} PARENT_SCOPE)
    return()
  endif()
  string(REGEX REPLACE "([a-z0-9])([A-Z])" "\\1_\\2" snake ${component})
  string(TOLOWER ${snake} snake)
  set(${type} ${component} PARENT_SCOPE)
  set(${file} ${snake} PARENT_SCOPE)
endfunction()

# Adds the lists, and one source per model, so that changing a model recompiles only its own agents.
# Builds that do not optimise set SAU_MODELS_PER_SOURCE, because there most of the time goes into headers.
function(sau_add_catalogue target)
  include(${PROJECT_SOURCE_DIR}/src/catalog/components.cmake)
  sau_component_list(Models model ${SAU_MODELS})
  sau_component_list(Strategies explore ${SAU_STRATEGIES})
  sau_component_list(Problems problem ${SAU_PROBLEMS})
  set(models ${SAU_MODELS})
  set(together 1)
  if(SAU_MODELS_PER_SOURCE)
    set(together ${SAU_MODELS_PER_SOURCE})
  endif()
  while(models)
    list(SUBLIST models 0 ${together} chosen)
    list(REMOVE_ITEM models ${chosen})
    set(includes "")
    set(instances "")
    set(source "")
    foreach(component IN LISTS chosen)
      sau_component_file(type file ${component})
      string(APPEND includes "#include \"sau/model/${file}.hpp\"\n")
      string(APPEND instances "template sau::ModelEntry sau::model_entry<sau::${type}>();\n")
      if(NOT source)
        set(source ${PROJECT_BINARY_DIR}/generated/catalog/agents_of_${file}.cpp)
      endif()
    endforeach()
    file(CONFIGURE OUTPUT ${source} CONTENT
"// Written by cmake/Catalogue.cmake from src/catalog/components.cmake.
#include \"catalog/model_entry_of.hpp\"
${includes}
${instances}")
    target_sources(${target} PRIVATE ${source})
    set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
      # Optimising the instrumented code takes three times as long as compiling it, and the tests of
      # pairs are short.
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS -O0)
    endif()
  endwhile()
  # These two files have every strategy, and each takes longer than the rest of its batch.
  set(all_strategies ${PROJECT_SOURCE_DIR}/src/catalog/handle_agent.cpp
                     ${PROJECT_SOURCE_DIR}/src/catalog/id_rule.cpp)
  set_source_files_properties(${all_strategies} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    set_source_files_properties(${all_strategies} PROPERTIES COMPILE_OPTIONS -O0)
  endif()
  target_include_directories(sau_private INTERFACE ${PROJECT_BINARY_DIR}/generated)
endfunction()
