// SPDX-License-Identifier: Apache-2.0
// The iteration space of a loop kernel, and in which ways it can be walked. What schedules are
// chosen by (LoopStrategies.cpp) and code is made of (codegen/kernels/loop).

#ifndef HLOC_PASSES_SCHEDULE_LOOPPROBLEM_H
#define HLOC_PASSES_SCHEDULE_LOOPPROBLEM_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

struct LoopProblem {
  /// `body` gives one result at least.
  explicit LoopProblem(mlir::Block &body);

  int64_t getMinor() const { return shape.empty() ? 1 : shape.back(); }

  llvm::ArrayRef<int64_t> shape; // of the first result
  int64_t count, bits, operations;
  /// Whether all results have that shape, and none of them complex numbers.
  bool isOneShape = true, isComplex = false;
  /// Operands and operations whose elements do not lie, or are not computed, as the results are:
  /// none if everything treats elements alike wherever they are.
  int64_t moved = 0;
  bool isBlind = true;
  /// Whether a result has elements of less than a byte.
  bool packsResults = false;
  /// Whether the outermost dimension has a few elements that come of different operands: what these
  /// have in common, as the coordinates of vectors that are multiplied crosswise, can be read once.
  bool joinsMajor = false;
  /// Transposes to the results' shape whose operands lie, in memory, along dimension `across`: at
  /// most kMaxTransposes, whose tiles are in registers at the same time.
  llvm::SmallVector<hlo::TransposeOp> transposes;
  int64_t across = 0;
};

} // namespace hloc

#endif
