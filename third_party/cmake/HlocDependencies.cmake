# SPDX-License-Identifier: Apache-2.0
# Finds what hloc is built with; third_party/README.md lists versions and licences.

find_package(TBB REQUIRED)
find_package(Threads REQUIRED)

# OpenMPI or MPICH, whichever mpicc is; another by -DMPI_C_COMPILER and -DMPIEXEC_EXECUTABLE. Sanitizers
# see faults inside MPI that are not ours to mend.
option(HLOC_MPI "Build the communicator over MPI, if MPI is installed" ON)
if(HLOC_MPI AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  find_package(MPI COMPONENTS C QUIET)
endif()

if(NOT HLOC_RUNTIME_ONLY)
  find_package(ZLIB REQUIRED)
  find_package(Protobuf REQUIRED)
  # LLVM's version files accept one major.minor only, so the major version is compared here.
  find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
  find_package(LLD REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/lld)
  if(NOT LLVM_VERSION_MAJOR EQUAL 22)
    message(FATAL_ERROR "hloc needs LLVM and MLIR 22, but ${MLIR_DIR} is of ${LLVM_VERSION}")
  endif()
  list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
  include(TableGen)
  include(AddLLVM)
  include(AddMLIR)
  include(HlocLlvm)
endif()

if(HLOC_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
