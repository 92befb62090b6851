// SPDX-License-Identifier: Apache-2.0
// Literals of an HloModuleProto, as bytes.
#include "compiler/hlo/Literal.h"
#include "compiler/text/proto/ProtoReader.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::text {

template <typename T>
static ArrayRef<char> toBytes(const google::protobuf::RepeatedField<T> &list) {
  return {reinterpret_cast<const char *>(list.data()), list.size() * sizeof(T)};
}

static ArrayRef<char> toBytes(const std::string &bytes) { return {bytes.data(), bytes.size()}; }

/// The elements of an array of `type`; each type has its own field.
static ArrayRef<char> getElements(const proto::LiteralProto &literal, Type type) {
  static_assert(sizeof(bool) == 1);
  StringRef name = getElementName(type);
#define FIELD(element, field)                                                                      \
  if (name == #element)                                                                            \
    return toBytes(literal.field());
  FIELD(pred, preds)
  FIELD(s1, s1s)
  FIELD(s2, s2s)
  FIELD(s4, s4s)
  FIELD(s8, s8s)
  FIELD(s16, s16s)
  FIELD(s32, s32s)
  FIELD(s64, s64s)
  FIELD(u1, u1s)
  FIELD(u2, u2s)
  FIELD(u4, u4s)
  FIELD(u8, u8s)
  FIELD(u16, u16s)
  FIELD(u32, u32s)
  FIELD(u64, u64s)
  FIELD(f16, f16s)
  FIELD(bf16, bf16s)
  FIELD(f32, f32s)
  FIELD(f64, f64s)
  FIELD(c64, c64s)
  FIELD(c128, c128s)
  FIELD(f8e5m2, f8e5m2s)
  FIELD(f8e4m3, f8e4m3s)
  FIELD(f8e4m3fn, f8e4m3fns)
  FIELD(f8e4m3b11fnuz, f8e4m3b11fnuzs)
  FIELD(f8e5m2fnuz, f8e5m2fnuzs)
  FIELD(f8e4m3fnuz, f8e4m3fnuzs)
  FIELD(f8e3m4, f8e3m4s)
  FIELD(f8e8m0fnu, f8e8m0fnus)
  FIELD(f4e2m1fn, f4e2m1fns)
  FIELD(f6e2m3fn, f6e2m3fns)
  FIELD(f6e3m2fn, f6e3m2fns)
#undef FIELD
  return {};
}

/// Spreads packed elements to the form of literals: one per byte, signed ones sign-extended.
static SmallVector<char> spreadBits(ArrayRef<char> bytes, Type type) {
  unsigned width = type.getIntOrFloatBitWidth(), unused = 8 - width;
  bool isSigned = isa<IntegerType>(type) && !type.isUnsignedInteger();
  SmallVector<char> result(bytes);
  for (char &byte : result) {
    auto high = uint8_t(uint8_t(byte) << unused);
    byte = isSigned ? char(int8_t(high) >> unused) : char(high >> unused);
  }
  return result;
}

/// Reorders elements from the order of a layout to row-major order.
static SmallVector<char> reorder(ArrayRef<char> bytes, ArrayRef<int64_t> shape,
                                 ArrayRef<int64_t> minorToMajor, int64_t elementBytes) {
  SmallVector<char> result;
  result.resize_for_overwrite(bytes.size());
  SmallVector<int64_t> strides(shape.size()), index(shape.size());
  int64_t stride = elementBytes, from = 0;
  for (int64_t dimension : minorToMajor) {
    strides[dimension] = stride;
    stride *= shape[dimension];
  }
  for (size_t to = 0; to < result.size(); to += elementBytes) {
    memcpy(result.data() + to, bytes.data() + from, elementBytes);
    for (int64_t d = int64_t(shape.size()) - 1; d >= 0; --d) {
      from += strides[d];
      if (++index[d] < shape[d])
        break;
      from -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
  return result;
}

ParseResult ProtoReader::readArrayLiteral(const proto::LiteralProto &literal, RankedTensorType type,
                                          Attribute &value) {
  RankedTensorType valueType;
  if (getValueType(type, nullptr, valueType))
    return failure();
  if (literal.dynamic_sizes_size())
    return fail("expected a constant whose sizes are those of its shape");
  Type element = type.getElementType();
  int64_t elementBytes = getLiteralElementBytes(element), count = valueType.getNumElements();
  ArrayRef<char> bytes = getElements(literal, element);
  int64_t found = int64_t(bytes.size()) / elementBytes;
  if (found != count || bytes.size() % elementBytes)
    return fail("expected " + Twine(count) + " elements of a constant of shape " +
                shapeText(valueType) + " but got " + Twine(found));
  SmallVector<char> storage;
  if (!isa<ComplexType>(element) && !element.isInteger(1) && element.getIntOrFloatBitWidth() < 8)
    bytes = storage = spreadBits(bytes, element);
  // The elements have the layout of the shape that the literal states.
  if (auto layout = dyn_cast_or_null<LayoutAttr>(type.getEncoding());
      layout && count && !llvm::is_sorted(layout.getMinorToMajor(), std::greater<>()))
    bytes = storage = reorder(bytes, valueType.getShape(), layout.getMinorToMajor(), elementBytes);
  value = makeLiteral(valueType, bytes);
  return success();
}

ParseResult ProtoReader::readLiteral(const proto::LiteralProto &literal, Type type,
                                     Attribute &value) {
  if (literal.has_shape()) {
    Type stated;
    if (readShape(literal.shape(), stated))
      return failure();
    if (!areCompatible(stated, type))
      return fail("expected a constant of shape " + shapeText(type) + " but got one of " +
                  shapeText(stated));
    type = stated;
  }
  if (auto array = dyn_cast<RankedTensorType>(type))
    return readArrayLiteral(literal, array, value);
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple)
    return fail("expected the constant to be an array or a tuple but its shape is " +
                shapeText(type));
  if (literal.tuple_literals_size() != int(tuple.size()))
    return fail("expected " + Twine(tuple.size()) + " elements of a tuple but got " +
                Twine(literal.tuple_literals_size()));
  SmallVector<Attribute> elements;
  for (auto [element, elementType] : llvm::zip(literal.tuple_literals(), tuple.getTypes()))
    if (readLiteral(element, elementType, elements.emplace_back()))
      return failure();
  value = builder.getArrayAttr(elements);
  return success();
}

} // namespace hloc::text
