# SPDX-License-Identifier: Apache-2.0
# Finds what hloc is built with; third_party/README.md lists versions and licences.

find_package(TBB REQUIRED)
find_package(Threads REQUIRED)

if(NOT HLOC_RUNTIME_ONLY)
  find_package(MLIR 22 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
  find_package(LLD 22 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/lld)
  list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
  include(TableGen)
  include(AddLLVM)
  include(AddMLIR)
  find_package(absl REQUIRED)
endif()

if(HLOC_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
