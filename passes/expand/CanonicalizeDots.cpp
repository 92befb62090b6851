// SPDX-License-Identifier: Apache-2.0
// Brings dots to at most one batch, row, column and contracting dimension each. Test:
// test/passes/expand/canonicalize-dots.mlir.
#include "compiler/hlo/HloDialect.h"
#include "compiler/target/VectorAccess.h"
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

/// An operand of a dot and the roles of its dimensions.
struct Side {
  Value value;
  ArrayRef<int64_t> batch, contracting;

  RankedTensorType getType() const { return arrayType(value); }
  Sizes getFree() const {
    return llvm::filter_to_vector(iotaVector(getType().getRank()), [&](int64_t dimension) {
      return !llvm::is_contained(batch, dimension) && !llvm::is_contained(contracting, dimension);
    });
  }
};

/// Moves the batch dimensions to the front and the contracting ones together: last if the minor
/// dimension is contracting, else before the free ones. Usually nothing moves.
Matrix toMatrix(Build build, Value operand, ArrayRef<int64_t> batch, ArrayRef<int64_t> contracting,
                bool hasBatch) {
  RankedTensorType type = arrayType(operand);
  Sizes free = Side{operand, batch, contracting}.getFree();
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

/// True if a vector for each batch is multiplied by a matrix whose minor dimension is a batch
/// dimension. Successive terms of a sum are then too far apart for vectors, while those of
/// successive batches are contiguous.
bool liesAcrossBatches(const Side &matrix, const Side &vector) {
  RankedTensorType type = matrix.getType();
  Sizes kept = getNonUnitDimensions(type);
  return !kept.empty() && llvm::is_contained(matrix.batch, kept.back()) &&
         type.getDimSize(kept.back()) > kMostInterleaved && sizeOf(type, matrix.contracting) > 1 &&
         sizeOf(type, matrix.getFree()) > 1 && sizeOf(vector.getType(), vector.getFree()) == 1;
}

/// Such products as a multiplication and a reduction, in the order of the matrix's dimensions; the
/// result has the shape of the dot's.
Value multiplyAcrossBatches(Build build, const Side &matrix, const Side &vector, Type element) {
  Type wide = accumulatorOf(element);
  // The vectors in the order of the matrix's dimensions.
  SmallVector<std::pair<int64_t, int64_t>> places; // in the matrix, in the vector
  for (auto [there, here] : llvm::zip(matrix.batch, vector.batch))
    places.push_back({there, here});
  for (auto [there, here] : llvm::zip(matrix.contracting, vector.contracting))
    places.push_back({there, here});
  llvm::sort(places);
  Sizes order(llvm::make_second_range(places)), dimensions(llvm::make_first_range(places)), sizes;
  for (int64_t dimension : dimensions)
    sizes.push_back(matrix.getType().getDimSize(dimension));
  llvm::append_range(order, vector.getFree());
  Value factors = build.reshape(build.transpose(build.convert(vector.value, wide), order), sizes);
  Value product = build.mul(build.convert(matrix.value, wide),
                            build.broadcast(factors, matrix.getType().getShape(), dimensions));
  Value sums = build.reduceSum(product, matrix.contracting);
  Sizes result(matrix.batch);
  llvm::append_range(result, matrix.getFree());
  for (int64_t &dimension : result)
    dimension -= llvm::count_if(matrix.contracting, [&](int64_t d) { return d < dimension; });
  return build.convert(build.transpose(sums, result), element);
}

class DotCanonicalizer {
public:
  static void rewrite(DotOp op) {
    OpBuilder builder(op);
    Build build(builder, op.getLoc());
    auto lhsType = arrayType(op.getLhs());
    auto resultType = arrayType(op);
    Side left{op.getLhs(), op.getLhsBatchDims(), op.getLhsContractingDims()},
        right{op.getRhs(), op.getRhsBatchDims(), op.getRhsContractingDims()};
    for (auto [matrix, vector] : {std::pair(left, right), std::pair(right, left)})
      if (liesAcrossBatches(matrix, vector))
        return replace(op, build.reshape(multiplyAcrossBatches(build, matrix, vector,
                                                               resultType.getElementType()),
                                         resultType.getShape()));
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
