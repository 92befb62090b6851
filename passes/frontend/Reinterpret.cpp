// SPDX-License-Identifier: Apache-2.0
#include "passes/frontend/Reinterpret.h"
#include "compiler/hlo/ElementType.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

/// The first `count` elements of a list, padded with zeros.
static Value resize(Build build, Value list, int64_t count) {
  int64_t size = arrayType(list).getDimSize(0);
  if (size >= count)
    return build.sliceOf(list, 0, 0, count);
  Value zero = build.scalar(arrayType(list).getElementType(), 0.0);
  return build.pad(list, zero, {0}, {count - size}, {0});
}

/// The list of alternating real and imaginary parts.
static Value splitComplex(Build build, Value list) {
  int64_t count = arrayType(list).getDimSize(0);
  Type part = cast<ComplexType>(arrayType(list).getElementType()).getElementType();
  auto partsOf = [&](auto op) { return build.reshape(op.getResult(), {count, 1}); };
  RankedTensorType type = arrayType(list).clone(part);
  Value pairs = build.concatenate({partsOf(RealOp::create(build.builder, build.loc, type, list)),
                                   partsOf(ImagOp::create(build.builder, build.loc, type, list))},
                                  1);
  return build.reshape(pairs, {2 * count});
}

static Value joinComplex(Build build, Value list, ComplexType element) {
  int64_t count = arrayType(list).getDimSize(0) / 2;
  Value pairs = build.reshape(list, {count, 2});
  auto part = [&](int64_t i) { return build.reshape(build.sliceOf(pairs, 1, i, i + 1), {count}); };
  return ComplexOp::create(build.builder, build.loc, RankedTensorType::get({count}, element),
                           part(0), part(1));
}

/// `count` elements of a real type with the bits of a list of real elements.
static Value convertList(Build build, Value list, int64_t count, Type element) {
  int64_t from = getStorageBits(arrayType(list).getElementType()), to = getStorageBits(element);
  auto convert = [&](Value value, ArrayRef<int64_t> shape) -> Value {
    return BitcastConvertOp::create(build.builder, build.loc, RankedTensorType::get(shape, element),
                                    value);
  };
  int64_t size = arrayType(list).getDimSize(0);
  if (from == to)
    return resize(build, build.bitcastConvert(list, element), count);
  if (from > to) {
    Value parts = convert(list, {size, from / to});
    return resize(build, build.reshape(parts, {size * (from / to)}), count);
  }
  Value parts = build.reshape(resize(build, list, count * (to / from)), {count, to / from});
  return convert(parts, {count});
}

Value hloc::reinterpret(Build build, Value value, ArrayRef<int64_t> shape, Type element) {
  RankedTensorType type = arrayType(value);
  bool isComplex = isa<ComplexType>(element);
  if (product(shape) == type.getNumElements() &&
      isComplex == isa<ComplexType>(type.getElementType()) &&
      getStorageBits(element) == getStorageBits(type.getElementType()))
    return build.bitcastConvert(build.reshape(value, shape), element);
  // Booleans, and types without zero, are handled as the bits of integers.
  Type u8 = IntegerType::get(element.getContext(), 8, IntegerType::Unsigned);
  auto isAsNumber = [](Type element) { return isPred(element) || isa<Float8E8M0FNUType>(element); };
  if (product(shape) == 0 || type.getNumElements() == 0) {
    Value zeros = build.zero(RankedTensorType::get(shape, isAsNumber(element) ? u8 : element));
    return build.bitcastConvert(zeros, element);
  }
  Value list = build.reshape(value, {type.getNumElements()});
  if (isa<ComplexType>(type.getElementType()))
    list = splitComplex(build, list);
  auto complex = dyn_cast<ComplexType>(element);
  if (isAsNumber(arrayType(list).getElementType()))
    list = build.bitcastConvert(list, u8);
  int64_t count = product(shape);
  if (complex)
    list =
        joinComplex(build, convertList(build, list, 2 * count, complex.getElementType()), complex);
  else if (isAsNumber(element))
    list = build.bitcastConvert(convertList(build, list, count, u8), element);
  else
    list = convertList(build, list, count, element);
  return build.reshape(list, shape);
}
