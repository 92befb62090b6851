// SPDX-License-Identifier: Apache-2.0
// Arrays in .npy files, the form of tools' inputs and results.
//
// Types that NumPy lacks are stored as their bytes: bf16 as uint16 and smaller floats as uint8 (bit
// patterns), integers of fewer than eight bits as int8 or uint8, one value per byte. Test:
// test/driver/NpyTest.cpp.

#ifndef HLOC_COMPILER_DRIVER_NPY_H
#define HLOC_COMPILER_DRIVER_NPY_H

#include "compiler/driver/HostArray.h"
#include "llvm/Support/Error.h"

namespace hloc {

/// Reads an array that must have this type and shape; in bounded dimensions it may have fewer
/// elements than the bound. `role` describes it in messages, such as "parameter 'x'". Errors read
/// "FILE: error: ...".
llvm::Expected<HostArray> readNpy(llvm::StringRef file, mlir::RankedTensorType type,
                                  llvm::StringRef role);

/// Writes an array completely or not at all.
llvm::Error writeNpy(llvm::StringRef file, const HostArray &array);

} // namespace hloc

#endif
