// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/LoopProblem.h"
#include "compiler/hlo/ElementType.h"
#include "passes/Build.h"
#include "passes/kernels/ArraySizes.h"

using namespace mlir;

namespace hloc {

/// Transposes whose tiles are in registers at the same time.
static constexpr size_t kMaxTransposes = 2;

/// The number of operands and operations of `body` that do not map each element of `shape` to the
/// same position.
static int64_t countMoved(Block &body, ArrayRef<int64_t> shape) {
  int64_t arguments = llvm::count_if(body.getArguments(), [&](Value argument) {
    return arrayType(argument).getRank() != 0 && arrayType(argument).getShape() != shape;
  });
  return arguments + llvm::count_if(body, [](Operation &op) {
           auto broadcast = dyn_cast<hlo::BroadcastOp>(op);
           return !(broadcast && broadcast.getDimensions().empty()) &&
                  !op.hasTrait<hlo::Elementwise>() &&
                  !isa<hlo::CopyOp, hlo::ConstantOp, hlo::ReturnOp>(op);
         });
}

/// True if a result of `shape` is a concatenation along its outermost dimension of operands of size
/// one, all of which are computed in this kernel.
static bool joins(Block &body, ArrayRef<int64_t> shape) {
  return llvm::any_of(body.getOps<hlo::ConcatenateOp>(), [&](hlo::ConcatenateOp op) {
    return op.getDimension() == 0 && arrayType(op.getResult()).getShape() == shape &&
           int64_t(op->getNumOperands()) == shape[0] &&
           llvm::none_of(op->getOperands(), llvm::IsaPred<BlockArgument>);
  });
}

LoopProblem::LoopProblem(Block &body)
    : shape(arrayType(body.getTerminator()->getOperand(0)).getShape()),
      count(ShapedType::getNumElements(shape)), bits(getWidestElement(body)),
      operations(int64_t(body.getOperations().size())) {
  auto results = body.getTerminator()->getOperands();
  for (Value result : results) {
    Type element = arrayType(result).getElementType();
    isOneShape &= arrayType(result).getShape() == shape;
    isComplex |= isa<ComplexType>(element);
    packsResults |= hlo::getStorageBits(element) < 8;
  }
  moved = countMoved(body, shape);
  isBlind = isOneShape && moved == 0;
  joinsMajor = results.size() == 1 && shape.size() > 1 && joins(body, shape);
  if (!isOneShape || shape.empty())
    return;
  int64_t minor = int64_t(shape.size()) - 1;
  for (auto op : body.getOps<hlo::TransposeOp>()) {
    RankedTensorType type = arrayType(op.getResult());
    Type element = type.getElementType();
    if (type.getShape() != shape || transposes.size() == kMaxTransposes ||
        (!hlo::isPred(element) && hlo::getStorageBits(element) % 8 != 0))
      continue;
    int64_t lies = llvm::find(op.getDimensions(), minor) - op.getDimensions().begin();
    if (lies == minor || (!transposes.empty() && lies != across))
      continue;
    across = lies;
    transposes.push_back(op);
  }
}

} // namespace hloc
