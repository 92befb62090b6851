// SPDX-License-Identifier: Apache-2.0
// Operations on sizes themselves.
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
  emitNotSupported(op.getLoc(), "custom call \"" + target + "\" on arrays of bounded dynamic size");
  return failure();
}

void hloc::populateSizes(BoundedPatterns &patterns) {
  patterns.add<GetDimensionSizeOp>(expandGetDimensionSize);
  patterns.add<SetDimensionSizeOp>(expandSetDimensionSize);
  patterns.add<CustomCallOp>(expandCustomCall);
}
