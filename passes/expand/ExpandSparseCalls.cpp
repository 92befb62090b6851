// SPDX-License-Identifier: Apache-2.0
// The custom call with which JAX multiplies a sparse matrix in CSR form by dense columns becomes a
// gather of the dense operand's rows and a scatter that adds them in the order of storage. Test:
// test/passes/expand/sparse-matrix-calls.hlo.
#include "compiler/hlo/ElementType.h"
#include "passes/Build.h"
#include "passes/Computations.h"
#include "passes/expand/Expansions.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

/// The operands of `cpu_csr_sparse_dense_ffi`.
struct RowsTimesDense {
  Value data;    // [stored]
  Value starts;  // [rows + 1]: the start of each row, and the end of the last
  Value columns; // [stored]
  Value dense;   // [columns] or [columns, n]

  /// None unless types and shapes are those that the call defines.
  static std::optional<RowsTimesDense> match(CustomCallOp op);
};

std::optional<RowsTimesDense> RowsTimesDense::match(CustomCallOp op) {
  if (op.getCustomCallTarget() != "cpu_csr_sparse_dense_ffi" || op.getInputs().size() != 4 ||
      op.getNumResults() != 1 ||
      !llvm::all_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) ||
      !isa<RankedTensorType>(op.getResult(0).getType()))
    return std::nullopt;
  RowsTimesDense product{op.getInputs()[0], op.getInputs()[1], op.getInputs()[2],
                         op.getInputs()[3]};
  auto data = arrayType(product.data), starts = arrayType(product.starts),
       columns = arrayType(product.columns), dense = arrayType(product.dense),
       result = arrayType(op.getResult(0));
  bool areVectors =
      data.getRank() == 1 && starts.getRank() == 1 && columns == starts.clone(data.getShape());
  bool sameTypes = data.getElementType() == dense.getElementType() &&
                   data.getElementType() == result.getElementType();
  bool isInteger = isa<IntegerType>(starts.getElementType()) && !isPred(starts.getElementType());
  if (!areVectors || !sameTypes || !isInteger || isPred(data.getElementType()) ||
      starts.getDimSize(0) == 0 || dense.getRank() < 1 || dense.getRank() > 2 ||
      result.getRank() != dense.getRank() || result.getDimSize(0) != starts.getDimSize(0) - 1 ||
      result.getShape().drop_front() != dense.getShape().drop_front())
    return std::nullopt;
  return product;
}

/// Adds the updates [i, ...] to `target` at positions `places` [i] along the first dimension; those
/// out of bounds are dropped.
Value addAt(Build build, CustomCallOp op, Value target, Value places, Value updates,
            bool areSorted) {
  Type element = arrayType(target).getElementType();
  SmallVector<int64_t> window;
  for (int64_t d = 1; d < arrayType(target).getRank(); ++d)
    window.push_back(d);
  int64_t count = arrayType(places).getDimSize(0);
  auto add =
      getOrCreateReducer(op->getParentOfType<ModuleOp>(), AddOp::getOperationName(), element);
  return ScatterOp::create(build.builder, build.loc, TypeRange{target.getType()},
                           ValueRange{target, build.reshape(places, {count, 1}), updates},
                           /*update_window_dims=*/window,
                           /*inserted_window_dims=*/ArrayRef<int64_t>{0},
                           /*input_batching_dims=*/ArrayRef<int64_t>{},
                           /*scatter_indices_batching_dims=*/ArrayRef<int64_t>{},
                           /*scatter_dims_to_operand_dims=*/ArrayRef<int64_t>{0},
                           /*index_vector_dim=*/1, add.getSymName(), areSorted,
                           /*unique_indices=*/false)
      .getResult(0);
}

/// The inclusive prefix sums of a vector of s32.
Value sumUpTo(Build build, CustomCallOp op, Value vector) {
  Type i32 = build.builder.getI32Type(), scalar = RankedTensorType::get({}, i32);
  ComputationOp body =
      createComputation(op->getParentOfType<ModuleOp>(), "sum.scan", {scalar, scalar},
                        [&](OpBuilder &builder, ValueRange values) {
                          Value sum = Build(builder, build.loc).add(values[1], values[0]);
                          return SmallVector<Value>{sum, sum};
                        });
  return ScanOp::create(build.builder, build.loc, TypeRange{vector.getType(), scalar},
                        ValueRange{vector, build.index(0)}, build.builder.getDenseI64ArrayAttr(0),
                        build.builder.getI64IntegerAttr(1),
                        build.builder.getBoolAttr(/*is_reverse=*/false),
                        build.builder.getBoolAttr(/*is_associative=*/true),
                        FlatSymbolRefAttr::get(body.getSymNameAttr()))
      .getResult(0);
}

/// The row of each stored element: the number of rows that begin at or before it, minus one. That
/// is -1 before the first row, and the number of rows after the last.
Value findRows(Build build, CustomCallOp op, Value starts, int64_t stored) {
  Type i32 = build.builder.getI32Type();
  Value none = build.zero(RankedTensorType::get({stored}, i32));
  Value ones = build.splat(RankedTensorType::get(arrayType(starts).getShape(), i32), 1);
  Value begins = addAt(build, op, none, starts, ones, /*areSorted=*/false);
  return build.sub(sumUpTo(build, op, begins), 1.0);
}

/// Row `columns` [i] of the dense operand for each stored element i.
Value gatherRows(Build build, Value dense, Value columns) {
  auto type = arrayType(dense);
  SmallVector<int64_t> slice(type.getShape()), shape(type.getShape()), offsets;
  slice[0] = 1;
  shape[0] = arrayType(columns).getDimSize(0);
  for (int64_t d = 1; d < type.getRank(); ++d)
    offsets.push_back(d);
  return GatherOp::create(build.builder, build.loc, type.clone(shape), dense, columns, offsets,
                          /*collapsed_slice_dims=*/ArrayRef<int64_t>{0},
                          /*operand_batching_dims=*/ArrayRef<int64_t>{},
                          /*start_indices_batching_dims=*/ArrayRef<int64_t>{},
                          /*start_index_map=*/ArrayRef<int64_t>{0}, /*index_vector_dim=*/1, slice,
                          /*indices_are_sorted=*/false);
}

struct ExpandRowsTimesDense : OpRewritePattern<CustomCallOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CustomCallOp op, PatternRewriter &rewriter) const override {
    std::optional<RowsTimesDense> product = RowsTimesDense::match(op);
    if (!product)
      return rewriter.notifyMatchFailure(op, "no product of a sparse matrix");
    Build build(rewriter, op.getLoc());
    Value sum = build.zero(arrayType(op.getResult(0)));
    int64_t stored = arrayType(product->data).getDimSize(0);
    if (stored > 0 && arrayType(product->dense).getNumElements() > 0) {
      Value gathered = gatherRows(build, product->dense, product->columns);
      Value products = build.mul(build.broadcastLike(product->data, gathered, {0}), gathered);
      Value rows = findRows(build, op, product->starts, stored);
      sum = addAt(build, op, sum, rows, products, /*areSorted=*/true);
    }
    rewriter.replaceOp(op, sum);
    return success();
  }
};

} // namespace

void hloc::populateSparseCallExpansions(RewritePatternSet &patterns) {
  patterns.add<ExpandRowsTimesDense>(patterns.getContext());
}
