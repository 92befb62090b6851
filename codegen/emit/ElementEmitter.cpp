// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/ElementEmitter.h"
#include "codegen/emit/MovedIndex.h"
#include "codegen/math/Math.h"
#include "compiler/hlo/Literal.h"
#include "passes/Build.h"
#include "passes/frontend/NotSupported.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hloc {

void ElementEmitter::bindMemory(Value value, Value pointer) {
  memory[value] = {pointer, arrayType(value)};
}

hlo::ComputationOp ElementEmitter::lookup(FlatSymbolRefAttr name) {
  return computations.lookupSymbol<hlo::ComputationOp>(name.getValue());
}

/// The value for any index of an array without elements, such as a gather's clamped index.
VectorValue ElementEmitter::zeroOf(Type element) {
  auto zero = [&](Type type) -> Value {
    return arith::ConstantOp::create(index.b, index.b.getZeroAttr(type));
  };
  if (auto complex = dyn_cast<ComplexType>(element))
    return {zero(complex.getElementType()), zero(complex.getElementType())};
  return {zero(getRegisterType(element)), {}};
}

VectorValue ElementEmitter::emit(Value value, ArrayRef<VectorIndex> at, Mask mask) {
  for (auto &scope : scopes)
    if (auto found = scope.find(value); found != scope.end())
      for (Entry &entry : found->second)
        if (entry.key.lanes == index.getLanes() && entry.key.mask == mask &&
            ArrayRef<VectorIndex>(entry.key.at) == at)
          return entry.lanes;
  VectorValue lanes;
  if (auto produce = producers.find(value); produce != producers.end())
    lanes = produce->second(at, mask);
  else if (auto array = memory.find(value); array != memory.end())
    lanes = array->second.type.getNumElements() == 0 ? zeroOf(array->second.type.getElementType())
                                                     : loadElements(index, array->second, at, mask);
  else if (value.getDefiningOp<hlo::ReduceOp>())
    lanes = emitReduce(cast<OpResult>(value), at, mask);
  else if (Operation *op = value.getDefiningOp())
    lanes = emitOperation(op, at, mask);
  if (!lanes.re) {
    if (!failed)
      emitNotSupported(value.getLoc(), "this operation in compiled code");
    failed = true;
    return lanes;
  }
  record(value, at, mask, lanes);
  return lanes;
}

void ElementEmitter::record(Value value, ArrayRef<VectorIndex> at, Mask mask, VectorValue lanes) {
  scopes.back()[value].push_back({{ElementIndex(at), mask, index.getLanes()}, lanes});
}

//===-- Reshape ------------------------------------------------------------------------------===//

ElementIndex reshapeIndex(IndexBuilder &index, ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                          ArrayRef<VectorIndex> at) {
  // Split both shapes into groups of dimensions with equal products, and map each group on its own.
  ElementIndex result;
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    // Dimensions of size one are added and dropped on their own.
    if (j < to.size() && to[j] == 1) {
      result.push_back(index.uniform(0));
      ++j;
      continue;
    }
    if (i < from.size() && from[i] == 1) {
      ++i;
      continue;
    }
    size_t iEnd = i, jEnd = j;
    int64_t left = 1, right = 1;
    if (iEnd < from.size())
      left = from[iEnd++];
    if (jEnd < to.size())
      right = to[jEnd++];
    while (left != right || left == 0) {
      if (left == 0 && right == 0 && iEnd == from.size() && jEnd == to.size())
        break;
      if ((left <= right || jEnd == to.size()) && iEnd < from.size())
        left *= from[iEnd++];
      else if (jEnd < to.size())
        right *= to[jEnd++];
      else
        break;
    }
    if (iEnd - i == 1 && jEnd - j == 1) {
      result.push_back(at[i]);
    } else {
      VectorIndex position = linearize(index, from.slice(i, iEnd - i), at.slice(i, iEnd - i));
      SmallVector<VectorIndex> reversed;
      for (size_t d = jEnd; d-- > j;) {
        if (d == j) {
          reversed.push_back(position);
          break;
        }
        auto [low, high] = index.divideWithRemainder(position, std::max<int64_t>(to[d], 1));
        reversed.push_back(low);
        position = high;
      }
      result.append(reversed.rbegin(), reversed.rend());
    }
    i = iEnd;
    j = jEnd;
  }
  return result;
}

VectorValue ElementEmitter::emitIota(hlo::IotaOp op, ArrayRef<VectorIndex> at) {
  auto &b = index.b;
  VectorIndex x = at[op.getIotaDimension()];
  Type element = arrayType(op.getResult()).getElementType();
  Value value;
  Type integer = b.getI64Type();
  if (x.isUniform()) {
    value = b.createOrFold<arith::IndexCastOp>(integer, x.base);
  } else {
    integer = index.getLaneType();
    value = index.asVector(x);
  }
  return emitConvertLanes(index, {value, {}}, integer, element);
}

//===-- Bits ---------------------------------------------------------------------------------===//

VectorValue ElementEmitter::emitBitcastConvert(hlo::BitcastConvertOp op, ArrayRef<VectorIndex> at,
                                               Mask mask) {
  auto &b = index.b;
  RankedTensorType from = arrayType(op.getOperand()), to = arrayType(op.getResult());
  if (from.getRank() == to.getRank()) {
    VectorValue x = emit(op.getOperand(), at, mask);
    return x.re ? emitElementwise(index, op, {x}) : x;
  }
  if (isa<ComplexType>(from.getElementType()) || isa<ComplexType>(to.getElementType()))
    return {};
  unsigned fromBits = getStorageBits(from.getElementType()),
           toBits = getStorageBits(to.getElementType());
  auto shaped = [&](Value like, Type element) -> Type {
    auto vector = dyn_cast<VectorType>(like.getType());
    return vector ? Type(VectorType::get(vector.getShape(), element)) : element;
  };
  auto bitsOf = [&](Value x, unsigned width) -> Value {
    Type integer = shaped(x, b.getIntegerType(width));
    if (x.getType() == integer)
      return x;
    if (getElementTypeOrSelf(x.getType()).isInteger(1))
      return arith::ExtUIOp::create(b, integer, x);
    return arith::BitcastOp::create(b, integer, x);
  };
  auto finish = [&](Value bits) -> VectorValue {
    Type target = shaped(bits, getRegisterType(to.getElementType()));
    if (bits.getType() == target)
      return {bits, {}};
    if (getElementTypeOrSelf(target).isInteger(1))
      return {emitNonZero(b, bits), {}};
    return {arith::BitcastOp::create(b, target, bits), {}};
  };
  if (fromBits > toBits) { // one element becomes several: a new minor dimension
    VectorValue x = emit(op.getOperand(), at.drop_back(), mask);
    if (!x.re)
      return {};
    if (!at.back().isUniform())
      x = broadcastLanes(index, x);
    Value bits = bitsOf(x.re, fromBits);
    VectorIndex shift = index.multiply(at.back(), toBits);
    Value amount;
    if (isa<VectorType>(bits.getType())) {
      Value lanes = index.asVector(shift);
      Type type = bits.getType();
      unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth(),
               have = index.getLaneType().getIntOrFloatBitWidth();
      amount = width == have  ? lanes
               : width < have ? Value(arith::TruncIOp::create(b, type, lanes))
                              : Value(arith::ExtUIOp::create(b, type, lanes));
    } else {
      amount = b.createOrFold<arith::IndexCastOp>(bits.getType(), shift.base);
    }
    bits = arith::ShRUIOp::create(b, bits, amount);
    return finish(arith::TruncIOp::create(b, shaped(bits, b.getIntegerType(toBits)), bits));
  }
  // Several elements become one: the minor dimension is removed.
  int64_t count = toBits / fromBits;
  Value all;
  for (int64_t i = 0; i < count; ++i) {
    ElementIndex place(at);
    place.push_back(index.uniform(i));
    VectorValue x = emit(op.getOperand(), place, mask);
    if (!x.re)
      return {};
    Value bits = bitsOf(x.re, fromBits);
    bits = arith::ExtUIOp::create(b, shaped(bits, b.getIntegerType(toBits)), bits);
    if (i > 0) {
      Value by =
          arith::ConstantOp::create(b, b.getIntegerAttr(b.getIntegerType(toBits), i * fromBits));
      if (isa<VectorType>(bits.getType()))
        by = index.splat(by);
      bits = arith::ShLIOp::create(b, bits, by);
      bits = arith::OrIOp::create(b, all, bits);
    }
    all = bits;
  }
  return finish(all);
}

//===-- Every operation ----------------------------------------------------------------------===//

VectorValue ElementEmitter::emitOperation(Operation *op, ArrayRef<VectorIndex> at, Mask mask) {
  return TypeSwitch<Operation *, VectorValue>(op)
      .Case<hlo::ConstantOp>([&](hlo::ConstantOp constant) -> VectorValue {
        SmallVector<char> element;
        if (auto value = dyn_cast<ElementsAttr>(constant.getValue());
            value && hlo::isSplat(value, element))
          return emitConstant(index, arrayType(constant.getResult()).getElementType(), element);
        return {};
      })
      .Case<hlo::ReshapeOp>([&](hlo::ReshapeOp reshape) {
        ElementIndex source = reshapeIndex(index, arrayType(reshape.getResult()).getShape(),
                                           arrayType(reshape.getOperand()).getShape(), at);
        return emit(reshape.getOperand(), source, mask);
      })
      .Case<hlo::PadOp>([&](hlo::PadOp pad) { return emitPad(pad, at, mask); })
      .Case<hlo::ConcatenateOp>(
          [&](hlo::ConcatenateOp concatenate) { return emitConcatenate(concatenate, at, mask); })
      .Case<hlo::IotaOp>([&](hlo::IotaOp iota) { return emitIota(iota, at); })
      .Case<hlo::GatherOp>([&](hlo::GatherOp gather) { return emitGather(gather, at, mask); })
      .Case<hlo::DynamicSliceOp>(
          [&](hlo::DynamicSliceOp slice) { return emitDynamicSlice(slice, at, mask); })
      .Case<hlo::DynamicUpdateSliceOp>([&](hlo::DynamicUpdateSliceOp update) {
        return emitDynamicUpdateSlice(update, at, mask);
      })
      .Case<hlo::DotOp>([&](hlo::DotOp dot) { return emitDot(dot, at, mask); })
      .Case<hlo::BitcastConvertOp>(
          [&](hlo::BitcastConvertOp cast) { return emitBitcastConvert(cast, at, mask); })
      .Default([&](Operation *) -> VectorValue {
        if (isa<hlo::MovementInterface>(op))
          return emit(op->getOperand(0), mapIndex(index, hlo::getIndexMap(op), at), mask);
        if (!op->hasTrait<hlo::Elementwise>() && !isa<hlo::CopyOp>(op))
          return {};
        SmallVector<VectorValue> operands;
        for (Value operand : op->getOperands()) {
          auto type = dyn_cast<RankedTensorType>(operand.getType());
          if (!type)
            return {};
          // The limits of clamp and the predicate of select may be scalars.
          bool scalar = type.getRank() == 0;
          VectorValue lanes = emit(operand, scalar ? ArrayRef<VectorIndex>() : at, mask);
          if (!lanes.re)
            return {};
          operands.push_back(lanes);
        }
        Location outer = index.b.getLoc();
        index.b.setLoc(op->getLoc());
        VectorValue result = emitElementwise(index, op, operands);
        index.b.setLoc(outer);
        return result;
      });
}

} // namespace hloc
