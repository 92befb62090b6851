// SPDX-License-Identifier: Apache-2.0
// Contractions, and linear algebra on matrices.
#include "passes/bounded/BoundedDots.h"
#include "passes/bounded/BoundedPatterns.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

Value hloc::withZero(BoundedBuild &build, Value array) {
  bool hasNone = isa<Float8E8M0FNUType>(arrayType(array).getElementType());
  return hasNone ? build.convert(array, build.builder.getF32Type()) : array;
}

std::pair<Value, Value> hloc::zeroContracted(BoundedBuild &build, BoundedArray lhs,
                                             BoundedArray rhs, ArrayRef<int64_t> left,
                                             ArrayRef<int64_t> right) {
  // A size of one operand holds for both.
  for (auto [l, r] : llvm::zip(left, right)) {
    if (!lhs.sizes[l])
      lhs.sizes[l] = rhs.sizes[r];
    if (!rhs.sizes[r])
      rhs.sizes[r] = lhs.sizes[l];
  }
  for (BoundedArray *side : {&lhs, &rhs})
    side->array = withZero(build, side->array);
  Value first = build.zeroPast(lhs, left);
  bool isExact = isa<IntegerType>(lhs.getElement()) && isa<IntegerType>(rhs.getElement());
  return {first, isExact ? rhs.array : build.zeroPast(rhs, right)};
}

namespace {

/// One operand of a dot, and the roles of its dimensions.
struct DotSide {
  DotSide(const BoundedArray &array, ArrayRef<int64_t> batch, ArrayRef<int64_t> contracted)
      : array(array), batch(batch), contracted(contracted) {
    for (int64_t d = 0; d < array.getRank(); ++d)
      if (!llvm::is_contained(batch, d) && !llvm::is_contained(contracted, d))
        free.push_back(d);
  }
  /// True if it is a vector for each position of the batch.
  bool isVector() const {
    return llvm::all_of(free, [&](int64_t d) { return array.getBound(d) == 1 && !array.sizes[d]; });
  }

  const BoundedArray &array;
  ArrayRef<int64_t> batch, contracted;
  SmallVector<int64_t> free;
};

/// A matrix-vector product as products with zeros past the sizes and their sums: if an operand were
/// masked for a dot, the matrix would be written to memory again.
Value multiplyByVector(BoundedBuild &build, const DotSide &matrix, const DotSide &vector,
                       RankedTensorType type) {
  ArrayRef<int64_t> bounds = matrix.array.getBounds();
  // The vector without its free dimensions, broadcast along the corresponding dimensions of the
  // matrix.
  SmallVector<int64_t> shape, places;
  for (int64_t d = 0; d < vector.array.getRank(); ++d) {
    for (auto [own, other] : llvm::zip(vector.batch, matrix.batch))
      if (own == d)
        places.push_back(other);
    for (auto [own, other] : llvm::zip(vector.contracted, matrix.contracted))
      if (own == d)
        places.push_back(other);
    if (!llvm::is_contained(vector.free, d))
      shape.push_back(vector.array.getBound(d));
  }
  Value spread = build.broadcast(build.reshape(vector.array.array, shape), bounds, places);
  Value products = build.mul(matrix.array.array, spread);
  BoundedArray all(products, matrix.array.sizes);
  for (auto [own, other] : llvm::zip(vector.contracted, matrix.contracted))
    if (!all.sizes[other])
      all.sizes[other] = vector.array.sizes[own];
    else if (vector.array.sizes[own] && vector.array.sizes[own] != all.sizes[other])
      all.sizes[other] = build.minimum(all.sizes[other], vector.array.sizes[own]);
  Value sums = build.reduceSum(build.zeroPast(all, matrix.contracted), matrix.contracted);
  // Batch dimensions come first.
  SmallVector<int64_t> kept, order;
  for (int64_t d = 0; d < matrix.array.getRank(); ++d)
    if (!llvm::is_contained(matrix.contracted, d))
      kept.push_back(d);
  for (ArrayRef<int64_t> dimensions : {matrix.batch, ArrayRef<int64_t>(matrix.free)})
    for (int64_t d : dimensions)
      order.push_back(llvm::find(kept, d) - kept.begin());
  return build.reshape(build.transpose(sums, order), type.getShape());
}

} // namespace

/// True if rows of a matrix in memory are multiplied by a vector. A computed matrix is fused into
/// sums, but not into a dot.
static bool isOfRows(const DotSide &matrix) {
  Operation *op = matrix.array.array.getDefiningOp();
  return (!op || !op->hasTrait<Elementwise>()) && matrix.contracted.size() == 1 &&
         matrix.free.size() <= 1 && matrix.contracted[0] == matrix.array.getRank() - 1;
}

static Expanded expandDot(DotOp op, ArrayRef<BoundedArray> operands, BoundedBuild &build) {
  BoundedArray lhs = operands[0], rhs = operands[1];
  SmallVector<Value> sizes = getProductSizes(op, lhs, rhs);
  RankedTensorType type = getFullType(op.getType());
  DotSide leftSide(lhs, op.getLhsBatchDims(), op.getLhsContractingDims());
  DotSide rightSide(rhs, op.getRhsBatchDims(), op.getRhsContractingDims());
  Type element = type.getElementType();
  bool isMasked = lhs.isBoundedIn(leftSide.contracted) || rhs.isBoundedIn(rightSide.contracted);
  bool isWide = (element.isF32() || element.isF64()) && lhs.getElement() == element &&
                rhs.getElement() == element;
  if (isMasked && isWide && (leftSide.isVector() || rightSide.isVector())) {
    const DotSide &matrix = rightSide.isVector() ? leftSide : rightSide;
    const DotSide &vector = rightSide.isVector() ? rightSide : leftSide;
    if (!isOfRows(matrix))
      return BoundedArrays{BoundedArray(multiplyByVector(build, matrix, vector, type), sizes)};
    // A dot skips what is zero from one position on in both operands (MaskedRange.h).
    Value &own = lhs.sizes[leftSide.contracted[0]], &other = rhs.sizes[rightSide.contracted[0]];
    if (own && other && own != other)
      own = other = build.minimum(own, other);
  }
  auto [left, right] =
      zeroContracted(build, lhs, rhs, op.getLhsContractingDims(), op.getRhsContractingDims());
  Value array = build.cloneOn(op, {left, right}, type).front();
  return BoundedArrays{BoundedArray(array, sizes)};
}

/// The matrix whose last two dimensions are continued as an identity matrix past their sizes.
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
  Value right = build.zeroPast(result, {solved});
  Value matrix = continueAsIdentity(build, operands[0]);
  result.array = build.cloneOn(op, {matrix, right}, right.getType()).front();
  return BoundedArrays{result};
}

void hloc::populateContractions(BoundedPatterns &patterns) {
  patterns.add<DotOp>(expandDot);
  patterns.add<CholeskyOp>(expandCholesky);
  patterns.add<TriangularSolveOp>(expandTriangularSolve);
}
