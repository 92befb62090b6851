// SPDX-License-Identifier: Apache-2.0
// Cholesky factors and triangular systems as loops over rows, in which each step is a vector-matrix
// product for all matrices of the batch. Test: test/passes/expand/expand-operations.mlir.
#include "passes/Build.h"
#include "passes/expand/Expansions.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

bool isComplex(Value value) { return isa<ComplexType>(arrayType(value).getElementType()); }

/// Element type of the computation: at least f32.
Type widened(Type element) {
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32)
    return Float32Type::get(element.getContext());
  return element;
}

Type realType(Type element) {
  auto complex = dyn_cast<ComplexType>(element);
  return complex ? complex.getElementType() : element;
}

Value real(Build build, Value value) {
  if (!isComplex(value))
    return value;
  auto type = arrayType(value);
  return RealOp::create(build.builder, build.loc, type.clone(realType(type.getElementType())),
                        value);
}

Value makeComplex(Build build, Value realPart, Value imaginaryPart) {
  auto type = arrayType(realPart);
  return ComplexOp::create(build.builder, build.loc,
                           type.clone(ComplexType::get(type.getElementType())), realPart,
                           imaginaryPart);
}

Value imaginary(Build build, Value value) {
  auto type = arrayType(value);
  return ImagOp::create(build.builder, build.loc, type.clone(realType(type.getElementType())),
                        value);
}

Value conjugate(Build build, Value value) {
  if (!isComplex(value))
    return value;
  return makeComplex(build, real(build, value), build.unary<NegateOp>(imaginary(build, value)));
}

/// Each element of `value` divided by a real number.
Value divideByReal(Build build, Value value, Value divisor) {
  if (!isComplex(value))
    return build.div(value, divisor);
  return makeComplex(build, build.div(real(build, value), divisor),
                     build.div(imaginary(build, value), divisor));
}

/// [batch..., rows, columns] as [batch, rows, columns] in the type of the computation.
Value toBatch(Build build, Value value) {
  auto shape = arrayType(value).getShape();
  value = build.convert(value, widened(arrayType(value).getElementType()));
  return build.reshape(value, {product(shape.drop_back(2)), shape[shape.size() - 2], shape.back()});
}

Value swapLastTwo(Build build, Value value) { return build.transpose(value, {0, 2, 1}); }

/// Compares the row with the column of each element of matrices of `shape`.
Value compareIndices(Build build, ArrayRef<int64_t> shape, Direction direction) {
  Type i32 = build.builder.getI32Type();
  return build.compare(build.iota(shape, i32, 1), build.iota(shape, i32, 2), direction);
}

struct ExpandCholesky : OpRewritePattern<CholeskyOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CholeskyOp op, PatternRewriter &rewriter) const override {
    if (arrayType(op).getNumElements() == 0) {
      rewriter.replaceOp(op, op.getOperand());
      return success();
    }
    Build build(rewriter, op.getLoc());
    auto [factor, failedRow] = factorize(build, op.getOperand(), op.getLower());
    Value failed = build.compare(failedRow, 0.0, Direction::NE);
    SmallVector<int64_t> batch = iotaVector(arrayType(failed).getRank());
    Value nan = build.splatLike(factor, std::numeric_limits<double>::quiet_NaN());
    rewriter.replaceOp(op, build.select(build.broadcastLike(failed, factor, batch), nan, factor));
    return success();
  }
};

/// Substitution: x[i,:] = (b[i,:] - a[i,:] x) / a[i,i], where rows that are not yet computed are 0.
struct ExpandTriangularSolve : OpRewritePattern<TriangularSolveOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TriangularSolveOp op, PatternRewriter &rewriter) const override {
    if (arrayType(op).getNumElements() == 0) {
      rewriter.replaceOp(op, op.getB());
      return success();
    }
    Build build(rewriter, op.getLoc());
    Value a = toBatch(build, op.getA()), b = toBatch(build, op.getB());
    bool lower = op.getLower(), transposes = op.getTransposeA() != Transpose::NoTranspose;
    if (op.getTransposeA() == Transpose::Adjoint)
      a = conjugate(build, a);
    if (!op.getLeftSide()) { // x op(a) = b is op(a)^T x^T = b^T
      b = swapLastTwo(build, b);
      transposes = !transposes;
    }
    if (transposes) {
      a = swapLastTwo(build, a);
      lower = !lower;
    }
    ArrayRef<int64_t> shape = arrayType(a).getShape();
    int64_t batch = shape[0], n = shape[1], m = arrayType(b).getDimSize(2);
    Value nothing = build.splatLike(a, 0), zero = build.index(0);
    Value strict = build.select(compareIndices(build, shape, lower ? Direction::GT : Direction::LT),
                                a, nothing);
    auto step = [&](Build build, Value i, ValueRange state) -> SmallVector<Value> {
      Value coefficients = build.dynamicSlice(strict, {zero, i, zero}, {batch, 1, n});
      Value row = build.dynamicSlice(b, {zero, i, zero}, {batch, 1, m});
      row = build.sub(row, build.dot(coefficients, state[0], {0}, {0}, {2}, {1}));
      if (!op.getUnitDiagonal()) {
        Value pivot = build.dynamicSlice(a, {zero, i, i}, {batch, 1, 1});
        row = build.div(row, build.broadcast(build.reshape(pivot, {batch}), {batch, 1, m}, {0}));
      }
      return {build.dynamicUpdateSlice(state[0], row, {zero, i, zero})};
    };
    Value x = build.countedLoop(n, /*reversed=*/!lower, build.splatLike(b, 0), step)[0];
    if (!op.getLeftSide())
      x = swapLastTwo(build, x);
    auto resultType = arrayType(op.getB());
    rewriter.replaceOp(
        op, build.convert(build.reshape(x, resultType.getShape()), resultType.getElementType()));
    return success();
  }
};

} // namespace

/// A = U^H U row by row: U[j,:] = (A[j,:] - U[:,j]^H U) / sqrt(pivot), where rows that are not yet
/// computed are 0.
CholeskyFactor hloc::factorize(Build build, Value matrices, bool lower) {
  Value a = toBatch(build, matrices);
  if (lower)
    a = conjugate(build, swapLastTwo(build, a));
  RankedTensorType type = arrayType(a);
  int64_t batch = type.getDimSize(0), n = type.getDimSize(1);
  auto rowType = RankedTensorType::get({batch, 1, 1}, build.builder.getI32Type());
  Value zero = build.index(0);
  auto step = [&](Build build, Value j, ValueRange state) -> SmallVector<Value> {
    Value factor = state[0], failedRow = state[1];
    Value column = build.dynamicSlice(factor, {zero, zero, j}, {batch, n, 1});
    Value row = build.dynamicSlice(a, {zero, j, zero}, {batch, 1, n});
    Value known = build.dot(conjugate(build, column), factor, {0}, {0}, {1}, {1});
    row = build.sub(row, known);
    Value pivot = real(build, build.dynamicSlice(row, {zero, zero, j}, {batch, 1, 1}));
    // Later pivots are then NaN and fail as well.
    Value isGood = build.bitOr(build.compare(pivot, 0.0, Direction::GT),
                               build.compare(failedRow, 0.0, Direction::NE));
    Value number = build.broadcastLike(build.add(j, 1.0), failedRow, {});
    failedRow = build.select(isGood, failedRow, number);
    Value root = build.unary<SqrtOp>(pivot);
    Value spreadRoot = build.broadcast(build.reshape(root, {batch}), {batch, 1, n}, {0});
    row = divideByReal(build, row, spreadRoot);
    Value columns = build.iota({batch, 1, n}, build.builder.getI32Type(), 2);
    Value inTriangle = build.compare(columns, build.broadcastLike(j, columns, {}), Direction::GE);
    row = build.select(inTriangle, row, build.splatLike(row, 0));
    return {build.dynamicUpdateSlice(factor, row, {zero, j, zero}), failedRow};
  };
  auto results =
      build.countedLoop(n, /*reversed=*/false, {build.zero(type), build.zero(rowType)}, step);
  Value factor = results[0];
  if (lower)
    factor = conjugate(build, swapLastTwo(build, factor));
  auto shape = arrayType(matrices).getShape();
  return {build.convert(build.reshape(factor, shape), arrayType(matrices).getElementType()),
          build.reshape(results[1], shape.drop_back(2))};
}

void hloc::populateLinearAlgebraExpansions(RewritePatternSet &patterns) {
  patterns.add<ExpandCholesky, ExpandTriangularSolve>(patterns.getContext());
}
