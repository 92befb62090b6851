// SPDX-License-Identifier: Apache-2.0
// The iteration space of a loop kernel, and the ways in which it can be traversed. Schedules are
// chosen from this description (LoopStrategies.cpp), and code is generated from it
// (codegen/kernels/loop).

#ifndef HLOC_PASSES_SCHEDULE_LOOPPROBLEM_H
#define HLOC_PASSES_SCHEDULE_LOOPPROBLEM_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

struct LoopProblem {
  /// `body` returns at least one result.
  explicit LoopProblem(mlir::Block &body);

  int64_t getMinor() const { return shape.empty() ? 1 : shape.back(); }

  llvm::ArrayRef<int64_t> shape; // of the first result
  int64_t count, bits, operations;
  /// True if all results have that shape; true if some result has complex elements.
  bool isOneShape = true, isComplex = false;
  /// The number of operands and operations whose elements are at other positions than those of the
  /// results. If there are none, the position of an element does not matter (`isBlind`), and the
  /// whole array can be one range.
  int64_t moved = 0;
  bool isBlind = true;
  /// True if some result has elements of less than a byte.
  bool packsResults = false;
  /// True if the outermost dimension has few elements, each computed from an operand of its own, as
  /// in the components of a cross product: what they have in common can then be loaded once.
  bool joinsMajor = false;
  /// Transposes to the results' shape whose operands are contiguous along dimension `across` of it.
  /// At most kMaxTransposes, whose tiles are in registers at the same time.
  llvm::SmallVector<hlo::TransposeOp> transposes;
  int64_t across = 0;

  /// The rows of the results that follow each other in memory and begin at the same element of
  /// dimension `across`: the size of the dimension before the minor one, or 1 if that is `across`.
  int64_t countRowsOfTiles() const {
    int64_t before = int64_t(shape.size()) - 2;
    return before < 0 || before == across ? 1 : shape[before];
  }
  /// Elements from one index of dimension `across` of the results to the next.
  int64_t getStrideAcross() const {
    return mlir::ShapedType::getNumElements(shape.drop_front(across + 1));
  }
};

} // namespace hloc

#endif
