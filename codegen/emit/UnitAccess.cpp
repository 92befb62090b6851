// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/UnitAccess.h"
#include "codegen/KernelEmission.h"
#include "codegen/emit/Interleave.h"
#include "compiler/target/VectorAccess.h"

using namespace mlir;

namespace hloc {

/// The function that `pointer`, its argument or stack memory or an offset from it, belongs to; null
/// if unknown.
static LLVM::LLVMFuncOp getFunction(Value pointer) {
  while (auto part = pointer.getDefiningOp<LLVM::GEPOp>())
    pointer = part.getBase();
  return dyn_cast_or_null<LLVM::LLVMFuncOp>(pointer.getParentBlock()->getParentOp());
}

void describeAccess(LLVM::LLVMFuncOp function, const Target &target) {
  Builder b(function.getContext());
  function->setAttr(kNarrowestMaskedBits, b.getI64IntegerAttr(target.narrowestMaskedBits));
  if (!target.hasGather)
    function->setAttr(kLacksGather, b.getUnitAttr());
}

int64_t getNarrowestMaskedBits(Value pointer) {
  LLVM::LLVMFuncOp function = getFunction(pointer);
  auto bits = function ? function->getAttrOfType<IntegerAttr>(kNarrowestMaskedBits) : IntegerAttr();
  return bits ? bits.getInt() : 0;
}

Value UnitAccess::load(VectorIndex at, Mask mask) {
  if (at.isUniform()) {
    at = index.orZero(at, mask);
    return LLVM::LoadOp::create(b, unit, address(at), bytes);
  }
  VectorType type = VectorType::get({index.getLanes()}, unit);
  if (mask.uniform && getNarrowestMaskedBits(pointer) > 8 && count >= type.getNumElements() &&
      at.base && std::abs(at.stride) == 1) {
    // If no lane is active, load from a place that is always valid.
    Value harmless = index.constant(at.stride == 1 ? 0 : type.getNumElements() - 1);
    at.base = b.createOrFold<arith::SelectOp>(mask.uniform, at.base, harmless);
    mask.uniform = {};
  }
  Value maskVector = index.asVector(mask);
  if (at.base && at.stride == 1)
    return loadConsecutive(at.base, type, maskVector);
  if (at.base && at.stride == -1)
    return reversed(
        loadConsecutive(lowest(at), type, maskVector ? backwards(maskVector) : Value()));
  std::optional<int64_t> live = countFirstLanes(maskVector);
  if (at.base && at.stride > 1 && at.stride <= std::min(kMostInterleaved, index.getLanes()) && live)
    return loadStrided(at, type, *live);
  return gather(at, unit, {{}, maskVector});
}

Value UnitAccess::gather(VectorIndex at, Type type, Mask mask) {
  auto vector = VectorType::get({index.getLanes()}, type);
  Value maskVector = index.asVector(mask);
  LLVM::LLVMFuncOp function = getFunction(pointer);
  if (!maskVector && function && function->hasAttr(kLacksGather))
    return loadEach(at, vector);
  return LLVM::masked_gather::create(b, vector, addresses(at), maskOrAll(maskVector),
                                     ValueRange{zero(vector)}, bytes);
}

/// Loads each lane on its own. LLVM does that too, but computes the addresses as vectors of 64 bits
/// first and extracts these.
Value UnitAccess::loadEach(VectorIndex at, VectorType type) {
  Value result = LLVM::PoisonOp::create(b, type);
  for (int64_t lane = 0; lane < type.getNumElements(); ++lane) {
    VectorIndex single;
    if (at.base)
      single.base = b.createOrFold<arith::AddIOp>(at.base, index.constant(at.stride * lane));
    Value from = at.base
                     ? address(single)
                     : advance(pointer, vector::ExtractOp::create(b, at.lanes, lane).getResult());
    Value element = LLVM::LoadOp::create(b, type.getElementType(), from, bytes);
    result = vector::InsertOp::create(b, element, result, lane);
  }
  return result;
}

void UnitAccess::store(VectorIndex at, Value value, Mask mask) {
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

void UnitAccess::prefetch(VectorIndex at) {
  LLVM::Prefetch::create(b, address(at), /*rw=*/0, /*hint=*/2, /*cache=*/1);
}

/// True if LLVM would expand the masked load of `lanes` units to a branch per lane.
bool UnitAccess::lacksMask(Value maskVector, int64_t lanes) {
  return maskVector && 8 * bytes < getNarrowestMaskedBits(pointer) && count >= lanes &&
         !matchPattern(maskVector, m_Constant());
}

Value UnitAccess::allocateOnStack(int64_t bytes) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&getFunction(pointer).getBody().front());
  Value size = LLVM::ConstantOp::create(b, b.getI64Type(), b.getI64IntegerAttr(bytes));
  return LLVM::AllocaOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), b.getI8Type(), size,
                                64);
}

Value UnitAccess::loadConsecutive(Value base, VectorType type, Value maskVector) {
  if (!maskVector)
    return loadWhole(base, type);
  if (lacksMask(maskVector, type.getNumElements()))
    return loadWithin(base, type);
  return LLVM::MaskedLoadOp::create(b, type, address({base, 1, 1, {}}), maskVector, zero(type),
                                    bytes);
}

Value UnitAccess::loadWhole(Value base, VectorType type) {
  return LLVM::LoadOp::create(b, type, address({base, 1, 1, {}}), bytes);
}

/// Loads the lanes of a vector from `base` on that are within the array; others are arbitrary.
Value UnitAccess::loadWithin(Value base, VectorType type) {
  Value last = index.constant(count - type.getNumElements());
  Value isWithin = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ule, base, last);
  auto branch = scf::IfOp::create(b, type, isWithin, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loadWhole(base, type));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loadAcrossEnd(base, type));
  return branch.getResult(0);
}

/// Likewise for a vector that extends over an end of the array: loads the first or last whole
/// vector, and shifts its lanes through memory. The rest of that memory is undefined; freezing it
/// gives arbitrary but fixed values, on which loops over all lanes may branch.
Value UnitAccess::loadAcrossEnd(Value base, VectorType type) {
  int64_t lanes = type.getNumElements();
  auto clamp = [&](Value x, int64_t low, int64_t high) {
    return b.createOrFold<arith::MinSIOp>(b.createOrFold<arith::MaxSIOp>(x, index.constant(low)),
                                          index.constant(high));
  };
  Value start = clamp(base, 0, count - lanes);
  Value distance = clamp(b.createOrFold<arith::SubIOp>(base, start), -lanes, lanes);
  UnitAccess buffer(index, allocateOnStack(3 * lanes * bytes), unit, 3 * lanes);
  buffer.storeConsecutive(index.constant(lanes), loadWhole(start, type), {});
  Value moved =
      buffer.loadWhole(b.createOrFold<arith::AddIOp>(distance, index.constant(lanes)), type);
  return LLVM::FreezeOp::create(b, moved);
}

/// Loads the first `live` lanes of a strided vector: loads everything between them, but nothing
/// past the last one.
Value UnitAccess::loadStrided(VectorIndex at, VectorType type, int64_t live) {
  int64_t lanes = index.getLanes(), wanted = (live - 1) * at.stride + 1, lastStart = wanted - lanes;
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

void UnitAccess::storeConsecutive(Value base, Value value, Value maskVector) {
  Value at = address({base, 1, 1, {}});
  if (!maskVector)
    LLVM::StoreOp::create(b, value, at, bytes);
  else
    LLVM::MaskedStoreOp::create(b, value, at, maskVector, bytes);
}

/// The number of active lanes if these are known to be the first ones.
std::optional<int64_t> UnitAccess::countFirstLanes(Value maskVector) {
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

Value UnitAccess::zero(VectorType type) {
  return arith::ConstantOp::create(b, b.getZeroAttr(type));
}

Value UnitAccess::advance(Value from, LLVM::GEPArg by) {
  return LLVM::GEPOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), unit, from,
                             ArrayRef(by));
}

Value UnitAccess::address(VectorIndex at) {
  SplitIndex parts = splitConstant(at.base);
  Value result = pointer;
  if (parts.variable)
    result = advance(result, b.createOrFold<arith::IndexCastOp>(b.getI64Type(), parts.variable));
  if (parts.constant == 0)
    return result;
  // A GEP's own constants have few bits.
  return advance(
      result,
      LLVM::ConstantOp::create(b, b.getI64Type(), b.getI64IntegerAttr(parts.constant)).getResult());
}

Value UnitAccess::addresses(VectorIndex at) {
  Value offsets = index.asVector(at);
  auto type = VectorType::get({index.getLanes()}, LLVM::LLVMPointerType::get(b.getContext()));
  return LLVM::GEPOp::create(b, type, unit, pointer, ArrayRef<LLVM::GEPArg>{offsets});
}

Value UnitAccess::lowest(VectorIndex at) {
  return b.createOrFold<arith::SubIOp>(at.base, index.constant(index.getLanes() - 1));
}

/// Reverses bytes within words, then words within the vector: LLVM's lowering of a reversing
/// shuffle of 64 bytes can loop forever if only some of the result is used.
Value UnitAccess::reversed(Value vector) {
  auto type = cast<VectorType>(vector.getType());
  int64_t lanes = type.getNumElements();
  if (unit.getIntOrFloatBitWidth() != 8 || lanes % 8 != 0)
    return backwards(vector);
  Value words = vector::BitCastOp::create(b, VectorType::get({lanes / 8}, b.getI64Type()), vector);
  return vector::BitCastOp::create(b, type, LLVM::ByteSwapOp::create(b, backwards(words)));
}

Value UnitAccess::backwards(Value vector) {
  SmallVector<int64_t> order;
  for (int64_t lane = cast<VectorType>(vector.getType()).getNumElements() - 1; lane >= 0; --lane)
    order.push_back(lane);
  return vector::ShuffleOp::create(b, vector, vector, order);
}

Value UnitAccess::maskOrAll(Value maskVector) {
  if (maskVector)
    return maskVector;
  auto type = VectorType::get({index.getLanes()}, b.getI1Type());
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, true));
}

} // namespace hloc
