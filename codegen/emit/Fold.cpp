// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/Fold.h"
#include "codegen/emit/Memory.h"

using namespace mlir;

namespace hloc {

Fold::Fold(IndexBuilder &index, ArrayRef<Type> elements, std::optional<Monoid> given, Step step)
    : index(index), elements(elements), monoid(given), step(std::move(step)) {
  // Complex numbers are not ordered.
  if (monoid && (elements.size() != 1 || (isa<ComplexType>(elements[0]) && *monoid != Monoid::Add &&
                                          *monoid != Monoid::Multiply)))
    monoid.reset();
  for (Type element : elements) {
    bool narrow = isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
    accumulators.push_back(narrow && monoid ? Float32Type::get(element.getContext()) : element);
  }
}

Fold::Fold(IndexBuilder &index, ArrayRef<Type> elements, hlo::ComputationOp computation)
    : Fold(index, elements, matchMonoid(computation),
           [&index, computation](ArrayRef<VectorValue> sofar, ArrayRef<VectorValue> next) {
             SmallVector<VectorValue> arguments(sofar);
             arguments.append(next.begin(), next.end());
             return emitComputation(index, computation, arguments);
           }) {}

VectorValue Fold::widen(size_t which, VectorValue value) {
  if (elements[which] != accumulators[which])
    value = emitConvertLanes(index, value, elements[which], accumulators[which]);
  return broadcastLanes(index, value);
}

VectorValue Fold::narrow(size_t which, VectorValue value) {
  return elements[which] == accumulators[which]
             ? value
             : emitConvertLanes(index, value, accumulators[which], elements[which]);
}

SmallVector<VectorValue> Fold::combine(ArrayRef<VectorValue> sofar, ArrayRef<VectorValue> next) {
  if (monoid)
    return {emitMonoid(index, *monoid, accumulators[0], sofar[0], next[0])};
  SmallVector<VectorValue> result = step(sofar, next);
  if (result.empty() || !result[0].re)
    return {};
  for (VectorValue &lanes : result)
    lanes = broadcastLanes(index, lanes);
  return result;
}

SmallVector<Value> Fold::pack(ArrayRef<VectorValue> lanes) { return packLanes(lanes); }

SmallVector<VectorValue> Fold::unpack(ValueRange values) {
  return unpackLanes(accumulators, values);
}

SmallVector<Value> packLanes(ArrayRef<VectorValue> lanes) {
  SmallVector<Value> values;
  for (VectorValue x : lanes) {
    values.push_back(x.re);
    if (x.im)
      values.push_back(x.im);
  }
  return values;
}

SmallVector<VectorValue> unpackLanes(Type element, ValueRange values) {
  size_t count = values.size() / (isa<ComplexType>(element) ? 2 : 1);
  return unpackLanes(SmallVector<Type>(count, element), values);
}

SmallVector<VectorValue> unpackLanes(ArrayRef<Type> elements, ValueRange values) {
  SmallVector<VectorValue> lanes;
  size_t next = 0;
  for (Type element : elements) {
    Value re = values[next++];
    lanes.push_back({re, isa<ComplexType>(element) ? values[next++] : Value()});
  }
  return lanes;
}

} // namespace hloc
