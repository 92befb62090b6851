// SPDX-License-Identifier: Apache-2.0
#include "passes/frontend/SlicedPermutes.h"
#include "passes/Build.h"
#include "passes/frontend/TupleLeaves.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc {

/// All elements of `arrays`, scalars or vectors, as one vector.
static Value concatenate(Build build, ArrayRef<Value> arrays) {
  SmallVector<Value> vectors;
  for (Value array : arrays) {
    Value vector = build.reshape(array, {arrayType(array).getNumElements()});
    if (arrays.size() > 1)
      vector = build.convert(vector, build.builder.getI64Type());
    vectors.push_back(vector);
  }
  return vectors.size() == 1 ? vectors.front() : build.concatenate(vectors, 0);
}

FailureOr<SmallVector<Value>>
flattenSlicedPermute(CollectivePermuteOp permute, OpBuilder &builder,
                     function_ref<SmallVector<Value>(Value)> leavesOf) {
  ValueRange inputs = permute.getInputs();
  if (inputs.size() != 4)
    return permute.emitOpError("expected input, output and where slices lie in them");
  Build build(builder, permute.getLoc());
  SmallVector<Value> operands = leavesOf(inputs[0]), outputs = leavesOf(inputs[1]);
  size_t arrays = outputs.size();
  if (operands.size() != arrays || arrays == 0)
    return permute.emitOpError("expected as many inputs as outputs");
  operands.append(outputs);
  bool isTuple = isa<TupleType>(inputs[1].getType());
  for (Value starts : inputs.drop_front(2)) {
    SmallVector<Value> leaves = leavesOf(starts);
    ArrayRef<Value> rest = leaves;
    auto tuple = dyn_cast<TupleType>(starts.getType());
    if (isTuple && (!tuple || tuple.size() != arrays))
      return permute.emitOpError("expected start indices for each array");
    for (size_t i = 0; i < arrays; ++i) {
      size_t count = isTuple ? getLeaves(tuple.getType(i)).size() : rest.size();
      if (count == 0)
        return permute.emitOpError("expected start indices for each array");
      operands.push_back(concatenate(build, rest.take_front(count)));
      rest = rest.drop_front(count);
    }
  }
  return operands;
}

} // namespace hloc
