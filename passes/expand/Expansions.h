// SPDX-License-Identifier: Apache-2.0
// The patterns of --expand-operations, by subject.

#ifndef HLOC_PASSES_EXPANSIONS_H
#define HLOC_PASSES_EXPANSIONS_H

#include "compiler/hlo/HloDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/Build.h"

namespace hloc {

/// Which elements of a normalization's operand count, as pred, and how many of each feature, as s32
/// scalar. Null: all do.
struct BatchNormElements {
  mlir::Value inside, count;
};

/// The results of normalizations of other operands.
llvm::SmallVector<mlir::Value> batchNormTraining(mlir::OpBuilder &builder,
                                                 hlo::BatchNormTrainingOp op,
                                                 mlir::ValueRange operands,
                                                 const BatchNormElements &elements);
llvm::SmallVector<mlir::Value> batchNormGrad(mlir::OpBuilder &builder, hlo::BatchNormGradOp op,
                                             mlir::ValueRange operands,
                                             const BatchNormElements &elements);

/// batch_norm_training, batch_norm_inference, batch_norm_grad.
void populateBatchNormExpansions(mlir::RewritePatternSet &patterns);

/// cholesky, triangular_solve.
void populateLinearAlgebraExpansions(mlir::RewritePatternSet &patterns);

/// dot and convolution whose operands have a type that the result does not hold.
void populateProductTypeExpansions(mlir::RewritePatternSet &patterns);

/// The type in which products of `lhs` and `rhs` are summed before they become `result`.
mlir::Type getProductSumType(mlir::Type lhs, mlir::Type rhs, mlir::Type result);
/// At least f32 where it is a float: the type of sums that are added up in several steps.
mlir::Type widenSum(mlir::Type sum);

/// reduce, reduce_window, scatter, map and sort whose computations kernels cannot do in lanes.
void populateElementComputationExpansions(mlir::RewritePatternSet &patterns);
void populateComparatorExpansions(mlir::RewritePatternSet &patterns);

/// ragged_dot.
void populateRaggedDotExpansions(mlir::RewritePatternSet &patterns);

/// rng, rng_bit_generator.
void populateRandomExpansions(mlir::RewritePatternSet &patterns);

/// Whether a scan's body (x, carry) -> (s, s) is one associative operation, or the logarithm of a
/// sum of exponentials, which is associative but for rounding.
bool isAssociativeScanBody(hlo::ComputationOp computation);
/// Takes back what the scans below `root` promise of their bodies, but where a body is known
/// to be associative: others are stepped through in order, as in XLA, since bodies that
/// are not associative are said to be.
void dropAssociativityHints(mlir::Operation *root);
/// scans that no kernel steps through.
void populateScanExpansions(mlir::RewritePatternSet &patterns);

/// What a select_and_scatter `op` gives for other arrays. Null pred arrays: all elements count.
struct SelectAndScatterArrays {
  mlir::Value operand, source, init;
  /// Elements of the operand that may be selected.
  mlir::Value selectable;
  /// Elements of the source that go somewhere.
  mlir::Value scattered;
};

/// Expands it: first the position that each window selects, then a scatter.
mlir::Value selectAndScatter(mlir::OpBuilder &builder, hlo::SelectAndScatterOp op,
                             hlo::ComputationOp select, const SelectAndScatterArrays &arrays);
/// Cholesky factors of matrices, 0 in the other triangle, and for each the row, counted from 1, at
/// which it proves not to be positive definite, or 0.
struct CholeskyFactor {
  mlir::Value factor, failedRow;
};
CholeskyFactor factorize(Build build, mlir::Value matrices, bool lower);
/// Custom calls of LAPACK for small matrices.
void populateLapackCallExpansions(mlir::RewritePatternSet &patterns);

/// The custom call of a sparse matrix times a dense one.
void populateSparseCallExpansions(mlir::RewritePatternSet &patterns);

/// The dense operand that `values` and where they belong stand for: of each block
/// `sparsity.getBlockSize()` elements, zeros but for those that are stored.
mlir::Value makeDense(Build build, mlir::Value values, mlir::Value indices,
                      hlo::SparsityAttr sparsity);
/// convolution with sparse operands, scaled_dot.
void populateSparseOperandExpansions(mlir::RewritePatternSet &patterns);

/// select_and_scatter, cumulative reduce_window.
void populateWindowExpansions(mlir::RewritePatternSet &patterns);

/// clamp, topk, index vectors and other short ones.
void populateSmallExpansions(mlir::RewritePatternSet &patterns);

} // namespace hloc

#endif
