# SPDX-License-Identifier: Apache-2.0

# hloc_add_library(target model.hlo [NAME name] [SHARED_RUNTIME] [OPTIONS option...])
#
# Compiles an HLO module and makes the static library `target` of it, which carries the folder of
# the generated header name.h and links the runtime, with SHARED_RUNTIME the shared one. `name`, by
# default the module's file name without its ending, is also the prefix of the C symbols (name_run,
# ...). The options go to hloc:
#
#   find_package(hloc REQUIRED)
#   hloc_add_library(model model.hlo OPTIONS -O3 --mcpu=x86-64-v3)
#   target_link_libraries(program PRIVATE model)    # and #include "model.h"
function(hloc_add_library target module)
  cmake_parse_arguments(ARG "SHARED_RUNTIME" "NAME" "OPTIONS" ${ARGN})
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
  add_custom_command(OUTPUT ${object} ${header}
    COMMAND hloc::hloc ${module} -o ${object} ${ARG_OPTIONS}
    DEPENDS ${module} hloc::hloc
    COMMENT "Compiling ${ARG_NAME} with hloc" VERBATIM)
  # The libraries that use the header depend on this, so that it exists before they are compiled.
  add_custom_target(${target}_hloc DEPENDS ${object} ${header})

  add_library(${target} STATIC ${object})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  add_dependencies(${target} ${target}_hloc)
  target_include_directories(${target} INTERFACE ${folder})
  if(ARG_SHARED_RUNTIME)
    target_link_libraries(${target} PUBLIC hloc::hlort_shared)
  else()
    target_link_libraries(${target} PUBLIC hloc::hlort)
  endif()
endfunction()
