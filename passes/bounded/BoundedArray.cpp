// SPDX-License-Identifier: Apache-2.0
#include "passes/bounded/BoundedArray.h"
#include "compiler/hlo/infer/Shape.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/simplify/Match.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

SmallVector<Value> hloc::getArrays(ArrayRef<BoundedArray> operands) {
  return llvm::map_to_vector(operands, [](const BoundedArray &operand) { return operand.array; });
}

SmallVector<Value> hloc::mergeSizes(ArrayRef<BoundedArray> operands) {
  SmallVector<Value> sizes = operands[0].sizes;
  for (const BoundedArray &operand : operands)
    for (auto [size, other] : llvm::zip(sizes, operand.sizes))
      size = size ? size : other;
  return sizes;
}

SmallVector<Type> hloc::getFullTypes(TypeRange types) {
  return llvm::map_to_vector(types, [](Type type) -> Type { return getFullType(type); });
}

Value BoundedBuild::getSize(const BoundedArray &array, int64_t dimension) {
  Value size = array.sizes[dimension];
  return size ? size : index(array.getBound(dimension));
}

Value BoundedBuild::clampSize(Value size, int64_t bound) {
  if (auto constant = getConstantIndex(size))
    return index(std::clamp<int64_t>(*constant, 0, bound));
  return minimum(maximum(size, index(0)), index(bound));
}

Value BoundedBuild::isInside(const BoundedArray &array, Sizes dimensions) {
  Value inside;
  Type i32 = builder.getI32Type();
  for (int64_t d : dimensions) {
    if (!array.sizes[d])
      continue;
    Value place = iota(array.getBounds(), i32, d);
    Value isBelow = compare(place, broadcast(array.sizes[d], array.getBounds(), {}), Direction::LT);
    inside = inside ? bitAnd(inside, isBelow) : isBelow;
  }
  return inside;
}

Value BoundedBuild::fillPast(const BoundedArray &array, Sizes dimensions, Value fill) {
  Value inside = isInside(array, dimensions);
  return inside ? select(inside, array.array, broadcast(fill, array.getBounds(), {})) : array.array;
}

SmallVector<Value>
BoundedBuild::sizedLoop(Value count, ValueRange inits,
                        function_ref<SmallVector<Value>(BoundedBuild, Value, ValueRange)> step) {
  SmallVector<Value> values{index(0)};
  llvm::append_range(values, inits);
  auto loop = scf::WhileOp::create(
      builder, loc, ValueRange(values).getTypes(), values,
      [&](OpBuilder &inner, Location loc, ValueRange state) {
        Value goesOn = Build(inner, loc).compare(state[0], count, Direction::LT);
        goesOn = tensor::ExtractOp::create(inner, loc, goesOn, ValueRange());
        scf::ConditionOp::create(inner, loc, goesOn, state);
      },
      [&](OpBuilder &inner, Location loc, ValueRange state) {
        BoundedBuild body(inner, loc);
        SmallVector<Value> next = step(body, state[0], state.drop_front());
        next.insert(next.begin(), body.add(state[0], 1));
        scf::YieldOp::create(inner, loc, next);
      });
  return SmallVector<Value>(loop.getResults().drop_front());
}

Operation *BoundedBuild::clone(Operation *op, ValueRange operands, TypeRange types) {
  Operation *clone = Operation::create(loc, op->getName(), types, operands,
                                       op->getDiscardableAttrDictionary().getValue(),
                                       op->getPropertiesStorage(), BlockRange(),
                                       /*numRegions=*/0);
  builder.insert(clone);
  return clone;
}

SmallVector<Value> BoundedBuild::cloneOn(Operation *op, ValueRange operands, TypeRange types) {
  return SmallVector<Value>(clone(op, operands, types)->getResults());
}

/// Each array is written where the one before it ends, over what is past that one's size.
BoundedArray BoundedBuild::concatenateBounded(ArrayRef<BoundedArray> arrays, int64_t dimension) {
  int64_t rank = arrays[0].getRank(), bound = 0;
  SmallVector<Value> values = getArrays(arrays), sizes(rank);
  for (const BoundedArray &array : arrays) {
    bound += array.getBound(dimension);
    for (int64_t d = 0; d < rank; ++d)
      if (d != dimension && !sizes[d])
        sizes[d] = array.sizes[d];
  }
  // Positions are static up to the first array with a run-time size.
  size_t known = 1;
  for (const BoundedArray &array : arrays.drop_back()) {
    if (array.sizes[dimension])
      break;
    ++known;
  }
  Value result = concatenate(ArrayRef(values).take_front(known), dimension);
  SmallVector<int64_t> none(rank, 0), high(none);
  high[dimension] = bound - arrayType(result).getDimSize(dimension);
  result = pad(result, scalar(arrays[0].getElement(), 0.0), none, high, none);
  Value end = index(0);
  bool isBounded = false;
  for (auto [i, array] : llvm::enumerate(arrays)) {
    if (i >= known) {
      SmallVector<Value> starts(rank, index(0));
      starts[dimension] = end;
      result = dynamicUpdateSlice(result, array.array, starts);
    }
    end = add(end, getSize(array, dimension));
    isBounded |= bool(array.sizes[dimension]);
  }
  if (isBounded)
    sizes[dimension] = end;
  return BoundedArray(result, sizes);
}

BoundedArrays BoundedBuild::splitParts(const BoundedArray &array, int64_t dimension, int64_t count,
                                       Value size) {
  SmallVector<int64_t> shape(array.getBounds());
  shape[dimension] /= count;
  SmallVector<Value> starts(array.getRank(), index(0));
  BoundedArrays parts;
  for (int64_t i = 0; i < count; ++i) {
    starts[dimension] = mul(size, double(i));
    BoundedArray &part = parts.emplace_back(dynamicSlice(array.array, starts, shape), array.sizes);
    part.sizes[dimension] = size;
  }
  return parts;
}

RankedTensorType hloc::getFullType(Type type) {
  auto array = cast<RankedTensorType>(type);
  return RankedTensorType::get(hlo::getBounds(array), array.getElementType());
}

bool hloc::isBoundedType(Type type) {
  auto array = dyn_cast<RankedTensorType>(type);
  return array && !array.hasStaticShape();
}
