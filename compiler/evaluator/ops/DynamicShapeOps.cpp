// SPDX-License-Identifier: Apache-2.0
// Reshapes, and the sizes of bounded dynamic dimensions. Arrays have their run-time size, so only
// these operations depend on bounds.
#include "compiler/evaluator/core/Interpreter.h"
#include "compiler/evaluator/core/Strided.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::evaluator {

/// The run-time shape of a reshape: the static sizes of the result's type, and for the dynamic ones
/// the sizes that follow from the number of elements. Of several dynamic dimensions the one that
/// `inferred_dimension` names (otherwise the first) gets the rest; the others have the sizes of the
/// operand's dynamic dimensions in order, if there are as many. A dimension without a bound always
/// gets the rest.
static FailureOr<Values> reshape(Call &call) {
  auto op = cast<ReshapeOp>(call.op);
  auto tensor = cast<RankedTensorType>(op.getType());
  auto type = getArrayType(tensor);
  Array &operand = call.array(0);
  Shape shape = type ? type->second : Shape(tensor.getShape());
  SmallVector<int64_t> dynamic;
  for (int64_t d = 0; d < tensor.getRank(); ++d)
    if (tensor.isDynamicDim(d))
      dynamic.push_back(d);
  if (dynamic.size() > 1) {
    SmallVector<int64_t> sizes;
    auto source = cast<RankedTensorType>(op.getOperand().getType());
    for (int64_t d = 0; d < source.getRank(); ++d)
      if (source.isDynamicDim(d))
        sizes.push_back(operand.shape[d]);
    if (sizes.size() == dynamic.size())
      for (auto [d, size] : llvm::zip(dynamic, sizes))
        shape[d] = size;
  }
  auto unbounded = llvm::to_vector(
      llvm::make_filter_range(dynamic, [&](int64_t d) { return ShapedType::isDynamic(shape[d]); }));
  if (unbounded.size() > 1)
    return call.fail("cannot tell the sizes of " + Twine(unbounded.size()) +
                     " unbounded dimensions");
  if (!unbounded.empty() || (!dynamic.empty() && countElements(shape) != operand.getCount())) {
    int64_t inferred = !unbounded.empty() ? unbounded.front()
                                          : op.getInferredDimension().value_or(dynamic.front());
    shape[inferred] = 1;
    int64_t rest = countElements(shape);
    shape[inferred] = rest ? operand.getCount() / rest : 0;
  }
  if (countElements(shape) != operand.getCount())
    return call.fail("cannot reshape " + Twine(operand.getCount()) + " elements to " +
                     Twine(countElements(shape)));
  return Values{operand.reshaped(shape)};
}

/// The elements in row-major order; sizes are clamped to their bounds, elements without room are
/// dropped, and room without elements is zero.
static FailureOr<Values> dynamicReshape(Call &call) {
  auto type = getArrayType(call.op->getResult(0).getType());
  if (!type || type->second.size() + 1 != call.operands.size())
    return call.fail("expected one size for each bounded dimension of the result");
  Shape shape;
  for (size_t i = 1; i < call.operands.size(); ++i)
    shape.push_back(std::clamp<int64_t>(call.array(i).getIndex(0), 0, type->second[i - 1]));
  Array &operand = call.array(0);
  int64_t count = operand.getCount(), wanted = countElements(shape);
  if (count == wanted)
    return Values{operand.reshaped(shape)};
  Array row(operand.type, {wanted});
  copyBox(operand.reshaped({count}), {0}, row, {0}, {std::min(count, wanted)});
  return Values{row.reshaped(shape)};
}

static FailureOr<Values> getDimensionSize(Call &call) {
  Array size(ElementType::S32, {});
  size.set(0, Scalar::ofInt(call.array(0).shape[cast<GetDimensionSizeOp>(call.op).getDimension()]));
  return Values{size};
}

/// Elements past the new size are dropped; new ones are zero. Sizes out of bounds are clamped.
static FailureOr<Values> setDimensionSize(Call &call) {
  auto op = cast<SetDimensionSizeOp>(call.op);
  Array &operand = call.array(0);
  auto bounds = getArrayType(op.getOperand().getType());
  if (!bounds)
    return call.fail("the operand has no bound");
  int64_t d = op.getDimension();
  int64_t size = std::clamp<int64_t>(call.array(1).getIndex(0), 0, bounds->second[d]);
  Shape shape = operand.shape, zeros(shape.size(), 0);
  shape[d] = size;
  Array result(operand.type, shape);
  Shape common = shape;
  common[d] = std::min(size, operand.shape[d]);
  copyBox(operand, zeros, result, zeros, common);
  return Values{result};
}

void addDynamicShapeOps(HandlerTable &table) {
  table["hlo.reshape"] = reshape;
  table["hlo.dynamic_reshape"] = dynamicReshape;
  table["hlo.get_dimension_size"] = getDimensionSize;
  table["hlo.set_dimension_size"] = setDimensionSize;
}

} // namespace hloc::evaluator
