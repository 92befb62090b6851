// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/UpdateProblem.h"
#include "compiler/hlo/ElementType.h"
#include "passes/kernels/ArraySizes.h"

using namespace mlir;

namespace hloc {

/// Elements from which a row is long enough.
static constexpr int64_t kLongRow = 4096;

static SmallVector<int64_t> getSizesAboveOne(Value value) {
  return llvm::filter_to_vector(cast<RankedTensorType>(value.getType()).getShape(),
                                [](int64_t size) { return size != 1; });
}

/// True if each element of the update is computed from operands at the same position only, so that
/// successive rows can be one.
static bool isBlindToRows(Block &body, hlo::DynamicUpdateSliceOp update) {
  SmallVector<int64_t> sizes = getSizesAboveOne(update.getUpdate());
  auto fits = [&](Value value) {
    return cast<RankedTensorType>(value.getType()).getRank() == 0 ||
           getSizesAboveOne(value) == sizes;
  };
  for (Value argument : body.getArguments())
    if (argument != update.getOperand() && !fits(argument))
      return false;
  return llvm::all_of(body, [&](Operation &op) {
    if (&op == update || isa<hlo::ReturnOp>(op))
      return true;
    bool isSplat = isa<hlo::BroadcastOp>(op) && cast<hlo::BroadcastOp>(op).getDimensions().empty();
    bool isPlain =
        op.hasTrait<hlo::Elementwise>() || isa<hlo::CopyOp, hlo::ConstantOp, hlo::ReshapeOp>(op);
    return (isSplat || isPlain) && llvm::all_of(op.getResults(), fits);
  });
}

UpdateProblem::UpdateProblem(hlo::DynamicUpdateSliceOp op, Block &body)
    : shape(cast<RankedTensorType>(op.getUpdate().getType()).getShape()),
      whole(cast<RankedTensorType>(op.getOperand().getType()).getShape()),
      bits(getWidestElement(body)), operations(int64_t(body.getOperations().size())) {
  Type element = cast<RankedTensorType>(op.getType()).getElementType();
  packsResults = hlo::getStorageBits(element) < 8;
  isComplex = isa<ComplexType>(element);
  if (shape.empty())
    return;
  first = last = int64_t(shape.size()) - 1;
  length = shape.back();
  while (last > 0 && shape[last] == 1)
    --last;
  if (shape[last] == 1 || packsResults) {
    last = first;
    return;
  }
  first = last;
  length = shape[last];
  step = ShapedType::getNumElements(whole.drop_front(last + 1));
  if (isBlindToRows(body, op))
    while (first > 0 && length < kLongRow && shape[first] == whole[first])
      length *= shape[--first];
}

hlo::DynamicUpdateSliceOp findUpdate(Block &body) {
  Operation *terminator = body.getTerminator();
  return terminator->getNumOperands() == 1
             ? terminator->getOperand(0).getDefiningOp<hlo::DynamicUpdateSliceOp>()
             : hlo::DynamicUpdateSliceOp();
}

hlo::DynamicUpdateSliceOp findUpdateInPlace(hlo::KernelKind kind, Block &body) {
  bool writesSlices = kind == hlo::KernelKind::Update || kind == hlo::KernelKind::Dot;
  return writesSlices ? findUpdate(body) : hlo::DynamicUpdateSliceOp();
}

} // namespace hloc
