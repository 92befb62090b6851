// SPDX-License-Identifier: Apache-2.0
// The interior of a loop kernel: the box of indices whose elements come from the operand of each
// pad, and from the largest operand of each concatenation, and not from a border. Vectors in the
// interior need neither masks nor selects. Stencils on padded images and on arrays that are rolled
// around have nearly all of their vectors there. Test: test/passes/schedule/InteriorTest.cpp.

#ifndef HLOC_PASSES_SCHEDULE_INTERIOR_H
#define HLOC_PASSES_SCHEDULE_INTERIOR_H

#include "passes/schedule/Places.h"

namespace hloc {

/// Choice (`with`) of schedules of loops that have code of their own for the interior.
inline constexpr llvm::StringLiteral kInterior = "interior";

struct Interior {
  /// Analyses a kernel whose results all have one shape.
  explicit Interior(mlir::Block &body);

  /// The fraction of a loop's vectors that lie in the interior, if vectors of `width` elements lie
  /// along `dimension` and begin at multiples of `width`.
  double getShare(int64_t dimension, int64_t width) const;
  /// True if the interior has all indices along `dimension`.
  bool isWhole(int64_t dimension) const {
    return box[dimension].lower == 0 && box[dimension].upper == shape[dimension];
  }

  llvm::ArrayRef<int64_t> shape; // of the results
  /// For each dimension of the results.
  llvm::SmallVector<IndexRange> box;
  /// Where elements in the interior come from. Operations for which no operand is known are not
  /// contained, nor are those that would leave less than half of the results in the interior.
  KnownSources sources;
};

} // namespace hloc

#endif
