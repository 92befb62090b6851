# SPDX-License-Identifier: Apache-2.0
# LLVM, MLIR and LLD as programs link them: hloc_llvm_shared for all, and hloc_llvm_programs for
# those that are installed, which start in half the time with the libraries inside them. Their functions
# lie in the order of the first calls of some compilations (hloc_symbol_order), so that a compilation
# touches a tenth of the pages of code: this is another quarter of the time of a small one.

if(CMAKE_BUILD_TYPE STREQUAL "Release" AND TARGET LLVMCore AND TARGET MLIRIR)
  set(default ON)
else()
  set(default OFF)
endif()
option(HLOC_STATIC_LLVM "Link LLVM and MLIR into the installed programs" ${default})

add_library(hloc_llvm_shared INTERFACE)
target_link_libraries(hloc_llvm_shared INTERFACE lldELF lldCommon MLIR LLVM)

add_library(hloc_llvm_programs INTERFACE)
if(HLOC_STATIC_LLVM)
  # By file: as targets, MLIR and LLD ask for the shared library of LLVM.
  get_property(mlir GLOBAL PROPERTY MLIR_ALL_LIBS)
  set(archives "")
  foreach(library IN LISTS mlir LLVM_AVAILABLE_LIBS ITEMS lldELF lldCommon)
    if(TARGET ${library})
      get_target_property(type ${library} TYPE)
      get_target_property(archive ${library} LOCATION)
      if(type STREQUAL "STATIC_LIBRARY" AND EXISTS "${archive}")
        list(APPEND archives "${archive}")
      endif()
    endif()
  endforeach()
  # LLD refers to the library for optimization at link time, and this to Polly, which Debian has in a
  # package by itself. What is linked here is never bitcode.
  add_library(hloc_no_polly STATIC ${PROJECT_SOURCE_DIR}/third_party/llvm/NoPolly.cpp)
  target_include_directories(hloc_no_polly SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  target_compile_options(hloc_no_polly PRIVATE -fno-rtti)
  # LLD starts all of LLVM's targets, of which hloc makes code for three (compiler/target/Target.cpp refuses the
  # others): the rest would be two fifths of a program. Starting them does nothing.
  set(others ${LLVM_TARGETS_TO_BUILD})
  list(REMOVE_ITEM others X86 AArch64 RISCV)
  set(source "// SPDX-License-Identifier: Apache-2.0\n")
  foreach(target IN LISTS others)
    foreach(part IN ITEMS TargetInfo Target TargetMC AsmPrinter AsmParser Disassembler TargetMCA)
      string(APPEND source "extern \"C\" void LLVMInitialize${target}${part}() {}\n")
    endforeach()
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/NoOtherTargets.cpp CONTENT "${source}" @ONLY)
  add_library(hloc_no_other_targets OBJECT ${CMAKE_CURRENT_BINARY_DIR}/NoOtherTargets.cpp)
  # lld minds no order, and these refer to each other in every direction.
  target_link_libraries(hloc_llvm_programs INTERFACE
    $<TARGET_OBJECTS:hloc_no_other_targets> ${archives} hloc_no_polly ZLIB::ZLIB zstd::libzstd_shared ${CMAKE_DL_LIBS} Threads::Threads)
  target_link_options(hloc_llvm_programs INTERFACE
    -fuse-ld=lld LINKER:--gc-sections LINKER:--as-needed LINKER:--strip-debug LINKER:-z,pack-relative-relocs)
else()
  target_link_libraries(hloc_llvm_programs INTERFACE hloc_llvm_shared)
endif()

# hloc_symbol_order(TOOL tool SOURCES file... LINK target... INPUTS file...): links `tool` once more as it
# would be without an order, traces it on the inputs, and orders the functions of the programs that
# hloc_tool declares as INSTALLED from here on.
function(hloc_symbol_order)
  cmake_parse_arguments(ARG "" "TOOL" "SOURCES;LINK;INPUTS" ${ARGN})
  if(NOT HLOC_STATIC_LLVM OR NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" OR CMAKE_CROSSCOMPILING)
    return()
  endif()
  set(traced ${ARG_TOOL}-in-no-order)
  hloc_tool(${traced} SOURCES ${ARG_SOURCES} LINK ${ARG_LINK} INSTALLED)
  add_executable(symbol-order ${PROJECT_SOURCE_DIR}/third_party/llvm/SymbolOrder.cpp)
  _hloc_compiler_settings(symbol-order)
  target_link_libraries(symbol-order PRIVATE hloc_llvm_shared)
  set_target_properties(symbol-order ${traced} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  set(order ${CMAKE_CURRENT_BINARY_DIR}/symbol-order.txt)
  add_custom_command(OUTPUT ${order}
    COMMAND symbol-order ${order} $<TARGET_FILE:${traced}> ${ARG_INPUTS} -- -o ${CMAKE_CURRENT_BINARY_DIR}/traced.o
    DEPENDS ${traced} symbol-order ${ARG_INPUTS}
    COMMENT "Listing the functions that compilations call" VERBATIM)
  add_custom_target(symbol-order-list DEPENDS ${order})
  set_property(GLOBAL PROPERTY HLOC_SYMBOL_ORDER ${order})
endfunction()
