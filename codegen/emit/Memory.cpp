// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/Memory.h"
#include "codegen/emit/Interleave.h"
#include "codegen/emit/UnitAccess.h"
#include "codegen/math/Math.h"
#include "compiler/target/VectorAccess.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

Value movePointer(IndexBuilder &index, Value pointer, Value bytes) {
  if (getConstant(bytes) == 0)
    return pointer;
  auto &b = index.b;
  Value offset = b.createOrFold<arith::IndexCastOp>(b.getI64Type(), bytes);
  return LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{offset});
}

int64_t getByteSize(RankedTensorType type) {
  return (type.getNumElements() * getStorageBits(type.getElementType()) + 7) / 8;
}

VectorIndex linearize(IndexBuilder &index, ArrayRef<int64_t> shape, ArrayRef<VectorIndex> at) {
  // Rejoin dimensions into which a reshape split one index.
  SmallVector<int64_t> sizes;
  SmallVector<VectorIndex> parts;
  for (auto [size, x] : llvm::zip_equal(shape, at)) {
    sizes.push_back(size);
    parts.push_back(x);
    while (parts.size() > 1) {
      std::optional<VectorIndex> whole =
          index.rejoin(parts[parts.size() - 2], parts.back(), sizes.back());
      if (!whole)
        break;
      int64_t inner = sizes.pop_back_val();
      sizes.back() *= inner;
      parts.pop_back();
      parts.back() = *whole;
    }
  }
  VectorIndex position = index.uniform(0);
  for (auto [stride, x] : llvm::zip_equal(getRowMajorStrides(sizes), parts))
    position = index.add(position, index.multiply(x, stride));
  return position;
}

Value emitNonZero(ImplicitLocOpBuilder &b, Value x) {
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(x.getType()));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, x, zero);
}

VectorValue broadcastLanes(IndexBuilder &index, VectorValue value) {
  auto widen = [&](Value part) -> Value {
    if (!part || isa<VectorType>(part.getType()) || index.getLanes() == 1)
      return part;
    return index.splat(part);
  };
  return {widen(value.re), widen(value.im)};
}

/// Lanes along a dimension of stride `count`, in either direction: element `which` of each `count`
/// adjacent ones.
struct Interleaved {
  VectorIndex start; ///< position of the lowest group of `count`; lanes count groups
  int64_t count = 1, which = 0;
  bool isReversed = false;
};

static std::optional<Interleaved> matchInterleaved(IndexBuilder &index, ArrayRef<int64_t> shape,
                                                   ArrayRef<VectorIndex> at) {
  Interleaved result;
  int64_t rank = shape.size(), d = rank - 1;
  for (; d >= 0 && at[d].isUniform(); --d) {
    std::optional<int64_t> known = getConstant(at[d].base);
    if (!known)
      return std::nullopt;
    result.which += *known * result.count;
    result.count *= shape[d];
  }
  if (d < 0 || !at[d].base || std::abs(at[d].stride) != 1 || result.count < 2 ||
      result.count > kMostInterleaved ||
      !llvm::all_of(at.take_front(d), [](const VectorIndex &x) { return x.isUniform(); }))
    return std::nullopt;
  VectorIndex lowest = linearize(index, shape.take_front(d + 1), at.take_front(d + 1));
  result.isReversed = at[d].stride < 0;
  if (result.isReversed)
    lowest = index.add(lowest, 1 - index.getLanes());
  result.start = index.multiply(lowest, result.count);
  return result;
}

/// The elements of `vector` that are number `which` in their group of `count`.
static Value takeOfGroups(ImplicitLocOpBuilder &b, Value vector, int64_t count, int64_t which) {
  SmallVector<int64_t> order;
  for (int64_t i = which, lanes = cast<VectorType>(vector.getType()).getNumElements(); i < lanes;
       i += count)
    order.push_back(i);
  return vector::ShuffleOp::create(b, vector, vector, order);
}

/// Lanes that are anywhere in an array: element `which` of `count` adjacent ones.
struct GatheredGroup {
  ElementIndex first;
  int64_t count, which;
};

static std::optional<GatheredGroup> matchGatheredGroup(IndexBuilder &index, RankedTensorType type,
                                                       ArrayRef<VectorIndex> at) {
  std::optional<int64_t> known =
      !at.empty() && at.back().isUniform() ? getConstant(at.back().base) : std::nullopt;
  int64_t bits = getStorageBits(type.getElementType());
  if (!known || bits < 8 || isa<ComplexType>(type.getElementType()))
    return std::nullopt;
  if (*known < 0 || *known >= type.getShape().back()) // where no lane is active
    return std::nullopt;
  int64_t count = getGatheredGroup(bits, type.getShape().back(), *known), which = *known % count;
  GatheredGroup group{ElementIndex(at), count, which};
  group.first.back() = index.uniform(*known - which);
  return count > 1 ? std::optional(group) : std::nullopt;
}

/// Lanes are rows, `stride` elements apart. Those of the first are `columns` adjacent elements from
/// `first` on, and number `which` of them is wanted.
struct RowTile {
  Value first;
  int64_t stride, columns, which;
};

static std::optional<RowTile> matchRowTile(IndexBuilder &index, RankedTensorType type,
                                           ArrayRef<VectorIndex> at, VectorIndex position) {
  if (at.empty() || !at.back().isUniform() || !position.base ||
      isa<ComplexType>(type.getElementType()))
    return std::nullopt;
  int64_t columns = getTileColumns(getStorageBits(type.getElementType()), index.getLanes()),
          size = type.getShape().back(), which = at.back().which,
          among = at.back().size == size ? at.back().among : 0;
  if (std::optional<int64_t> known = getConstant(at.back().base)) {
    which = *known;
    among = size;
  }
  if (columns == 1 || columns > among || which < 0 || which >= among)
    return std::nullopt;
  int64_t start = std::min(which / columns * columns, among - columns);
  VectorIndex lowest{position.base, 0, 1, {}};
  return RowTile{index.add(lowest, start - which).base, position.stride, columns, which - start};
}

static Value getRowStart(IndexBuilder &index, const RowTile &tile, int64_t lane) {
  return index.add({tile.first, 0, 1, {}}, lane * tile.stride).base;
}

/// The machine type of one element in memory (of one part, for complex numbers).
static Type getUnitType(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  if (element.isF32() || element.isF64())
    return element;
  unsigned width = std::max(8u, element.getIntOrFloatBitWidth());
  return IntegerType::get(element.getContext(), width);
}

static UnitAccess unitsOf(IndexBuilder &index, MemoryArray array, Type unit) {
  return UnitAccess(index, array.pointer, unit,
                    getByteSize(array.type) * 8 / unit.getIntOrFloatBitWidth());
}

static Value constantLike(ImplicitLocOpBuilder &b, Value value, int64_t number) {
  Type type = value.getType();
  Attribute scalar = b.getIntegerAttr(getElementTypeOrSelf(type), number);
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(b, DenseElementsAttr::get(vector, scalar));
  return arith::ConstantOp::create(b, cast<TypedAttr>(scalar));
}

/// If the lanes of `at`, whose row-major position is `position`, are whole contiguous bytes of
/// `perByte` elements each: the index of the first byte; else null.
static Value findFirstByte(IndexBuilder &index, ArrayRef<int64_t> shape, ArrayRef<VectorIndex> at,
                           VectorIndex position, int64_t perByte) {
  if (!position.base || position.stride != 1 || index.getLanes() % perByte != 0 ||
      position.multiple % perByte != 0)
    return {};
  // Inactive lanes may begin before the array.
  Value shift = index.constant(llvm::Log2_64(perByte));
  auto inBytes = [&](VectorIndex x) {
    return VectorIndex{
        index.b.createOrFold<arith::ShRSIOp>(x.base, shift), 1, x.multiple / perByte, {}};
  };
  // Rows are whole bytes: divide once for all of them.
  const VectorIndex &minor = at.back();
  if (shape.back() % perByte != 0 || !minor.base || minor.multiple % perByte != 0)
    return inBytes(position).base;
  SmallVector<int64_t> sizes(shape);
  ElementIndex bytes(at);
  sizes.back() /= perByte;
  bytes.back() = inBytes(minor);
  return linearize(index, sizes, bytes).base;
}

/// The bytes that contain an active element.
static Value maskOfBytes(ImplicitLocOpBuilder &b, Value mask, int64_t perByte) {
  if (!mask)
    return {};
  Value any = takeOfGroups(b, mask, perByte, 0);
  for (int64_t i = 1; i < perByte; ++i)
    any = arith::OrIOp::create(b, any, takeOfGroups(b, mask, perByte, i));
  return any;
}

/// Loads whole bytes, and returns their elements from byte `first` on.
static Value loadWholeBytes(IndexBuilder &index, MemoryArray array, Value first, Mask mask,
                            int64_t perByte) {
  auto &b = index.b;
  auto type = VectorType::get({index.getLanes() / perByte}, b.getI8Type());
  Value bytes = unitsOf(index, array, b.getI8Type())
                    .loadConsecutive(first, type, maskOfBytes(b, index.asVector(mask), perByte));
  // Interleave what is `step` elements apart, with half the step each time.
  for (int64_t step = perByte / 2; step > 0; step /= 2) {
    Value upper = arith::ShRUIOp::create(b, bytes, constantLike(b, bytes, step * (8 / perByte)));
    bytes = vector::InterleaveOp::create(b, bytes, upper);
  }
  return bytes;
}

/// Loads elements of less than a byte: finds the byte of each, and the position of its bits.
static VectorValue loadPacked(IndexBuilder &index, MemoryArray array, ArrayRef<VectorIndex> at,
                              VectorIndex position, Mask mask) {
  auto &b = index.b;
  unsigned width = array.type.getElementType().getIntOrFloatBitWidth();
  int64_t perByte = 8 / width;
  Value bits;
  if (Value first = findFirstByte(index, array.type.getShape(), at, position, perByte)) {
    bits = loadWholeBytes(index, array, first, mask, perByte);
  } else {
    // Arithmetic on positions requires that they be non-negative in all lanes.
    position = mask ? index.orZero(position, mask) : position;
    auto [low, high] = index.divideWithRemainder(
        position.isUniform() ? position : VectorIndex{{}, 0, 1, index.asVector(position)}, perByte);
    Value bytes = unitsOf(index, array, b.getI8Type()).load(high, mask);
    Value shift;
    if (low.isUniform()) {
      shift = b.createOrFold<arith::IndexCastOp>(b.getI8Type(), low.base);
    } else {
      Value amount = index.asVector(low);
      shift = arith::TruncIOp::create(b, shapedLike(amount, b.getI8Type()), amount);
    }
    shift = arith::MulIOp::create(b, shift, constantLike(b, shift, width));
    bits = arith::ShRUIOp::create(b, bytes, shift);
  }
  return {arith::TruncIOp::create(b, shapedLike(bits, b.getIntegerType(width)), bits), {}};
}

static void storePacked(IndexBuilder &index, MemoryArray array, ArrayRef<VectorIndex> at,
                        VectorIndex position, Value value, Mask mask) {
  auto &b = index.b;
  unsigned width = array.type.getElementType().getIntOrFloatBitWidth();
  int64_t perByte = 8 / width;
  UnitAccess bytesOf = unitsOf(index, array, b.getI8Type());
  Value wide = arith::ExtUIOp::create(b, shapedLike(value, b.getI8Type()), value);
  if (Value first = findFirstByte(index, array.type.getShape(), at, position, perByte)) {
    // Inactive lanes are zero, so that a partial last byte is well defined.
    Value maskVector = index.asVector(mask);
    if (maskVector)
      wide = arith::SelectOp::create(b, maskVector, wide, constantLike(b, wide, 0));
    Value packed = takeOfGroups(b, wide, perByte, 0);
    for (int64_t i = 1; i < perByte; ++i) {
      Value shifted = arith::ShLIOp::create(b, takeOfGroups(b, wide, perByte, i),
                                            constantLike(b, packed, i * width));
      packed = arith::OrIOp::create(b, packed, shifted);
    }
    return bytesOf.storeConsecutive(first, packed, maskOfBytes(b, maskVector, perByte));
  }
  // One element at a time, into the byte that contains it.
  for (int64_t lane = 0; lane < index.getLanes(); ++lane) {
    auto scalarOf = [&](Value vector) -> Value {
      return isa<VectorType>(vector.getType())
                 ? Value(vector::ExtractOp::create(b, vector, ArrayRef<int64_t>{lane}))
                 : vector;
    };
    IndexBuilder single(b, 1, index.getLaneType());
    Value at = position.isUniform() ? position.base
                                    : b.createOrFold<arith::IndexCastOp>(
                                          b.getIndexType(), scalarOf(index.asVector(position)));
    Mask laneMask{mask.uniform, {}};
    if (mask.lanes)
      laneMask = single.both(laneMask, {scalarOf(mask.lanes), {}});
    auto [low, high] = single.divideWithRemainder(single.uniform(at), perByte);
    UnitAccess byteOf = unitsOf(single, array, b.getI8Type());
    Value old = byteOf.load(high, laneMask);
    Value shift = arith::IndexCastOp::create(b, b.getI8Type(), low.base);
    shift = arith::MulIOp::create(b, shift, constantLike(b, shift, width));
    Value ones = constantLike(b, old, (1 << width) - 1);
    Value keep =
        arith::XOrIOp::create(b, arith::ShLIOp::create(b, ones, shift), constantLike(b, old, -1));
    Value bits = arith::ShLIOp::create(b, scalarOf(wide), shift);
    byteOf.store(high, arith::OrIOp::create(b, arith::AndIOp::create(b, old, keep), bits),
                 laneMask);
    if (position.isUniform())
      return;
  }
}

static VectorValue fromUnits(ImplicitLocOpBuilder &b, Type element, Value units) {
  return {hlo::isPred(element) ? emitNonZero(b, units) : units, {}};
}

static Value toUnits(ImplicitLocOpBuilder &b, Type element, Value value) {
  return hlo::isPred(element)
             ? Value(arith::ExtUIOp::create(b, shapedLike(value, b.getI8Type()), value))
             : value;
}

VectorValue loadElements(IndexBuilder &index, MemoryArray array, ArrayRef<VectorIndex> at,
                         Mask mask) {
  auto &b = index.b;
  Type element = array.type.getElementType();
  if (array.type.getNumElements() == 0) { // such as a gather's clamped index
    auto complex = dyn_cast<ComplexType>(element);
    Type part = complex ? complex.getElementType() : getRegisterType(element);
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(part));
    return {zero, complex ? zero : Value()};
  }
  Type unit = getUnitType(element);
  if (!mask && !isa<ComplexType>(element) && getStorageBits(element) >= 8 && index.getLanes() > 1)
    if (auto few = matchInterleaved(index, array.type.getShape(), at)) {
      UnitAccess units = unitsOf(index, array, unit);
      SmallVector<Value> vectors;
      for (int64_t i = 0; i < few->count; ++i)
        vectors.push_back(
            units.loadConsecutive(index.add({few->start.base, 0, 1, {}}, i * index.getLanes()).base,
                                  VectorType::get({index.getLanes()}, unit), {}));
      Value taken = deinterleave(b, vectors, few->which);
      return fromUnits(b, element, few->isReversed ? units.reversed(taken) : taken);
    }
  VectorIndex position = linearize(index, array.type.getShape(), at);
  bool isGathered =
      !position.isUniform() && (!position.base || std::abs(position.stride) > kMostInterleaved);
  if (auto tile =
          isGathered && !mask ? matchRowTile(index, array.type, at, position) : std::nullopt) {
    UnitAccess units = unitsOf(index, array, unit);
    SmallVector<Value> rows;
    for (int64_t lane = 0; lane < index.getLanes(); ++lane)
      rows.push_back(units.loadConsecutive(getRowStart(index, *tile, lane),
                                           VectorType::get({tile->columns}, unit), {}));
    return fromUnits(b, element, takeColumn(b, rows, tile->which));
  }
  if (auto group = isGathered ? matchGatheredGroup(index, array.type, at) : std::nullopt) {
    Type whole = b.getIntegerType(group->count * getStorageBits(element));
    Value gathered =
        unitsOf(index, array, unit)
            .gather(linearize(index, array.type.getShape(), group->first), whole, mask);
    auto type = VectorType::get({index.getLanes() * group->count}, unit);
    Value elements = vector::BitCastOp::create(b, type, gathered);
    return fromUnits(b, element, takeOfGroups(b, elements, group->count, group->which));
  }
  if (isa<ComplexType>(element)) {
    UnitAccess parts = unitsOf(index, array, unit);
    if (position.base && position.stride == 1) {
      auto type = VectorType::get({2 * index.getLanes()}, unit);
      Value maskVector = index.asVector(mask);
      if (maskVector)
        maskVector = vector::InterleaveOp::create(b, maskVector, maskVector);
      Value base = index.multiply(position, 2).base;
      Value both = parts.loadConsecutive(base, type, maskVector);
      auto split = vector::DeinterleaveOp::create(b, both);
      return {split.getRes1(), split.getRes2()};
    }
    VectorIndex re = index.multiply(position, 2);
    return {parts.load(re, mask), parts.load(index.add(re, 1), mask)};
  }
  if (getStorageBits(element) < 8)
    return loadPacked(index, array, at, position, mask);
  return fromUnits(b, element, unitsOf(index, array, unit).load(position, mask));
}

void storeElements(IndexBuilder &index, MemoryArray array, ArrayRef<VectorIndex> at,
                   VectorValue value, Mask mask) {
  auto &b = index.b;
  Type element = array.type.getElementType();
  VectorIndex position = linearize(index, array.type.getShape(), at);
  if (!position.isUniform())
    value = broadcastLanes(index, value);
  Type unit = getUnitType(element);
  if (isa<ComplexType>(element)) {
    UnitAccess parts = unitsOf(index, array, unit);
    if (position.base && position.stride == 1) {
      Value both = vector::InterleaveOp::create(b, value.re, value.im);
      Value maskVector = index.asVector(mask);
      if (maskVector)
        maskVector = vector::InterleaveOp::create(b, maskVector, maskVector);
      return parts.storeConsecutive(index.multiply(position, 2).base, both, maskVector);
    }
    VectorIndex re = index.multiply(position, 2);
    parts.store(re, value.re, mask);
    return parts.store(index.add(re, 1), value.im, mask);
  }
  if (getStorageBits(element) < 8)
    return storePacked(index, array, at, position, value.re, mask);
  unitsOf(index, array, unit).store(position, toUnits(b, element, value.re), mask);
}

void prefetchElement(IndexBuilder &index, MemoryArray array, ArrayRef<VectorIndex> at) {
  VectorIndex position = linearize(index, array.type.getShape(), at);
  Type element = array.type.getElementType();
  if (int64_t bits = getStorageBits(element); bits < 8)
    position = index.divideWithRemainder(position, 8 / bits).second;
  unitsOf(index, array, getUnitType(element)).prefetch(position);
}

bool storeTogether(IndexBuilder &index, MemoryArray array, ArrayRef<VectorIndex> first,
                   ArrayRef<VectorValue> values, Mask mask) {
  auto &b = index.b;
  Type element = array.type.getElementType();
  if (isa<ComplexType>(element) || getStorageBits(element) < 8 || index.getLanes() == 1)
    return false;
  UnitAccess units = unitsOf(index, array, getUnitType(element));
  int64_t lanes = index.getLanes(), count = values.size();
  auto getVectors = [&] {
    return llvm::map_to_vector(values, [&](VectorValue value) {
      return toUnits(b, element, broadcastLanes(index, value).re);
    });
  };
  auto few = matchInterleaved(index, array.type.getShape(), first);
  if (!few) {
    VectorIndex position = linearize(index, array.type.getShape(), first);
    auto tile = mask ? std::nullopt : matchRowTile(index, array.type, first, position);
    if (!tile || tile->which != 0 || tile->columns != count)
      return false;
    SmallVector<Value> columns = getVectors();
    for (int64_t lane = 0; lane < lanes; ++lane)
      units.storeConsecutive(getRowStart(index, *tile, lane), takeRow(b, columns, lane), {});
    return true;
  }
  if (few->which != 0 || few->isReversed || few->count != count)
    return false;
  SmallVector<Value> rows = interleave(b, getVectors()), masks(rows.size());
  if (Value maskVector = index.asVector(mask))
    masks = interleave(b, SmallVector<Value>(rows.size(), maskVector));
  for (auto [i, row] : llvm::enumerate(rows))
    units.storeConsecutive(index.add({few->start.base, 0, 1, {}}, i * lanes).base, row, masks[i]);
  return true;
}

} // namespace hloc
