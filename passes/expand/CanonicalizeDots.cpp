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

/// True if a vector for each batch is multiplied by a matrix that is computed element by element
/// and needed elsewhere too, such as the state of a recurrence. A reduction takes part in the
/// kernel that computes the matrix, where a dot would read it again.
bool isComputedAnyway(const Side &matrix, const Side &vector) {
  Operation *producer = matrix.value.getDefiningOp();
  Type element = matrix.getType().getElementType();
  return producer && producer->hasTrait<Elementwise>() && !matrix.value.hasOneUse() &&
         isa<Float32Type, Float64Type>(element) &&
         sizeOf(matrix.getType(), matrix.getFree()) > kMostInterleaved &&
         sizeOf(matrix.getType(), matrix.contracting) > kMostInterleaved &&
         sizeOf(vector.getType(), vector.getFree()) == 1;
}

/// True if a dot is a multiplication and a reduction: both operands are vectors, or one is, and the
/// other is a matrix for which a reduction is faster.
bool isReduction(const Side &matrix, const Side &vector) {
  bool areVectors = sizeOf(matrix.getType(), matrix.getFree()) == 1 &&
                    sizeOf(vector.getType(), vector.getFree()) == 1;
  return areVectors || liesAcrossBatches(matrix, vector) || isComputedAnyway(matrix, vector);
}

/// Such products as a multiplication and a reduction, in the order of the matrix's dimensions; the
/// result has the shape of the dot's.
Value multiplyInOrder(Build build, const Side &matrix, const Side &vector, Type element) {
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

/// One product per element of the dot's `result`, added to the initial 0 of every sum, which turns
/// -0 into 0.
Value multiply(Build build, const Side &lhs, const Side &rhs, RankedTensorType result) {
  Type wide = accumulatorOf(result.getElementType());
  int64_t next = lhs.batch.size(); // the result's dimension for the next free one
  auto factorOf = [&](const Side &side) {
    Sizes order(side.batch), free = side.getFree(), shape,
                             dimensions = iotaVector(side.batch.size());
    llvm::append_range(order, free);
    for (int64_t dimension : order)
      shape.push_back(side.getType().getDimSize(dimension));
    llvm::append_range(order, side.contracting);
    for (size_t i = 0; i < free.size(); ++i)
      dimensions.push_back(next++);
    Value moved = build.transpose(build.convert(side.value, wide), order);
    return build.broadcast(build.reshape(moved, shape), result.getShape(), dimensions);
  };
  Value left = factorOf(lhs), product = build.mul(left, factorOf(rhs));
  if (!isa<IntegerType>(wide))
    product = build.add(product, build.zero(arrayType(product)));
  return build.convert(product, result.getElementType());
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
    int64_t depth = sizeOf(lhsType, op.getLhsContractingDims());
    if (resultType.getNumElements() == 0 || depth == 0)
      return replace(op, build.zero(resultType));
    if (depth == 1)
      return replace(op, multiply(build, left, right, resultType));
    for (auto [matrix, vector] : {std::pair(left, right), std::pair(right, left)})
      if (isReduction(matrix, vector))
        return replace(
            op, build.reshape(multiplyInOrder(build, matrix, vector, resultType.getElementType()),
                              resultType.getShape()));
    bool hasBatch = sizeOf(lhsType, op.getLhsBatchDims()) != 1;
    Matrix lhs =
        toMatrix(build, op.getLhs(), op.getLhsBatchDims(), op.getLhsContractingDims(), hasBatch);
    Matrix rhs =
        toMatrix(build, op.getRhs(), op.getRhsBatchDims(), op.getRhsContractingDims(), hasBatch);
    Value result = makeDot(build, op, lhs, rhs, hasBatch);
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
