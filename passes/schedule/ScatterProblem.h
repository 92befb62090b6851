// SPDX-License-Identifier: Apache-2.0
// The windows that a scatter combines into its operands. Schedules are chosen from this description
// (ScatterStrategies.cpp), and code is generated from it (codegen/kernels/scatter).

#ifndef HLOC_PASSES_SCHEDULE_SCATTERPROBLEM_H
#define HLOC_PASSES_SCHEDULE_SCATTERPROBLEM_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

/// Choice of scatter.staged: windows are added in turn to the operand and to copies of it, which
/// are added up at the end. Additions to the same place then wait for each other less often.
inline constexpr llvm::StringLiteral kCopies = "copies";
/// How many tables there are then: the operand and its copies.
inline constexpr int64_t kScatterTables = 4;

/// Choice of scatter.windows: a unit applies the windows that begin in its range of a dimension. It
/// finds them among `block` windows at a time.
inline constexpr llvm::StringLiteral kRanges = "ranges";

struct ScatterProblem {
  explicit ScatterProblem(hlo::ScatterOp op);

  /// The size of the window dimension that can be split between units; 1 if there is none.
  int64_t getSplitSize() const { return splitDim < 0 ? 1 : windowSizes[splitDim]; }
  bool splitsMinor() const { return splitDim + 1 == int64_t(windowSizes.size()); }
  double countWindows() const;
  /// Bytes of the copies (kCopies).
  int64_t getCopiedBytes() const;
  /// Bytes of a unit's table, if each adds windows to its own.
  int64_t getTableBytes() const;
  /// Bytes of the computed indices and updates of a window.
  double getComputedBytes(hlo::ScatterOp op) const;

  mlir::RankedTensorType operandType, indicesType, updateType;
  llvm::SmallVector<int64_t> scatterDims, windowDims; // of the updates
  llvm::SmallVector<int64_t> scatterSizes, windowSizes;
  llvm::SmallVector<int64_t> operandDims; // of the operand, for each window dimension
  /// The largest window dimension that no index moves, -1 for none. Its positions are independent:
  /// each sees all windows in order.
  int64_t splitDim = -1;
  /// The component of an index whose ranges are independent: windows have one place along the
  /// operand's dimension that it moves in, the largest such; -1 for none. Also the dimension's
  /// size.
  int64_t rangeComponent = -1, rangeSize = 1;
  /// True if a window's minor dimension is the operand's.
  bool isAlongMinor = false;
  /// True if an operand has elements of less than a byte.
  bool sharesBytes = false;
  /// If windows are single elements: those of the indices and updates that are computed, that is,
  /// take more than a load.
  llvm::SmallVector<mlir::Value> computed;
};

} // namespace hloc

#endif
