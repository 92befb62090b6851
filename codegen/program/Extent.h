// SPDX-License-Identifier: Apache-2.0
// Which bytes of the program's memory a buffer is.

#ifndef HLOC_CODEGEN_PROGRAM_EXTENT_H
#define HLOC_CODEGEN_PROGRAM_EXTENT_H

#include "mlir/IR/Value.h"

namespace hloc {

/// Bytes [begin, end) of an array that the host passes or that the function allocates; a null base
/// means that it is unknown where.
struct Extent {
  mlir::Value base;
  int64_t begin = 0, end = 0;

  bool operator==(const Extent &other) const {
    return base == other.base && begin == other.begin && end == other.end;
  }
};

/// The extent of `buffer`, a memref.
Extent findExtent(mlir::Value buffer);

} // namespace hloc

#endif
