// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/Memory.h"
#include "codegen/KernelEmission.h"
#include "codegen/emit/Interleave.h"
#include "codegen/math/Math.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace hloc {

int64_t getByteSize(RankedTensorType type) {
  return (type.getNumElements() * getStorageBits(type.getElementType()) + 7) / 8;
}

VectorIndex linearize(IndexBuilder &index, ArrayRef<int64_t> shape, ArrayRef<VectorIndex> at) {
  // Dimensions into which a reshape split one index are one again.
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

/// Elements beside each other, up to which whole vectors are loaded or stored and shuffled.
static constexpr int64_t kMaxInterleaved = 8;

namespace {

/// Accesses to units of one machine type: what arrays of all element types are made of.
class UnitAccess {
public:
  UnitAccess(IndexBuilder &index, Value pointer, Type unit)
      : index(index), b(index.b), pointer(pointer), unit(unit),
        bytes(unit.getIntOrFloatBitWidth() / 8) {}

  Value load(VectorIndex at, Mask mask) {
    if (at.isUniform()) {
      at = index.orZero(at, mask);
      return LLVM::LoadOp::create(b, unit, address(at), bytes);
    }
    VectorType type = VectorType::get({index.getLanes()}, unit);
    Value maskVector = index.asVector(mask);
    if (at.base && at.stride == 1)
      return loadConsecutive(at.base, type, maskVector);
    if (at.base && at.stride == -1)
      return reversed(
          loadConsecutive(lowest(at), type, maskVector ? backwards(maskVector) : Value()));
    std::optional<int64_t> live = countFirstLanes(maskVector);
    if (at.base && at.stride > 1 && at.stride <= std::min(kMaxInterleaved, index.getLanes()) &&
        live)
      return loadStrided(at, type, *live);
    return LLVM::masked_gather::create(b, type, addresses(at), maskOrAll(maskVector),
                                       ValueRange{zero(type)}, bytes);
  }

  void store(VectorIndex at, Value value, Mask mask) {
    if (at.isUniform()) {
      Value condition = index.anyLane(mask);
      auto write = [&](OpBuilder &, Location) {
        LLVM::StoreOp::create(b, value, address(at), bytes);
      };
      if (!condition)
        return write(b, b.getLoc());
      scf::IfOp guard = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard inside(b);
      b.setInsertionPointToStart(&guard.getThenRegion().front());
      return write(b, b.getLoc());
    }
    Value maskVector = index.asVector(mask);
    if (at.base && at.stride == -1) {
      value = reversed(value);
      maskVector = maskVector ? backwards(maskVector) : Value();
      at = {lowest(at), 1, 1, {}};
    }
    if (at.base && at.stride == 1) {
      if (!maskVector)
        LLVM::StoreOp::create(b, value, address(at), bytes);
      else
        LLVM::MaskedStoreOp::create(b, value, address(at), maskVector, bytes);
      return;
    }
    LLVM::masked_scatter::create(b, value, addresses(at), maskOrAll(maskVector), bytes);
  }

  void prefetch(VectorIndex at) {
    LLVM::Prefetch::create(b, address(at), /*rw=*/0, /*hint=*/2, /*cache=*/1);
  }

  /// `count` consecutive units from `base`.
  Value loadConsecutive(Value base, VectorType type, Value maskVector) {
    Value at = address({base, 1, 1, {}});
    if (!maskVector)
      return LLVM::LoadOp::create(b, type, at, bytes);
    return LLVM::MaskedLoadOp::create(b, type, at, maskVector, zero(type), bytes);
  }

  /// Every so-manieth of the units from a base for the first `live` lanes: all units between are
  /// loaded, but none past the last that is wanted.
  Value loadStrided(VectorIndex at, VectorType type, int64_t live) {
    int64_t lanes = index.getLanes(), wanted = (live - 1) * at.stride + 1,
            lastStart = wanted - lanes;
    SmallVector<Value> vectors;
    for (int64_t start = 0; start < wanted; start += lanes) {
      bool movesBack = start > lastStart && lastStart >= 0;
      Value base = index.add(index.uniform(at.base), movesBack ? lastStart : start).base;
      vectors.push_back(loadConsecutive(
          base, type, movesBack ? Value() : index.asVector(firstLanes(index, wanted - start))));
    }
    int64_t before = (int64_t(vectors.size()) - 1) * lanes;
    if (vectors.size() == 1)
      vectors.push_back(vectors[0]);
    return pickLanes(b, vectors, [&](int64_t lane) {
      int64_t number = lane < live ? lane * at.stride : 0;
      return number < before || before == 0 ? number : before + number - lastStart;
    });
  }

  void storeConsecutive(Value base, Value value, Value maskVector) {
    Value at = address({base, 1, 1, {}});
    if (!maskVector)
      LLVM::StoreOp::create(b, value, at, bytes);
    else
      LLVM::MaskedStoreOp::create(b, value, at, maskVector, bytes);
  }

private:
  /// How many lanes take part if they are known to be the first ones.
  std::optional<int64_t> countFirstLanes(Value maskVector) {
    if (!maskVector)
      return index.getLanes();
    DenseElementsAttr bits;
    if (!matchPattern(maskVector, m_Constant(&bits)))
      return std::nullopt;
    auto lanes = llvm::to_vector(bits.getValues<bool>());
    int64_t live = llvm::count(lanes, true);
    bool areFirst = llvm::all_of(ArrayRef(lanes).take_front(live), [](bool lane) { return lane; });
    return areFirst && live > 0 ? std::optional(live) : std::nullopt;
  }

  Value zero(VectorType type) { return arith::ConstantOp::create(b, b.getZeroAttr(type)); }

  Value address(VectorIndex at) {
    auto advance = [&](Value from, LLVM::GEPArg by) -> Value {
      return LLVM::GEPOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), unit, from,
                                 ArrayRef(by));
    };
    SplitIndex parts = splitConstant(at.base);
    Value result = pointer;
    if (parts.variable)
      result = advance(result, b.createOrFold<arith::IndexCastOp>(b.getI64Type(), parts.variable));
    if (parts.constant == 0)
      return result;
    // A GEP's own constants have few bits.
    return advance(result,
                   LLVM::ConstantOp::create(b, b.getI64Type(), b.getI64IntegerAttr(parts.constant))
                       .getResult());
  }

  Value addresses(VectorIndex at) {
    Value offsets = index.asVector(at);
    auto type = VectorType::get({index.getLanes()}, LLVM::LLVMPointerType::get(b.getContext()));
    return LLVM::GEPOp::create(b, type, unit, pointer, ArrayRef<LLVM::GEPArg>{offsets});
  }

  Value lowest(VectorIndex at) {
    return b.createOrFold<arith::SubIOp>(at.base, index.constant(index.getLanes() - 1));
  }

  /// Bytes turn round in words, and words in the vector: LLVM's lowering of a shuffle of 64 bytes,
  /// of which what follows may want a part only, may not end.
  Value reversed(Value vector) {
    auto type = cast<VectorType>(vector.getType());
    int64_t lanes = type.getNumElements();
    if (unit.getIntOrFloatBitWidth() != 8 || lanes % 8 != 0)
      return backwards(vector);
    Value words =
        vector::BitCastOp::create(b, VectorType::get({lanes / 8}, b.getI64Type()), vector);
    return vector::BitCastOp::create(b, type, LLVM::ByteSwapOp::create(b, backwards(words)));
  }

  Value backwards(Value vector) {
    SmallVector<int64_t> order;
    for (int64_t lane = cast<VectorType>(vector.getType()).getNumElements() - 1; lane >= 0; --lane)
      order.push_back(lane);
    return vector::ShuffleOp::create(b, vector, vector, order);
  }

  Value maskOrAll(Value maskVector) {
    if (maskVector)
      return maskVector;
    auto type = VectorType::get({index.getLanes()}, b.getI1Type());
    return arith::ConstantOp::create(b, DenseElementsAttr::get(type, true));
  }

  IndexBuilder &index;
  ImplicitLocOpBuilder &b;
  Value pointer;
  Type unit;
  unsigned bytes;
};

} // namespace

/// VectorValue along a dimension whose neighbours are a few units apart, the same one of each few.
struct Interleaved {
  VectorIndex start; ///< position of the first few, lanes consecutive in units of a few
  int64_t count = 1, which = 0;
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
  if (d < 0 || !at[d].base || at[d].stride != 1 || result.count < 2 ||
      result.count > kMaxInterleaved ||
      !llvm::all_of(at.take_front(d), [](const VectorIndex &x) { return x.isUniform(); }))
    return std::nullopt;
  result.start =
      index.multiply(linearize(index, shape.take_front(d + 1), at.take_front(d + 1)), result.count);
  return result;
}

/// The machine type in memory of one element (for complex, of one part).
static Type getUnitType(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  if (element.isF32() || element.isF64())
    return element;
  unsigned width = std::max(8u, element.getIntOrFloatBitWidth());
  return IntegerType::get(element.getContext(), width);
}

static Type shapedLike(Value value, Type element) {
  auto vector = dyn_cast<VectorType>(value.getType());
  return vector ? Type(VectorType::get(vector.getShape(), element)) : element;
}

static Value constantLike(ImplicitLocOpBuilder &b, Value value, int64_t number) {
  Type type = value.getType();
  Attribute scalar = b.getIntegerAttr(getElementTypeOrSelf(type), number);
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(b, DenseElementsAttr::get(vector, scalar));
  return arith::ConstantOp::create(b, cast<TypedAttr>(scalar));
}

/// Sub-byte elements: the byte each lies in and how far up its bits are.
static VectorValue loadPacked(IndexBuilder &index, MemoryArray array, VectorIndex position,
                              Mask mask) {
  auto &b = index.b;
  unsigned width = array.type.getElementType().getIntOrFloatBitWidth();
  int64_t perByte = 8 / width;
  // Unmasked arithmetic on positions wants them non-negative.
  position = mask ? index.orZero(position, mask) : position;
  auto [low, high] = index.divideWithRemainder(
      position.isUniform() ? position : VectorIndex{{}, 0, 1, index.asVector(position)}, perByte);
  Value bytes = UnitAccess(index, array.pointer, b.getI8Type()).load(high, mask);
  Value shift;
  if (low.isUniform()) {
    shift = b.createOrFold<arith::IndexCastOp>(b.getI8Type(), low.base);
  } else {
    Value amount = index.asVector(low);
    shift = arith::TruncIOp::create(b, shapedLike(amount, b.getI8Type()), amount);
  }
  shift = arith::MulIOp::create(b, shift, constantLike(b, shift, width));
  Value bits = arith::ShRUIOp::create(b, bytes, shift);
  return {arith::TruncIOp::create(b, shapedLike(bits, b.getIntegerType(width)), bits), {}};
}

static void storePacked(IndexBuilder &index, MemoryArray array, VectorIndex position, Value value,
                        Mask mask) {
  auto &b = index.b;
  unsigned width = array.type.getElementType().getIntOrFloatBitWidth();
  int64_t perByte = 8 / width;
  UnitAccess bytesOf(index, array.pointer, b.getI8Type());
  Value wide = arith::ExtUIOp::create(b, shapedLike(value, b.getI8Type()), value);
  if (position.base && position.stride == 1 && index.getLanes() % perByte == 0 &&
      position.multiple % perByte == 0) {
    // VectorValue that do not take part are zero, so that a last byte that is not full is well
    // defined.
    Value maskVector = index.asVector(mask);
    if (maskVector)
      wide = arith::SelectOp::create(b, maskVector, wide, constantLike(b, wide, 0));
    int64_t count = index.getLanes() / perByte;
    auto part = [&](Value vector, int64_t which) {
      SmallVector<int64_t> order;
      for (int64_t i = 0; i < count; ++i)
        order.push_back(i * perByte + which);
      return Value(vector::ShuffleOp::create(b, vector, vector, order));
    };
    Value packed = part(wide, 0), any = maskVector ? part(maskVector, 0) : Value();
    for (int64_t i = 1; i < perByte; ++i) {
      Value shifted = arith::ShLIOp::create(b, part(wide, i), constantLike(b, packed, i * width));
      packed = arith::OrIOp::create(b, packed, shifted);
      if (any)
        any = arith::OrIOp::create(b, any, part(maskVector, i));
    }
    Value base = b.createOrFold<arith::DivUIOp>(position.base, index.constant(perByte));
    return bytesOf.storeConsecutive(base, packed, any);
  }
  // One element at a time, into the byte that holds it.
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
    UnitAccess byteOf(single, array.pointer, b.getI8Type());
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
  if (array.type.getNumElements() == 0) { // a gather's clamped index finds nothing either
    auto complex = dyn_cast<ComplexType>(element);
    Type part = complex ? complex.getElementType() : getRegisterType(element);
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(part));
    return {zero, complex ? zero : Value()};
  }
  Type unit = getUnitType(element);
  if (!mask && !isa<ComplexType>(element) && getStorageBits(element) >= 8 && index.getLanes() > 1)
    if (auto few = matchInterleaved(index, array.type.getShape(), at)) {
      UnitAccess units(index, array.pointer, unit);
      SmallVector<Value> vectors;
      for (int64_t i = 0; i < few->count; ++i)
        vectors.push_back(
            units.loadConsecutive(index.add({few->start.base, 0, 1, {}}, i * index.getLanes()).base,
                                  VectorType::get({index.getLanes()}, unit), {}));
      return fromUnits(b, element, deinterleave(b, vectors, few->which));
    }
  VectorIndex position = linearize(index, array.type.getShape(), at);
  if (isa<ComplexType>(element)) {
    UnitAccess parts(index, array.pointer, unit);
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
    return loadPacked(index, array, position, mask);
  return fromUnits(b, element, UnitAccess(index, array.pointer, unit).load(position, mask));
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
    UnitAccess parts(index, array.pointer, unit);
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
    return storePacked(index, array, position, value.re, mask);
  UnitAccess(index, array.pointer, unit).store(position, toUnits(b, element, value.re), mask);
}

void prefetchElement(IndexBuilder &index, MemoryArray array, ArrayRef<VectorIndex> at) {
  VectorIndex position = linearize(index, array.type.getShape(), at);
  UnitAccess(index, array.pointer, getUnitType(array.type.getElementType())).prefetch(position);
}

bool storeInterleaved(IndexBuilder &index, MemoryArray array, ArrayRef<VectorIndex> first,
                      ArrayRef<VectorValue> values, Mask mask) {
  auto &b = index.b;
  Type element = array.type.getElementType();
  if (isa<ComplexType>(element) || getStorageBits(element) < 8 || index.getLanes() == 1)
    return false;
  auto few = matchInterleaved(index, array.type.getShape(), first);
  if (!few || few->which != 0 || few->count != int64_t(values.size()))
    return false;
  SmallVector<Value> vectors;
  for (VectorValue value : values)
    vectors.push_back(toUnits(b, element, broadcastLanes(index, value).re));
  UnitAccess units(index, array.pointer, getUnitType(element));
  int64_t lanes = index.getLanes();
  SmallVector<Value> rows = interleave(b, vectors), masks(rows.size());
  if (Value maskVector = index.asVector(mask))
    masks = interleave(b, SmallVector<Value>(rows.size(), maskVector));
  for (auto [i, row] : llvm::enumerate(rows))
    units.storeConsecutive(index.add({few->start.base, 0, 1, {}}, i * lanes).base, row, masks[i]);
  return true;
}

} // namespace hloc
