// SPDX-License-Identifier: Apache-2.0
// Links a compiled module with the parts of the runtime that it uses. The runtime's archive is
// searched next to this program, in ../lib of its folder, and next to libhloc.so. Tests:
// test/package/python.py, test/tools/program.test.

#ifndef HLOC_COMPILER_DRIVER_LINKRUNTIME_H
#define HLOC_COMPILER_DRIVER_LINKRUNTIME_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace hloc {

/// Links a shared library, for hosts that load it at run time. If the object calls the runtime, the
/// library includes the functions with which hosts create contexts (hlort/hlort.h, hlort/async.h).
llvm::Error linkShared(llvm::ArrayRef<char> object, llvm::SmallVectorImpl<char> &library);

/// Links a program from an object that has a main function. Requires the C library's start files.
llvm::Error linkProgram(llvm::ArrayRef<char> object, llvm::SmallVectorImpl<char> &program);

} // namespace hloc

#endif
