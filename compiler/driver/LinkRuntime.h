// SPDX-License-Identifier: Apache-2.0
// Links a compiled module with what it uses of the runtime, whose archive is looked for beside this
// program, in ../lib of the folder where it is, or beside libhloc.so. Tests:
// test/package/python.py, test/tools/program.test.

#ifndef HLOC_COMPILER_DRIVER_LINKRUNTIME_H
#define HLOC_COMPILER_DRIVER_LINKRUNTIME_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace hloc {

/// A shared library, for hosts that load it at run time. If the object calls the runtime, the
/// library has the functions with which hosts make contexts (hlort/hlort.h, hlort/async.h).
llvm::Error linkShared(llvm::ArrayRef<char> object, llvm::SmallVectorImpl<char> &library);

/// A program of an object that has a main function. Needs the C library's start files.
llvm::Error linkProgram(llvm::ArrayRef<char> object, llvm::SmallVectorImpl<char> &program);

} // namespace hloc

#endif
