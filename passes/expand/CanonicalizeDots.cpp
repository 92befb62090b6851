// SPDX-License-Identifier: Apache-2.0
// Brings dots to at most one batch, row, column and contracting dimension each. Test:
// test/passes/expand/canonicalize-dots.mlir.
#include "compiler/hlo/HloDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Build.h"
#include "passes/Passes.h"
#include "passes/simplify/Match.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_CANONICALIZEDOTS
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

using Sizes = SmallVector<int64_t>;

/// An operand as a matrix or a batch of matrices.
struct Matrix {
  Value value;                      // [batch,] rows, columns
  bool contractsLast;               // the contracting dimension is that of the columns
  int64_t batch, free, contracting; // sizes
};

int64_t sizeOf(RankedTensorType type, ArrayRef<int64_t> dimensions) {
  int64_t size = 1;
  for (int64_t dimension : dimensions)
    size *= type.getDimSize(dimension);
  return size;
}

/// Moves the batch dimensions to the front and the contracting ones together: last if the minor
/// dimension is contracting, else before the free ones. Usually nothing moves.
Matrix toMatrix(Build build, Value operand, ArrayRef<int64_t> batch, ArrayRef<int64_t> contracting,
                bool hasBatch) {
  RankedTensorType type = arrayType(operand);
  Sizes free;
  for (int64_t dimension : iotaVector(type.getRank()))
    if (!llvm::is_contained(batch, dimension) && !llvm::is_contained(contracting, dimension))
      free.push_back(dimension);
  int64_t last = type.getRank() - 1;
  while (last > 0 && type.getDimSize(last) == 1)
    --last;
  Matrix matrix;
  matrix.contractsLast = sizeOf(type, free) == 1 || llvm::is_contained(contracting, last) ||
                         !llvm::is_contained(free, last);
  matrix.batch = sizeOf(type, batch);
  matrix.free = sizeOf(type, free);
  matrix.contracting = sizeOf(type, contracting);
  Sizes order(batch), shape;
  llvm::append_range(order, matrix.contractsLast ? ArrayRef<int64_t>(free) : contracting);
  llvm::append_range(order, matrix.contractsLast ? contracting : ArrayRef<int64_t>(free));
  if (hasBatch)
    shape.push_back(matrix.batch);
  shape.push_back(matrix.contractsLast ? matrix.free : matrix.contracting);
  shape.push_back(matrix.contractsLast ? matrix.contracting : matrix.free);
  matrix.value = build.reshape(build.transpose(operand, order), shape);
  return matrix;
}

/// The type in which products are summed for a result of element type `result`.
Type accumulatorOf(Type result) {
  if (auto type = dyn_cast<FloatType>(result); type && type.getWidth() < 32)
    return Float32Type::get(result.getContext());
  return result;
}

class DotCanonicalizer {
public:
  static void rewrite(DotOp op) {
    OpBuilder builder(op);
    Build build(builder, op.getLoc());
    auto lhsType = arrayType(op.getLhs());
    auto resultType = arrayType(op);
    int64_t batch = sizeOf(lhsType, op.getLhsBatchDims());
    bool hasBatch = batch != 1;
    if (resultType.getNumElements() == 0 || sizeOf(lhsType, op.getLhsContractingDims()) == 0) {
      return replace(op, build.zero(resultType));
    }
    Matrix lhs =
        toMatrix(build, op.getLhs(), op.getLhsBatchDims(), op.getLhsContractingDims(), hasBatch);
    Matrix rhs =
        toMatrix(build, op.getRhs(), op.getRhsBatchDims(), op.getRhsContractingDims(), hasBatch);
    Value result;
    if (lhs.contracting == 1)
      result = multiply(build, lhs, rhs, resultType.getElementType());
    else if (lhs.free == 1 && rhs.free == 1)
      result = multiplyAndReduce(build, lhs, rhs, resultType.getElementType());
    else
      result = makeDot(build, op, lhs, rhs, hasBatch);
    replace(op, build.reshape(result, resultType.getShape()));
  }

private:
  static void replace(DotOp op, Value value) {
    if (value == op)
      return;
    op.replaceAllUsesWith(value);
    op.erase();
  }

  static Value makeDot(Build build, DotOp op, Matrix lhs, Matrix rhs, bool hasBatch) {
    int64_t first = hasBatch ? 1 : 0; // of the two matrix dimensions
    Sizes batch(hasBatch ? Sizes{0} : Sizes{}), shape;
    if (hasBatch)
      shape.push_back(lhs.batch);
    shape.append({lhs.free, rhs.free});
    int64_t lhsContracting = first + lhs.contractsLast, rhsContracting = first + rhs.contractsLast;
    if (lhs.value == op.getLhs() && rhs.value == op.getRhs() &&
        arrayType(op).getShape() == ArrayRef(shape) &&
        op.getLhsContractingDims() == ArrayRef(lhsContracting) &&
        op.getRhsContractingDims() == ArrayRef(rhsContracting))
      return op; // canonical already
    return DotOp::create(build.builder, op.getLoc(), arrayType(op).clone(shape), lhs.value,
                         rhs.value, batch, batch, ArrayRef(lhsContracting),
                         ArrayRef(rhsContracting), op.getOperandPrecisionAttr(),
                         op.getAlgorithmAttr());
  }

  /// One product per element of the result, added to the initial 0 of every sum, which turns -0
  /// into 0.
  static Value multiply(Build build, Matrix lhs, Matrix rhs, Type element) {
    Type wide = accumulatorOf(element);
    Sizes shape{lhs.batch, lhs.free, rhs.free};
    Value left = build.reshape(build.convert(lhs.value, wide), {lhs.batch, lhs.free});
    Value right = build.reshape(build.convert(rhs.value, wide), {rhs.batch, rhs.free});
    Value product =
        build.mul(build.broadcast(left, shape, {0, 1}), build.broadcast(right, shape, {0, 2}));
    if (!isa<IntegerType>(wide))
      product = build.add(product, build.zero(arrayType(product)));
    return build.convert(product, element);
  }

  /// One sum per batch element.
  static Value multiplyAndReduce(Build build, Matrix lhs, Matrix rhs, Type element) {
    Type wide = accumulatorOf(element);
    Sizes shape{lhs.batch, lhs.contracting};
    Value product = build.mul(build.reshape(build.convert(lhs.value, wide), shape),
                              build.reshape(build.convert(rhs.value, wide), shape));
    return build.convert(build.reduceSum(product, {1}), element);
  }
};

struct CanonicalizeDots : hloc::impl::CanonicalizeDotsBase<CanonicalizeDots> {
  void runOnOperation() override {
    SmallVector<DotOp> dots;
    getOperation().walk([&](DotOp dot) { dots.push_back(dot); });
    for (DotOp dot : dots)
      DotCanonicalizer::rewrite(dot);
  }
};

} // namespace
