# SPDX-License-Identifier: Apache-2.0
# The few helpers with which every folder declares its targets.

# The MLIR headers that nearly every file includes, parsed once.
function(_hloc_precompiled_headers)
  if(TARGET hloc_precompiled)
    return()
  endif()
  set(anchor ${PROJECT_BINARY_DIR}/precompiled.cpp)
  file(CONFIGURE OUTPUT ${anchor} CONTENT "// Carries the precompiled header.\n")
  add_library(hloc_precompiled OBJECT ${anchor})
  _hloc_compiler_settings(hloc_precompiled)
  target_precompile_headers(hloc_precompiled PRIVATE
    <functional> <memory> <string> <vector>
    <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Func/IR/FuncOps.h>
    <mlir/Dialect/LLVMIR/LLVMDialect.h> <mlir/Dialect/Math/IR/Math.h>
    <mlir/Dialect/MemRef/IR/MemRef.h> <mlir/Dialect/SCF/IR/SCF.h>
    <mlir/Dialect/Vector/IR/VectorOps.h> <mlir/IR/Builders.h> <mlir/IR/BuiltinOps.h>
    <mlir/IR/PatternMatch.h> <mlir/Pass/Pass.h>)
endfunction()

# Include folders, definitions and warnings that match the LLVM found; those of PRIVATE targets are not for
# what links them.
function(_hloc_compiler_settings target)
  set(scope PUBLIC ${ARGN})
  list(GET scope -1 scope)
  target_include_directories(${target} SYSTEM ${scope} ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_include_directories(${target} ${scope} ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  separate_arguments(definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_definitions(${target} ${scope} ${definitions})
  # -fPIC for programs too: the precompiled header is one for all.
  target_compile_options(${target} PRIVATE -fPIC -Wall -Wextra -Wno-unused-parameter -fno-rtti -fno-exceptions
    -fvisibility-inlines-hidden -ffunction-sections -fdata-sections)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # Lets a compiler cache serve precompiled headers.
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

# With CMAKE_UNITY_BUILD, sources that are neighbours in a folder are compiled as one, CMAKE_UNITY_BUILD_BATCH_SIZE
# at a time (0: all of the folder): most of a source's time goes into templates that its neighbours need as well.
# Those that use namespace llvm as a whole are apart from those that use mlir: names of both differ in meaning.
function(_hloc_join_sources target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  set(size 8)
  if(DEFINED CMAKE_UNITY_BUILD_BATCH_SIZE)
    set(size ${CMAKE_UNITY_BUILD_BATCH_SIZE})
  endif()
  foreach(source IN LISTS ARGN)
    get_filename_component(folder ${source} DIRECTORY)
    set(space "")
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${source})
      file(STRINGS ${source} space REGEX "^using namespace llvm" LIMIT_COUNT 1)
    endif()
    string(MAKE_C_IDENTIFIER "at_${folder}_${space}" group)
    math(EXPR count_${group} "0${count_${group}} + 1")
    set(part 0)
    if(size GREATER 0)
      math(EXPR part "(${count_${group}} - 1) / ${size}")
    endif()
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${target}_${group}_${part})
  endforeach()
endfunction()

# hloc_library(Name SOURCES file... [LINK target...] [DEPENDS target...]): a library of the compiler.
# It does not link LLVM: programs do, in one of two ways (HlocLlvm.cmake).
function(hloc_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;DEPENDS" ${ARGN})
  _hloc_precompiled_headers()
  add_library(${name} STATIC ${ARG_SOURCES})
  _hloc_join_sources(${name} ${ARG_SOURCES})
  _hloc_compiler_settings(${name})
  target_precompile_headers(${name} REUSE_FROM hloc_precompiled)
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# hloc_tool(name SOURCES file... [LINK target...] [INSTALLED]): a program in bin/. INSTALLED marks one that
# users run.
function(hloc_tool name)
  cmake_parse_arguments(ARG "INSTALLED" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  _hloc_compiler_settings(${name})
  target_precompile_headers(${name} REUSE_FROM hloc_precompiled)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} $<IF:$<BOOL:${ARG_INSTALLED}>,hloc_llvm_programs,hloc_llvm_shared>)
  # The compile cache tells builds apart by it (codegen/cache/BuildIdentity.h).
  target_link_options(${name} PRIVATE LINKER:--build-id LINKER:--gc-sections)
  get_property(order GLOBAL PROPERTY HLOC_SYMBOL_ORDER)
  if(ARG_INSTALLED AND order)
    target_link_options(${name} PRIVATE LINKER:--symbol-ordering-file=${order} LINKER:--no-warn-symbol-ordering)
    set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${order})
    add_dependencies(${name} symbol-order-list)
  endif()
endfunction()

# hloc_gtest(name SOURCES file... [LINK target...] [ARGUMENTS text...] [RUNTIME]): a GoogleTest program, known to
# ctest, which runs it with the arguments. RUNTIME marks a test of the runtime alone, compiled without LLVM's settings.
function(hloc_gtest name)
  cmake_parse_arguments(ARG "RUNTIME" "" "SOURCES;LINK;ARGUMENTS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  if(ARG_RUNTIME)
    target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest_main)
  else()
    _hloc_compiler_settings(${name})
    target_precompile_headers(${name} REUSE_FROM hloc_precompiled)
    target_link_libraries(${name} PRIVATE ${ARG_LINK} hloc_llvm_shared GTest::gtest_main)
  endif()
  add_test(NAME ${name} COMMAND ${name} ${ARG_ARGUMENTS})
endfunction()
