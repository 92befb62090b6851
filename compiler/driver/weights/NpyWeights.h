// SPDX-License-Identifier: Apache-2.0
// The header of an .npy file, alone or in an .npz.

#ifndef HLOC_COMPILER_DRIVER_WEIGHTS_NPYWEIGHTS_H
#define HLOC_COMPILER_DRIVER_WEIGHTS_NPYWEIGHTS_H

#include "compiler/driver/weights/WeightFile.h"

namespace hloc {

struct NpyArray {
  StoredArray array;
  uint64_t dataOffset = 0, dataBytes = 0;
};

/// Parses the header at the start of `data`, the whole file or its beginning. Errors do not contain
/// the file's name.
llvm::Expected<NpyArray> readNpyArray(llvm::StringRef data, llvm::StringRef name);

} // namespace hloc

#endif
