// SPDX-License-Identifier: Apache-2.0
#include "compiler/hlo/Movement.h"

using namespace mlir;
using namespace hloc::hlo;

#include "compiler/hlo/MovementInterface.cpp.inc"

static RankedTensorType arrayType(Value value) { return cast<RankedTensorType>(value.getType()); }

SmallVector<int64_t> hloc::hlo::withoutUnits(ArrayRef<int64_t> shape) {
  return llvm::filter_to_vector(shape, [](int64_t size) { return size != 1; });
}

bool hloc::hlo::isUnitReshape(ReshapeOp reshape) {
  return withoutUnits(arrayType(reshape.getOperand()).getShape()) ==
         withoutUnits(arrayType(reshape).getShape());
}

static IndexMap makeIdentity(Value operand) {
  IndexMap map;
  for (int64_t d = 0; d < arrayType(operand).getRank(); ++d)
    map.push_back({d});
  return map;
}

static IndexMap findMap(BroadcastOp op, unsigned) {
  IndexMap map;
  for (int64_t dimension : op.getDimensions())
    map.push_back({dimension});
  return map;
}

static IndexMap findMap(TransposeOp op, unsigned) {
  IndexMap map = makeIdentity(op.getOperand());
  for (auto [to, from] : llvm::enumerate(op.getDimensions()))
    map[from].dimension = to;
  return map;
}

static IndexMap findMap(ReverseOp op, unsigned) {
  IndexMap map = makeIdentity(op.getOperand());
  for (int64_t d : op.getDimensions())
    map[d] = {d, -1, arrayType(op.getOperand()).getDimSize(d) - 1};
  return map;
}

static IndexMap findMap(SliceOp op, unsigned) {
  IndexMap map = makeIdentity(op.getOperand());
  for (auto [d, at] : llvm::enumerate(map)) {
    at.stride = op.getStrides()[d];
    at.offset = op.getStarts()[d];
  }
  return map;
}

static IndexMap findMap(PadOp op, unsigned operand) {
  if (operand == 1)
    return {}; // a scalar
  IndexMap map = makeIdentity(op.getOperand());
  for (auto [d, at] : llvm::enumerate(map)) {
    at.offset = -op.getLow()[d];
    at.divisor = op.getInterior()[d] + 1;
  }
  return map;
}

static IndexMap findMap(ConcatenateOp op, unsigned operand) {
  IndexMap map = makeIdentity(op.getInputs()[operand]);
  for (Value before : op.getInputs().take_front(operand))
    map[op.getDimension()].offset -= arrayType(before).getDimSize(op.getDimension());
  return map;
}

namespace {

template <typename Op> struct Movement : MovementInterface::ExternalModel<Movement<Op>, Op> {
  IndexMap getIndexMap(Operation *op, unsigned operand) const {
    return findMap(cast<Op>(op), operand);
  }
};

} // namespace

template <typename... Ops> static void attach(MLIRContext &context) {
  (Ops::template attachInterface<Movement<Ops>>(context), ...);
}

void hloc::hlo::attachMovement(MLIRContext &context) {
  attach<BroadcastOp, ConcatenateOp, PadOp, ReverseOp, SliceOp, TransposeOp>(context);
}
