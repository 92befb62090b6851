# SPDX-License-Identifier: Apache-2.0

# hloc_add_library(target model.hlo [NAME name] [SHARED_RUNTIME] [OPTIONS option...]
#                  [BIND parameter=file[:key]...] [BIND_ALL path...] [PREPARE parameter...])
#
# Compiles an HLO module and makes the static library `target` of it, which carries the folder of
# the generated header name.h and links the runtime, with SHARED_RUNTIME the shared one. `name`, by
# default the module's file name without its ending, is also the prefix of the C symbols (name_run,
# ...). The options go to hloc:
#
#   find_package(hloc REQUIRED)
#   hloc_add_library(model model.hlo OPTIONS -O3 --mcpu=x86-64-v3)
#   target_link_libraries(program PRIVATE model)    # and #include "model.h"
#
# BIND, BIND_ALL and PREPARE are hloc's options of that name (docs/weights.md). The file name.weights, which the
# target's property HLOC_WEIGHTS names, is put where programs of the folder are, which is where they look
# for it.
function(hloc_add_library target module)
  cmake_parse_arguments(ARG "SHARED_RUNTIME" "NAME" "OPTIONS;BIND;BIND_ALL;PREPARE" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "hloc_add_library(${target}): unexpected '${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT TARGET hloc::hloc)
    message(FATAL_ERROR "hloc_add_library(${target}): the compiler hloc is not installed")
  endif()
  cmake_path(ABSOLUTE_PATH module NORMALIZE)
  if(NOT ARG_NAME)
    cmake_path(GET module STEM LAST_ONLY ARG_NAME)
  endif()

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.hloc)
  set(object ${folder}/${ARG_NAME}.o)
  set(header ${folder}/${ARG_NAME}.h)
  file(MAKE_DIRECTORY ${folder})
  set(bound "")
  set(sources "")
  set(weights "")
  foreach(entry IN LISTS ARG_BIND)
    # In a name `=` may stand in brackets.
    if(NOT entry MATCHES "^((\\[[^]]*\\]|[^=[])+)=(.+)$")
      message(FATAL_ERROR "hloc_add_library(${target}): expected NAME=FILE[:KEY] but got '${entry}'")
    endif()
    set(name "${CMAKE_MATCH_1}")
    set(file "${CMAKE_MATCH_3}")
    cmake_path(ABSOLUTE_PATH file)
    list(APPEND bound "--bind=${name}=${file}")
    # The key begins behind the first colon with a file before it.
    string(REGEX REPLACE ":[^/]*$" "" without "${file}")
    if(NOT EXISTS "${file}")
      set(file "${without}")
    endif()
    list(APPEND sources "${file}")
  endforeach()
  foreach(path IN LISTS ARG_BIND_ALL)
    cmake_path(ABSOLUTE_PATH path)
    list(APPEND bound "--bind-all=${path}")
    if(IS_DIRECTORY "${path}")
      file(GLOB files CONFIGURE_DEPENDS ${path}/*.safetensors ${path}/*.npz ${path}/*.npy ${path}/*.gguf)
      list(APPEND sources ${files})
    else()
      list(APPEND sources "${path}")
    endif()
  endforeach()
  if(bound)
    set(weights ${CMAKE_CURRENT_BINARY_DIR})
    if(CMAKE_RUNTIME_OUTPUT_DIRECTORY)
      set(weights ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
      file(MAKE_DIRECTORY ${weights})
    endif()
    string(APPEND weights /${ARG_NAME}.weights)
    list(APPEND bound --weights=${weights})
  endif()
  foreach(name IN LISTS ARG_PREPARE)
    list(APPEND bound "--prepare=${name}")
  endforeach()
  add_custom_command(OUTPUT ${object} ${header} ${weights}
    COMMAND hloc::hloc ${module} -o ${object} ${bound} ${ARG_OPTIONS}
    DEPENDS ${module} ${sources} hloc::hloc
    COMMENT "Compiling ${ARG_NAME} with hloc" VERBATIM)
  # The libraries that use the header depend on this, so that it exists before they are compiled.
  add_custom_target(${target}_hloc DEPENDS ${object} ${header})

  add_library(${target} STATIC ${object})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX HLOC_WEIGHTS "${weights}")
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  add_dependencies(${target} ${target}_hloc)
  target_include_directories(${target} INTERFACE ${folder})
  if(ARG_SHARED_RUNTIME)
    target_link_libraries(${target} PUBLIC hloc::hlort_shared)
  else()
    target_link_libraries(${target} PUBLIC hloc::hlort)
  endif()
endfunction()
