// SPDX-License-Identifier: Apache-2.0
// Links a compiled module with the runtime, for hosts that load it at run time.

#ifndef HLOC_COMPILER_DRIVER_LINKSHARED_H
#define HLOC_COMPILER_DRIVER_LINKSHARED_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace hloc {

/// A shared library of `object` and what it uses of the runtime. The runtime's archive is looked for
/// beside this program: in ../lib of the folder where it is.
llvm::Error linkShared(llvm::ArrayRef<char> object, llvm::SmallVectorImpl<char> &library);

} // namespace hloc

#endif
