// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/MaskedRange.h"
#include "compiler/hlo/Movement.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/simplify/Match.h"

using namespace mlir;

namespace hloc {

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// The scalar that `value` broadcasts; null if it does not.
static Value getScalar(Value value) {
  auto broadcast = value.getDefiningOp<hlo::BroadcastOp>();
  return broadcast && shapeOf(broadcast.getOperand()).empty() ? broadcast.getOperand() : Value();
}

/// True if the elements of `positions` count up without overflow.
static bool countsUp(hlo::IotaOp positions) {
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(positions));
  int64_t count = shapeOf(positions)[positions.getIotaDimension()];
  return type && count <= int64_t(1) << std::min(type.getWidth() - !type.isUnsigned(), 62u);
}

MaskedRange findMaskedRange(Value mask) {
  SmallVector<Value, 2> sides{mask};
  if (auto both = mask.getDefiningOp<hlo::AndOp>())
    sides = {both.getLhs(), both.getRhs()};
  MaskedRange range;
  for (Value side : sides) {
    auto compare = side.getDefiningOp<hlo::CompareOp>();
    auto positions = compare ? compare.getLhs().getDefiningOp<hlo::IotaOp>() : hlo::IotaOp();
    Value scalar = positions ? getScalar(compare.getRhs()) : Value();
    if (!scalar || !countsUp(positions) ||
        (range && range.dimension != int64_t(positions.getIotaDimension())))
      return {};
    range.dimension = positions.getIotaDimension();
    bool isBegin = compare.getDirection() == hlo::Direction::GE;
    Value &bound = isBegin ? range.begin : range.end;
    if ((!isBegin && compare.getDirection() != hlo::Direction::LT) || bound)
      return {};
    bound = scalar;
  }
  return range;
}

MaskedRange inShape(MaskedRange range, ArrayRef<int64_t> from, ArrayRef<int64_t> shape) {
  if (!range || hlo::withoutUnits(from) != hlo::withoutUnits(shape) || from[range.dimension] == 1)
    return {};
  int64_t number = hlo::withoutUnits(from.take_front(range.dimension)).size();
  for (auto [dimension, size] : llvm::enumerate(shape))
    if (size != 1 && number-- == 0)
      range.dimension = dimension;
  return range;
}

Value skipUnitReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<hlo::ReshapeOp>()) {
    if (!hlo::isUnitReshape(reshape))
      break;
    value = reshape.getOperand();
  }
  return value;
}

hlo::SelectOp findZeroingSelect(Value value) {
  Value masked = skipUnitReshapes(value);
  if (auto convert = masked.getDefiningOp<hlo::ConvertOp>())
    masked = skipUnitReshapes(convert.getOperand());
  auto select = masked.getDefiningOp<hlo::SelectOp>();
  return select && isSplatOf(select.getOnFalse(), 0) ? select : hlo::SelectOp();
}

MaskedRange findNonZero(Value value) {
  hlo::SelectOp select = findZeroingSelect(value);
  if (!select)
    return {};
  return inShape(findMaskedRange(select.getPred()), shapeOf(select), shapeOf(value));
}

} // namespace hloc
