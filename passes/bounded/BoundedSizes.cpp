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

/// Elements between the old and a larger new size are zero.
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

void hloc::populateSizes(BoundedPatterns &patterns) {
  patterns.add<GetDimensionSizeOp>(expandGetDimensionSize);
  patterns.add<SetDimensionSizeOp>(expandSetDimensionSize);
}
