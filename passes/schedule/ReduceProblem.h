// SPDX-License-Identifier: Apache-2.0
// The reductions of a kernel: all over the same dimensions of arrays of one shape. Schedules are
// chosen from this description (ReduceStrategies.cpp), and code is generated from it
// (codegen/kernels/reduce).

#ifndef HLOC_PASSES_SCHEDULE_REDUCEPROBLEM_H
#define HLOC_PASSES_SCHEDULE_REDUCEPROBLEM_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

struct ReduceProblem {
  /// `body` contains at least one reduction.
  explicit ReduceProblem(mlir::Block &body);

  /// The positions that strips of `width` columns run over: those of the last `dimensions` kept
  /// dimensions. That is the minor one alone, or all that follow the last reduced one if strips fit
  /// them better.
  struct Columns {
    int64_t count, dimensions;
  };
  Columns getColumns(int64_t width) const;

  /// True if vectors of `width` columns have to be gathered: they span several rows of the minor
  /// dimension, and rows are not contiguous.
  bool isGathered(int64_t width) const;

  /// Of the operands: their shape, the reduced dimensions, and the kept ones.
  llvm::ArrayRef<int64_t> shape;
  llvm::SmallVector<int64_t> reduced, kept;
  llvm::SmallVector<int64_t> reducedSizes, keptSizes;
  /// Positions of the kept dimensions, and positions of the reduced dimensions for each of these.
  int64_t outerCount = 1, innerCount = 1;
  int64_t reductions = 0;
  /// Bits of the widest element.
  int64_t widest = 8;
  bool minorIsReduced = false;
  /// If only the minor dimension is kept of those after the last reduced one, and it has at most
  /// kMostInterleaved elements, their number; otherwise 0. Lanes can then lie along the reduced
  /// dimension before it.
  int64_t fewColumns = 0;
  /// True if some result has elements of less than a byte; true if such a result has the operands'
  /// shape.
  bool packsResults = false, packsRows = false;
  /// True if some operand of a reduction has elements of less than a byte.
  bool packsOperands = false;
  /// Bytes of the largest array that the kernel reads or writes.
  int64_t largestBytes = 0;
  /// Bytes that are kept per column between blocks of rows: sums, their error terms, results.
  int64_t totalBytes = 0;
  /// The numbers of arrays that the kernel reads and writes at all positions, and the bits of the
  /// narrowest element that these store.
  int64_t wholeInputs = 0, wholeResults = 0, narrowest = INT64_MAX;
};

} // namespace hloc

#endif
