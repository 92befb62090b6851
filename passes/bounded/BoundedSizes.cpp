// SPDX-License-Identifier: Apache-2.0
// Operations on sizes themselves.
#include "compiler/evaluator/core/CustomCalls.h"
#include "passes/bounded/BoundedPatterns.h"
#include "passes/frontend/NotSupported.h"
#include "passes/simplify/Match.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

static Expanded expandGetDimensionSize(GetDimensionSizeOp op, ArrayRef<BoundedArray> operands,
                                       BoundedBuild &build) {
  return BoundedArrays{BoundedArray(build.getSize(operands[0], op.getDimension()))};
}

/// Elements past the old size that the new one takes in are zero.
static Expanded expandSetDimensionSize(SetDimensionSizeOp op, ArrayRef<BoundedArray> operands,
                                       BoundedBuild &build) {
  BoundedArray result = operands[0];
  int64_t d = op.getDimension();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  if (!type.isDynamicDim(d) && getConstantIndex(operands[1].array) != result.getBound(d)) {
    emitNotSupported(op.getLoc(), "another size than the whole of a dimension that is not bounded");
    return failure();
  }
  result.array = build.fillPast(result, {d}, build.scalar(result.getElement(), 0.0));
  result.sizes[d] = build.clampSize(operands[1].array, result.getBound(d));
  return BoundedArrays{result};
}

/// The array with zeros past its sizes, then the size of each dimension.
static Expanded expandPadToStatic(CustomCallOp op, ArrayRef<BoundedArray> operands,
                                  BoundedBuild &build) {
  const BoundedArray &operand = operands[0];
  BoundedArrays results;
  results.emplace_back(build.fillPast(operand, build.scalar(operand.getElement(), 0.0)));
  for (int64_t d = 0; d < operand.getRank(); ++d)
    results.emplace_back(build.getSize(operand, d));
  return results;
}

/// The reverse: a size for each dimension follows the array.
static Expanded expandSliceToDynamic(CustomCallOp op, ArrayRef<BoundedArray> operands,
                                     BoundedBuild &build) {
  BoundedArray result(operands[0].array);
  for (int64_t d = 0; d < result.getRank(); ++d)
    if (cast<RankedTensorType>(op.getResult(0).getType()).isDynamicDim(d))
      result.sizes[d] = build.clampSize(operands[1 + d].array, result.getBound(d));
  return BoundedArrays{result};
}

/// A function of the host takes arrays of the bound, then the sizes of all, and gives the same.
static Expanded callHost(CustomCallOp op, ArrayRef<BoundedArray> operands, BoundedBuild &build) {
  if (op.getOutputToOperandAliasing()) {
    emitNotSupported(op.getLoc(),
                     "a custom call that shares memory, on arrays of bounded dynamic size");
    return failure();
  }
  SmallVector<Value> inputs = getArrays(operands);
  for (auto [operand, type] : llvm::zip(operands, op->getOperandTypes()))
    for (int64_t d = 0; d < operand.getRank(); ++d)
      if (cast<RankedTensorType>(type).isDynamicDim(d))
        inputs.push_back(build.getSize(operand, d));
  SmallVector<Type> types = getFullTypes(op->getResultTypes());
  Type size = arrayType(build.index(0));
  for (Type type : op->getResultTypes())
    types.append(cast<RankedTensorType>(type).getNumDynamicDims(), size);
  auto call = cast<CustomCallOp>(build.clone(op, inputs, types));
  if (op.getOperandLayoutConstraints()) // whose layouts bounded arrays do not have
    call.setOperandLayoutConstraintsAttr(
        build.builder.getTypeArrayAttr(SmallVector<Type>(ValueRange(inputs).getTypes())));
  BoundedArrays results;
  auto sizes = call.getResults().drop_front(op->getNumResults());
  for (auto [array, type] : llvm::zip(call.getResults(), op->getResultTypes())) {
    BoundedArray &result = results.emplace_back(array);
    for (int64_t d = 0; d < result.getRank(); ++d) {
      if (!cast<RankedTensorType>(type).isDynamicDim(d))
        continue;
      result.sizes[d] = build.clampSize(sizes.front(), result.getBound(d));
      sizes = sizes.drop_front();
    }
  }
  return results;
}

static Expanded expandCustomCall(CustomCallOp op, ArrayRef<BoundedArray> operands,
                                 BoundedBuild &build) {
  StringRef target = op.getCustomCallTarget();
  // Both have one array on either side, and as many s32 scalars as it has dimensions on one.
  auto areSizes = [](TypeRange types) {
    return llvm::all_of(types, [](Type type) {
      auto size = dyn_cast<RankedTensorType>(type);
      return size && size.getRank() == 0 && size.getElementType().isSignlessInteger(32);
    });
  };
  TypeRange results = op->getResultTypes(), inputs = op.getInputs().getTypes();
  if (target == "PadToStatic" && inputs.size() == 1 &&
      int64_t(results.size()) == operands[0].getRank() + 1 &&
      getFullType(results[0]) == operands[0].array.getType() && areSizes(results.drop_front()))
    return expandPadToStatic(op, operands, build);
  if (target == "SliceToDynamic" && results.size() == 1 && !inputs.empty() &&
      int64_t(inputs.size()) == operands[0].getRank() + 1 &&
      getFullType(results[0]) == operands[0].array.getType() && areSizes(inputs.drop_front()))
    return expandSliceToDynamic(op, operands, build);
  if (evaluator::knowsCustomCall(target)) {
    emitNotSupported(op.getLoc(),
                     "custom call \"" + target + "\" on arrays of bounded dynamic size");
    return failure();
  }
  return callHost(op, operands, build);
}

void hloc::populateSizes(BoundedPatterns &patterns) {
  patterns.add<GetDimensionSizeOp>(expandGetDimensionSize);
  patterns.add<SetDimensionSizeOp>(expandSetDimensionSize);
  patterns.add<CustomCallOp>(expandCustomCall);
}
