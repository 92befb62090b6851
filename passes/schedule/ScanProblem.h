// SPDX-License-Identifier: Apache-2.0
// What a scan steps through, and whether it is a fold. Schedules are chosen from this description
// (ScanStrategies.cpp), and code is generated from it (codegen/kernels/scan).

#ifndef HLOC_PASSES_SCHEDULE_SCANPROBLEM_H
#define HLOC_PASSES_SCHEDULE_SCANPROBLEM_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

struct ScanProblem {
  /// `op` scans at least one array; `body` is the computation that it names, or null.
  ScanProblem(hlo::ScanOp op, hlo::ComputationOp body);

  /// True if the scanned dimension is the minor one.
  bool isAlongRows() const { return dimension + 1 == int64_t(shape.size()) && steps > 1; }
  /// The number of contiguous slices: the size of the minor one of the other dimensions.
  int64_t getMinor() const { return sliceShape.empty() ? 1 : sliceShape.back(); }

  llvm::ArrayRef<int64_t> shape;
  /// The scanned dimension and its size; the sizes of the others, and their product.
  int64_t dimension, steps, slices = 1;
  llvm::SmallVector<int64_t> sliceShape;
  /// The number of results that are not carries.
  int64_t outputs;
  /// True if the scan is a fold: the body returns what it carries, and is associative.
  bool isFold = false;
  /// True if it has to be folded block by block for accuracy (kScanBlock).
  bool isBlocked = false;
  /// True if some array has elements of less than a byte.
  bool sharesBytes = false;
};

} // namespace hloc

#endif
