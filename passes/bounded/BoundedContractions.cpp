// SPDX-License-Identifier: Apache-2.0
// Sums of products, and what linear algebra makes of matrices. What lies past the sizes of
// contracted dimensions counts as zero; of floats on both sides, since zero times NaN is NaN.
#include "passes/bounded/BoundedPatterns.h"
#include "passes/bounded/BoundedWindows.h"
#include "passes/frontend/NotSupported.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

static Value zeroPast(BoundedBuild &build, const BoundedArray &array,
                      ArrayRef<int64_t> dimensions) {
  return build.fillPast(array, dimensions, build.scalar(array.getElement(), 0.0));
}

/// Both sides of a contraction of `left` with `right`, ready for it.
static std::pair<Value, Value> zeroContracted(BoundedBuild &build, BoundedArray lhs,
                                              BoundedArray rhs, ArrayRef<int64_t> left,
                                              ArrayRef<int64_t> right) {
  // A size on one side is one of both.
  for (auto [l, r] : llvm::zip(left, right)) {
    if (!lhs.sizes[l])
      lhs.sizes[l] = rhs.sizes[r];
    if (!rhs.sizes[r])
      rhs.sizes[r] = lhs.sizes[l];
  }
  Value first = zeroPast(build, lhs, left);
  bool isExact = isa<IntegerType>(lhs.getElement()) && isa<IntegerType>(rhs.getElement());
  return {first, isExact ? rhs.array : zeroPast(build, rhs, right)};
}

static Expanded expandDot(DotOp op, ArrayRef<BoundedArray> operands, BoundedBuild &build) {
  const BoundedArray &lhs = operands[0], &rhs = operands[1];
  auto [left, right] =
      zeroContracted(build, lhs, rhs, op.getLhsContractingDims(), op.getRhsContractingDims());
  SmallVector<Value> sizes;
  for (auto [l, r] : llvm::zip(op.getLhsBatchDims(), op.getRhsBatchDims()))
    sizes.push_back(lhs.sizes[l] ? lhs.sizes[l] : rhs.sizes[r]);
  auto appendFree = [&](const BoundedArray &side, ArrayRef<int64_t> batch,
                        ArrayRef<int64_t> contracted) {
    for (int64_t d = 0; d < side.getRank(); ++d)
      if (!llvm::is_contained(batch, d) && !llvm::is_contained(contracted, d))
        sizes.push_back(side.sizes[d]);
  };
  appendFree(lhs, op.getLhsBatchDims(), op.getLhsContractingDims());
  appendFree(rhs, op.getRhsBatchDims(), op.getRhsContractingDims());
  Value array = build.cloneOn(op, {left, right}, getFullType(op.getType())).front();
  return BoundedArrays{BoundedArray(array, sizes)};
}

/// Zeros past spatial sizes are what padding is.
static Expanded expandConvolution(ConvolutionOp op, ArrayRef<BoundedArray> operands,
                                  BoundedBuild &build) {
  const BoundedArray &lhs = operands[0], &rhs = operands[1];
  ConvDimensionsAttr labels = op.getDimLabels();
  if (op.getBatchGroupCount() > 1 && lhs.sizes[labels.getInputBatch()]) {
    emitNotSupported(op.getLoc(), "a batch of bounded dynamic size in groups");
    return failure();
  }
  if (op.getFeatureGroupCount() > 1 && lhs.sizes[labels.getInputFeature()]) {
    emitNotSupported(op.getLoc(), "features of bounded dynamic size in groups");
    return failure();
  }
  if (operands.size() > 2 || rhs.isBoundedIn(labels.getKernelSpatial())) {
    emitNotSupported(op.getLoc(), operands.size() > 2
                                      ? "a convolution of sparse operands"
                                      : "a convolution's window of bounded dynamic size");
    return failure();
  }
  auto [left, right] =
      zeroContracted(build, lhs, rhs, labels.getInputFeature(), labels.getKernelInputFeature());
  left = zeroPast(build, BoundedArray(left, lhs.sizes), labels.getInputSpatial());
  BoundedArray result(build.cloneOn(op, {left, right}, getFullType(op.getType())).front());
  result.sizes[labels.getOutputBatch()] = lhs.sizes[labels.getInputBatch()];
  result.sizes[labels.getOutputFeature()] = rhs.sizes[labels.getKernelOutputFeature()];
  for (auto [i, input, output] :
       llvm::enumerate(labels.getInputSpatial(), labels.getOutputSpatial()))
    if (Value size = lhs.sizes[input])
      result.sizes[output] = countWindows(build, op.getWindow(), i, size);
  return BoundedArrays{result};
}

/// The matrix, its last two dimensions continued as an identity past the size of either.
static Value continueAsIdentity(BoundedBuild &build, const BoundedArray &matrix) {
  int64_t rows = matrix.getRank() - 2, columns = rows + 1;
  Value inside = build.isInside(matrix, {rows, columns});
  if (!inside)
    return matrix.array;
  Type i32 = build.builder.getI32Type();
  ArrayRef<int64_t> shape = matrix.getBounds();
  Value isDiagonal =
      build.compare(build.iota(shape, i32, rows), build.iota(shape, i32, columns), Direction::EQ);
  Value identity = build.convert(isDiagonal, matrix.getElement());
  return build.select(inside, matrix.array, identity);
}

static Expanded expandCholesky(CholeskyOp op, ArrayRef<BoundedArray> operands,
                               BoundedBuild &build) {
  BoundedArray result = operands[0];
  Value array = continueAsIdentity(build, result);
  result.array = build.cloneOn(op, array, array.getType()).front();
  return BoundedArrays{result};
}

static Expanded expandTriangularSolve(TriangularSolveOp op, ArrayRef<BoundedArray> operands,
                                      BoundedBuild &build) {
  BoundedArray result = operands[1];
  int64_t rank = result.getRank();
  int64_t solved = op.getLeftSide() ? rank - 2 : rank - 1;
  for (int64_t d = 0; d < rank; ++d)
    if ((d < rank - 2 || d == solved) && !result.sizes[d])
      result.sizes[d] = operands[0].sizes[d];
  Value right = zeroPast(build, result, {solved});
  Value matrix = continueAsIdentity(build, operands[0]);
  result.array = build.cloneOn(op, {matrix, right}, right.getType()).front();
  return BoundedArrays{result};
}

/// Transformed dimensions have their whole length.
static Expanded expandFft(FftOp op, ArrayRef<BoundedArray> operands, BoundedBuild &build) {
  const BoundedArray &operand = operands[0];
  int64_t batches = operand.getRank() - op.getFftLength().size();
  for (int64_t d = batches; d < operand.getRank(); ++d)
    if (operand.sizes[d]) {
      emitNotSupported(op.getLoc(), "a transform of bounded dynamic length");
      return failure();
    }
  BoundedArray result(build.cloneOn(op, operand.array, getFullType(op.getType())).front());
  for (int64_t d = 0; d < batches; ++d)
    result.sizes[d] = operand.sizes[d];
  return BoundedArrays{result};
}

void hloc::populateContractions(BoundedPatterns &patterns) {
  patterns.add<DotOp>(expandDot);
  patterns.add<ConvolutionOp>(expandConvolution);
  patterns.add<CholeskyOp>(expandCholesky);
  patterns.add<TriangularSolveOp>(expandTriangularSolve);
  patterns.add<FftOp>(expandFft);
}
