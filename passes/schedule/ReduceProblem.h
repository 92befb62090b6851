// SPDX-License-Identifier: Apache-2.0
// The reductions of a kernel: over the same dimensions of arrays of one shape. What their schedules
// are chosen by (ReduceStrategies.cpp) and their code is made of (codegen/kernels/reduce).

#ifndef HLOC_PASSES_SCHEDULE_REDUCEPROBLEM_H
#define HLOC_PASSES_SCHEDULE_REDUCEPROBLEM_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

struct ReduceProblem {
  /// `body` holds one reduction at least.
  explicit ReduceProblem(mlir::Block &body);

  /// Positions that strips of `width` columns go over, those of the last `dimensions` kept ones: of
  /// the minor one, or of all behind the last reduced one where strips fit those better.
  struct Columns {
    int64_t count, dimensions;
  };
  Columns getColumns(int64_t width) const;

  /// Whether vectors of `width` columns hold columns that do not lie side by side, so that they are
  /// gathered: each goes over more than a row of the minor dimension, and rows are apart.
  bool isGathered(int64_t width) const;

  /// Of the operands, their reduced dimensions and the others.
  llvm::ArrayRef<int64_t> shape;
  llvm::SmallVector<int64_t> reduced, kept;
  llvm::SmallVector<int64_t> reducedSizes, keptSizes;
  /// Positions of the kept dimensions, and of the reduced ones at each.
  int64_t outerCount = 1, innerCount = 1;
  int64_t reductions = 0;
  /// Bits of the widest element.
  int64_t widest = 8;
  bool minorIsReduced = false;
  /// Whether a result has elements of less than a byte, and whether one of them has the operands'
  /// shape.
  bool packsResults = false, packsRows = false;
  /// Whether operands of reductions do.
  bool packsOperands = false;
  /// Bytes of the largest array that the kernel reads or writes.
  int64_t largestBytes = 0;
  /// Bytes of what is kept of a column between blocks of its rows: sums, their errors, results.
  int64_t totalBytes = 0;
  /// Arrays that the kernel reads or writes at all positions.
  int64_t wholeArrays = 0;
};

} // namespace hloc

#endif
