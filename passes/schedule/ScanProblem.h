// SPDX-License-Identifier: Apache-2.0
// What a scan steps through, and whether it folds. What its schedules are chosen by
// (ScanStrategies.cpp) and its code is made of (codegen/kernels/scan).

#ifndef HLOC_PASSES_SCHEDULE_SCANPROBLEM_H
#define HLOC_PASSES_SCHEDULE_SCANPROBLEM_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

struct ScanProblem {
  /// `op` scans one array at least; `body` is the computation that it names, which it may not have.
  ScanProblem(hlo::ScanOp op, hlo::ComputationOp body);

  /// Whether rows of the scanned dimension lie in memory as they are stepped through.
  bool isAlongRows() const { return dimension + 1 == int64_t(shape.size()) && steps > 1; }
  /// Slices that lie side by side.
  int64_t getMinor() const { return sliceShape.empty() ? 1 : sliceShape.back(); }

  llvm::ArrayRef<int64_t> shape;
  /// The scanned dimension and its size; sizes of the others, and their product.
  int64_t dimension, steps, slices = 1;
  llvm::SmallVector<int64_t> sliceShape;
  /// Results that are no carries.
  int64_t outputs;
  /// Whether the body gives what it carries, and may be associated in any way.
  bool isFold = false;
  /// Whether it is to be folded block by block (kScanBlock).
  bool isBlocked = false;
  /// Whether an array has elements of less than a byte.
  bool sharesBytes = false;
};

} // namespace hloc

#endif
