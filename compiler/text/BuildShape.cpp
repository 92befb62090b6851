// SPDX-License-Identifier: Apache-2.0
// Construction of shapes, independent of the form that they were read from.
#include "compiler/hlo/Literal.h"
#include "compiler/text/ModuleBuilder.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::text {

ParseResult ModuleBuilder::makeArray(Type element, ArrayRef<int64_t> sizes,
                                     ArrayRef<int64_t> bounds, const char *place,
                                     RankedTensorType &type) {
  int64_t bytes = 16;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    int64_t bound = bounds.empty() ? -1 : bounds[i];
    int64_t factor = ShapedType::isDynamic(size) ? std::max<int64_t>(bound, 1) : size;
    if (llvm::MulOverflow(bytes, factor ? factor : 1, bytes))
      return fail(place, "expected an array whose size in bytes fits 64 bits");
  }
  type = RankedTensorType::get(sizes, element);
  return success();
}

ParseResult ModuleBuilder::addLayout(RankedTensorType &type, ArrayRef<int64_t> bounds,
                                     const ArrayLayout *layout, const char *place) {
  int64_t rank = type.getRank();
  ArrayLayout usual;
  usual.order.assign(llvm::reverse(llvm::seq<int64_t>(0, rank)).begin(),
                     llvm::reverse(llvm::seq<int64_t>(0, rank)).end());
  if (!layout)
    layout = &usual;
  if (int64_t(layout->order.size()) != rank)
    return fail(place, "expected a layout of " + Twine(rank) + " dimensions but got one of " +
                           Twine(layout->order.size()));
  SmallVector<bool, 6> seen(rank);
  for (int64_t dimension : layout->order) {
    if (dimension < 0 || dimension >= rank || seen[dimension])
      return fail(place, "expected the layout to name each dimension from 0 to " + Twine(rank - 1) +
                             " once");
    seen[dimension] = true;
  }
  if (layout->order == usual.order && bounds.empty() && layout->tiles.empty() && !layout->bits &&
      !layout->space && layout->rest.empty())
    return success();
  auto rest = layout->rest.empty() ? StringAttr() : builder.getStringAttr(layout->rest);
  type = RankedTensorType::get(type.getShape(), type.getElementType(),
                               LayoutAttr::get(context, layout->order, bounds, layout->tiles,
                                               layout->bits, layout->space, rest));
  return success();
}

ParseResult ModuleBuilder::getValueType(RankedTensorType type, const char *place,
                                        RankedTensorType &valueType) {
  SmallVector<int64_t> shape(type.getShape());
  if (auto layout = dyn_cast_or_null<LayoutAttr>(type.getEncoding()))
    for (auto [size, bound] : llvm::zip(shape, layout.getBounds()))
      size = ShapedType::isDynamic(size) ? bound : size;
  if (llvm::any_of(shape, [](int64_t size) { return size < 0; }))
    return fail(place, "expected a constant whose dimensions are known");
  valueType = RankedTensorType::get(shape, type.getElementType());
  return success();
}

Attribute makeZeros(RankedTensorType type) {
  if (type.getElementType().isInteger(1))
    return DenseElementsAttr::get(type, false);
  if (type.getNumElements() == 0)
    return makeLiteral(type, {});
  SmallVector<char> zero(getLiteralElementBytes(type.getElementType()));
  return DenseElementsAttr::getFromRawBuffer(type, zero);
}

uint64_t ModuleBuilder::countLeaves(Type type) const {
  auto found = tupleLeaves.find(type);
  return found == tupleLeaves.end() ? 1 : found->second;
}

ParseResult ModuleBuilder::checkTupleSize(Type type, const char *place) {
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple || tupleLeaves.contains(type))
    return success();
  uint64_t leaves = 0;
  for (Type element : tuple.getTypes()) {
    leaves += countLeaves(element);
    if (leaves > kMaxTupleLeaves)
      return fail(place, "expected a tuple of at most " + Twine(kMaxTupleLeaves) + " arrays");
  }
  tupleLeaves[type] = leaves;
  return success();
}

} // namespace hloc::text
