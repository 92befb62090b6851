// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/DotSchedule.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// Size of the blocks of columns and rows for each of which the other operand is read once, about.
static constexpr int64_t kReadColumns = 256, kReadRows = 192;

double countOperandReads(hlo::DotOp op, unsigned operand) {
  DotProblem dot(op);
  // Once for each block of the other side.
  bool isLeft = (operand == 0) != dot.swapped;
  int64_t blocks =
      isLeft ? llvm::divideCeil(dot.columns, kReadColumns) : llvm::divideCeil(dot.rows, kReadRows);
  return double(std::max<int64_t>(1, blocks));
}

ArrayRef<Strategy> getDotStrategies() {
  static const Strategy strategies[] = {kStreamedDot, kRowBlocksDot, kAxpyDot, kAlongDepthDot,
                                        kPackedDot};
  return strategies;
}

} // namespace hloc
