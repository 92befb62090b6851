// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/HostArray.h"
#include "compiler/hlo/ElementType.h"
#include "compiler/hlo/Literal.h"
#include "compiler/text/Shape.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>

using namespace mlir;

namespace hloc {

//===-- Elements -----------------------------------------------------------------------------===//

const runtime::Element &findElement(Type type) {
  return *runtime::findElement(std::string_view(text::getElementName(type)));
}

HostArray::HostArray(RankedTensorType type) : HostArray(type, {}) {
  bytes.resize(getCount() * hlo::getLiteralElementBytes(getElementType()));
}

HostArray::HostArray(RankedTensorType type, std::vector<char> bytes)
    : type(RankedTensorType::get(type.getShape(), type.getElementType())), bytes(std::move(bytes)) {
}

static double decodeFloat(FloatType type, const char *bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, (type.getWidth() + 7) / 8);
  if (type.isF32())
    return llvm::bit_cast<float>(uint32_t(bits));
  if (type.isF64())
    return llvm::bit_cast<double>(bits);
  APFloat value(type.getFloatSemantics(),
                APInt(type.getWidth(), bits, false, /*implicitTrunc=*/true));
  // For a type without fractions LLVM would make a NaN without a payload, which is infinity.
  return value.isNaN() ? NAN : value.convertToDouble();
}

static void encodeFloat(FloatType type, double value, char *bytes) {
  // The host's own rounding of these types is many times faster.
  if (type.isF32()) {
    float rounded = float(value);
    std::memcpy(bytes, &rounded, sizeof rounded);
    return;
  }
  if (type.isF64()) {
    std::memcpy(bytes, &value, sizeof value);
    return;
  }
  APFloat rounded(value);
  bool losesInfo;
  rounded.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  uint64_t bits = rounded.bitcastToAPInt().getZExtValue();
  std::memcpy(bytes, &bits, (type.getWidth() + 7) / 8);
}

ElementValue HostArray::get(int64_t position) const {
  Type element = getElementType();
  int64_t size = hlo::getLiteralElementBytes(element);
  const char *from = bytes.data() + position * size;
  ElementValue value;
  if (auto complex = dyn_cast<ComplexType>(element)) {
    auto part = cast<FloatType>(complex.getElementType());
    value.real = decodeFloat(part, from);
    value.imaginary = decodeFloat(part, from + size / 2);
  } else if (auto type = dyn_cast<FloatType>(element)) {
    value.real = decodeFloat(type, from);
  } else {
    uint64_t bits = 0;
    std::memcpy(&bits, from, size);
    bool isUnsigned = hlo::isZeroExtended(element);
    value.integer = isUnsigned ? int64_t(bits) : llvm::SignExtend64(bits, 8 * size);
  }
  return value;
}

void HostArray::set(int64_t position, ElementValue value) {
  Type element = getElementType();
  int64_t size = hlo::getLiteralElementBytes(element);
  char *to = bytes.data() + position * size;
  if (auto complex = dyn_cast<ComplexType>(element)) {
    auto part = cast<FloatType>(complex.getElementType());
    encodeFloat(part, value.real, to);
    encodeFloat(part, value.imaginary, to + size / 2);
  } else if (auto type = dyn_cast<FloatType>(element)) {
    encodeFloat(type, value.real, to);
  } else {
    unsigned width = element.getIntOrFloatBitWidth();
    bool isUnsigned = hlo::isZeroExtended(element);
    uint64_t bits = uint64_t(value.integer) & llvm::maskTrailingOnes<uint64_t>(width);
    int64_t wrapped = isUnsigned ? int64_t(bits) : llvm::SignExtend64(bits, width);
    std::memcpy(to, &wrapped, size);
  }
}

std::string HostArray::getText(int64_t position) const {
  ElementValue value = get(position);
  std::string text;
  llvm::raw_string_ostream out(text);
  Type element = getElementType();
  if (auto complex = dyn_cast<ComplexType>(element))
    out << llvm::format("(%.*g, %.*g)", complex.getElementType().isF64() ? 17 : 9, value.real,
                        complex.getElementType().isF64() ? 17 : 9, value.imaginary);
  else if (isa<FloatType>(element))
    out << llvm::format("%.*g", element.isF64() ? 17 : 9, value.real);
  else if (element.isUnsignedInteger())
    out << uint64_t(value.integer);
  else
    out << value.integer;
  return text;
}

//===-- Memory of compiled modules -----------------------------------------------------------===//

/// The number of elements in one byte; 1 for types that are not packed.
static int64_t elementsPerByte(Type element) {
  int64_t bits = hlo::getStorageBits(element);
  return bits < 8 && 8 % bits == 0 ? 8 / bits : 1;
}

static bool isRowMajor(ArrayRef<int64_t> minorToMajor) {
  int64_t rank = minorToMajor.size();
  return llvm::all_of(llvm::seq<int64_t>(0, rank),
                      [&](int64_t i) { return minorToMajor[i] == rank - 1 - i; });
}

/// Calls `visit(row-major position, position in memory)` for every element.
template <typename Visit>
static void forEachElement(RankedTensorType type, ArrayRef<int64_t> minorToMajor, Visit visit) {
  ArrayRef<int64_t> shape = type.getShape();
  SmallVector<int64_t> strides(shape.size(), 1), index(shape.size(), 0);
  int64_t step = 1;
  for (int64_t dimension : minorToMajor) {
    strides[dimension] = step;
    step *= shape[dimension];
  }
  int64_t place = 0;
  for (int64_t i = 0, count = type.getNumElements(); i < count; ++i) {
    visit(i, place);
    for (size_t d = shape.size(); d-- > 0;) {
      place += strides[d];
      if (++index[d] < shape[d])
        break;
      place -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
}

HostArray withShape(const HostArray &array, ArrayRef<int64_t> shape) {
  if (array.type.getShape() == shape)
    return array;
  HostArray result(array.type.clone(shape));
  int64_t size = hlo::getLiteralElementBytes(array.getElementType());
  auto stridesOf = [](ArrayRef<int64_t> sizes) {
    SmallVector<int64_t> strides(sizes.size(), 1);
    for (size_t d = sizes.size(); d-- > 1;)
      strides[d - 1] = strides[d] * sizes[d];
    return strides;
  };
  SmallVector<int64_t> fromStrides = stridesOf(array.type.getShape()), toStrides = stridesOf(shape);
  SmallVector<int64_t> common, index(shape.size(), 0);
  for (auto [from, to] : llvm::zip(array.type.getShape(), shape))
    common.push_back(std::min(from, to));
  for (int64_t left = ShapedType::getNumElements(common); left > 0; --left) {
    int64_t from = 0, to = 0;
    for (size_t d = 0; d < index.size(); ++d) {
      from += index[d] * fromStrides[d];
      to += index[d] * toStrides[d];
    }
    std::memcpy(&result.bytes[to * size], &array.bytes[from * size], size);
    for (size_t d = index.size(); d-- > 0 && ++index[d] == common[d];)
      index[d] = 0;
  }
  return result;
}

int64_t getMemoryBytes(RankedTensorType type) {
  int64_t bytes = type.getNumElements() * hlo::getLiteralElementBytes(type.getElementType());
  return llvm::divideCeil(bytes, elementsPerByte(type.getElementType()));
}

void toMemory(const HostArray &array, ArrayRef<int64_t> minorToMajor, char *memory) {
  Type element = array.getElementType();
  int64_t packed = elementsPerByte(element), size = hlo::getLiteralElementBytes(element);
  std::vector<char> ordered;
  const char *from = array.bytes.data();
  if (!isRowMajor(minorToMajor)) {
    ordered.resize(array.bytes.size());
    forEachElement(array.type, minorToMajor, [&](int64_t i, int64_t place) {
      std::memcpy(&ordered[place * size], from + i * size, size);
    });
    from = ordered.data();
  }
  if (array.bytes.empty())
    return;
  if (packed == 1) {
    std::memcpy(memory, from, array.bytes.size());
    return;
  }
  int64_t bits = 8 / packed;
  std::memset(memory, 0, getMemoryBytes(array.type));
  for (int64_t i = 0, count = array.getCount(); i < count; ++i)
    memory[i / packed] |=
        char((from[i] & llvm::maskTrailingOnes<uint8_t>(bits)) << (i % packed * bits));
}

HostArray fromMemory(RankedTensorType type, ArrayRef<int64_t> minorToMajor, const char *memory) {
  HostArray array(type);
  Type element = array.getElementType();
  int64_t packed = elementsPerByte(element), size = hlo::getLiteralElementBytes(element);
  std::vector<char> unpacked;
  if (packed > 1) {
    int64_t bits = 8 / packed;
    bool isSigned = isa<IntegerType>(element) && !hlo::isZeroExtended(element);
    unpacked.resize(array.bytes.size());
    for (int64_t i = 0, count = array.getCount(); i < count; ++i) {
      uint64_t value = uint8_t(memory[i / packed]) >> (i % packed * bits) &
                       llvm::maskTrailingOnes<uint8_t>(bits);
      unpacked[i] = isSigned ? char(llvm::SignExtend64(value, bits)) : char(value);
    }
    memory = unpacked.data();
  }
  if (!isRowMajor(minorToMajor))
    forEachElement(array.type, minorToMajor, [&](int64_t i, int64_t place) {
      std::memcpy(&array.bytes[i * size], memory + place * size, size);
    });
  else if (!array.bytes.empty())
    std::memcpy(array.bytes.data(), memory, array.bytes.size());
  return array;
}

} // namespace hloc
