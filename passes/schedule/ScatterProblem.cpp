// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/ScatterProblem.h"
#include "compiler/hlo/ElementType.h"
#include "passes/kernels/ArraySizes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// True if elements of `array` take more than a load and can be stored in a temporary array.
static bool isComputed(Value array) {
  Type element = typeOf(array).getElementType();
  if (isa<ComplexType>(element) || hlo::getStorageBits(element) < 8)
    return false;
  while (auto reshape = array.getDefiningOp<hlo::ReshapeOp>())
    array = reshape.getOperand();
  return array.getDefiningOp() &&
         !isa<hlo::ConstantOp, hlo::IotaOp, hlo::BroadcastOp>(array.getDefiningOp());
}

ScatterProblem::ScatterProblem(hlo::ScatterOp op)
    : operandType(typeOf(op.getOperandArrays()[0])), indicesType(typeOf(op.getIndices())),
      updateType(typeOf(op.getUpdates()[0])) {
  for (int64_t d = 0; d < updateType.getRank(); ++d) {
    bool isWindow = llvm::is_contained(op.getUpdateWindowDims(), d);
    (isWindow ? windowDims : scatterDims).push_back(d);
    (isWindow ? windowSizes : scatterSizes).push_back(updateType.getDimSize(d));
  }
  for (int64_t d = 0; d < operandType.getRank(); ++d)
    if (!llvm::is_contained(op.getInsertedWindowDims(), d) &&
        !llvm::is_contained(op.getInputBatchingDims(), d))
      operandDims.push_back(d);
  isAlongMinor = !operandDims.empty() && operandDims.back() == operandType.getRank() - 1;
  for (Value operand : op.getOperandArrays())
    sharesBytes |= hlo::getStorageBits(typeOf(operand).getElementType()) < 8;
  for (auto [w, d] : llvm::enumerate(operandDims))
    if (!sharesBytes && !llvm::is_contained(op.getScatterDimsToOperandDims(), d) &&
        windowSizes[w] > getSplitSize())
      splitDim = int64_t(w);
  // Positions and starts are compared as 32-bit integers.
  bool isShort = !scatterSizes.empty() && scatterSizes.back() <= INT32_MAX && !sharesBytes;
  for (auto [component, d] : llvm::enumerate(op.getScatterDimsToOperandDims())) {
    auto window = llvm::find(operandDims, d);
    bool isOne = window == operandDims.end() || windowSizes[window - operandDims.begin()] == 1;
    int64_t length = operandType.getDimSize(d);
    if (isShort && isOne && length > rangeSize && length <= INT32_MAX) {
      rangeComponent = int64_t(component);
      rangeSize = length;
    }
  }
  if (windowSizes.empty() && !scatterSizes.empty())
    for (Value array : llvm::concat<Value>(ValueRange(op.getIndices()), op.getUpdates()))
      if (isComputed(array))
        computed.push_back(array);
}

double ScatterProblem::getComputedBytes(hlo::ScatterOp op) const {
  double bytes = 0;
  for (Value array : computed)
    bytes += fuse::elementBytes(array.getType()) *
             double(array == op.getIndices() ? op.getScatterDimsToOperandDims().size() : 1);
  return bytes;
}

int64_t ScatterProblem::getCopiedBytes() const {
  return (kScatterTables - 1) * int64_t(fuse::bytesOf(operandType));
}

int64_t ScatterProblem::getTableBytes() const {
  constexpr int64_t line = 64; // so that units do not share one
  return int64_t(llvm::alignTo(int64_t(fuse::bytesOf(operandType)), line));
}

double ScatterProblem::countWindows() const {
  double windows = 1;
  for (int64_t size : scatterSizes)
    windows *= double(size);
  return windows;
}

} // namespace hloc
