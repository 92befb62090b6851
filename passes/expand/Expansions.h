// SPDX-License-Identifier: Apache-2.0
// The patterns of --expand-operations, by subject.

#ifndef HLOC_PASSES_EXPANSIONS_H
#define HLOC_PASSES_EXPANSIONS_H

#include "compiler/hlo/HloDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/Build.h"

namespace hloc {

/// Which elements of a normalization's operand count, as a pred array, and how many count per
/// feature, as an s32 scalar. Null: all.
struct BatchNormElements {
  mlir::Value inside, count;
};

/// The results of a normalization applied to other operands.
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

/// dot and convolution whose operand types contain values that the result type does not.
void populateProductTypeExpansions(mlir::RewritePatternSet &patterns);

/// The type in which products of `lhs` and `rhs` are summed before conversion to `result`.
mlir::Type getProductSumType(mlir::Type lhs, mlir::Type rhs, mlir::Type result);
/// The type for sums that are added in several steps: at least f32 for floats.
mlir::Type widenSum(mlir::Type sum);

/// reduce, reduce_window, scatter, map and sort with computations that kernels cannot apply lane by
/// lane.
void populateElementComputationExpansions(mlir::RewritePatternSet &patterns);
void populateComparatorExpansions(mlir::RewritePatternSet &patterns);

/// reduce to the maximum or minimum of f16 or bf16.
void populateNarrowExtremeExpansions(mlir::RewritePatternSet &patterns);

/// ragged_dot.
void populateRaggedDotExpansions(mlir::RewritePatternSet &patterns);

/// rng, rng_bit_generator.
void populateRandomExpansions(mlir::RewritePatternSet &patterns);

/// True if a scan's body (x, carry) -> (s, s) is a single associative operation, or the logarithm
/// of a sum of exponentials, which is associative except for rounding.
bool isAssociativeScanBody(hlo::ComputationOp computation);
/// Clears is_associative on the scans below `root`, except where the body is known to be
/// associative. Programs claim it for bodies that are not; such scans run in order, as in XLA.
void dropAssociativityHints(mlir::Operation *root);
/// scans that are not kernels.
void populateScanExpansions(mlir::RewritePatternSet &patterns);

/// Other arrays to which a select_and_scatter `op` is applied. Null pred arrays: all elements
/// count.
struct SelectAndScatterArrays {
  mlir::Value operand, source, init;
  /// Elements of the operand that may be selected.
  mlir::Value selectable;
  /// Elements of the source that are scattered.
  mlir::Value scattered;
};

/// Expands it: first finds the position that each window selects, then scatters.
mlir::Value selectAndScatter(mlir::OpBuilder &builder, hlo::SelectAndScatterOp op,
                             hlo::ComputationOp select, const SelectAndScatterArrays &arrays);
/// Cholesky factors of matrices, with 0 in the other triangle; and for each matrix the row, counted
/// from 1, at which it turns out not to be positive definite, or 0.
struct CholeskyFactor {
  mlir::Value factor, failedRow;
};
CholeskyFactor factorize(Build build, mlir::Value matrices, bool lower);
/// Custom calls of LAPACK for small matrices.
void populateLapackCallExpansions(mlir::RewritePatternSet &patterns);

/// The custom call that multiplies a sparse matrix by a dense one.
void populateSparseCallExpansions(mlir::RewritePatternSet &patterns);

/// The dense operand that is given by stored `values` and their `indices`: each block of
/// `sparsity.getBlockSize()` elements is zero except for the stored ones.
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
