// SPDX-License-Identifier: Apache-2.0
// The patterns of --expand-operations, by subject.

#ifndef HLOC_PASSES_EXPANSIONS_H
#define HLOC_PASSES_EXPANSIONS_H

#include "mlir/IR/PatternMatch.h"

namespace hloc {

/// batch_norm_training, batch_norm_inference, batch_norm_grad.
void populateBatchNormExpansions(mlir::RewritePatternSet &patterns);

/// cholesky, triangular_solve.
void populateLinearAlgebraExpansions(mlir::RewritePatternSet &patterns);

/// dot and convolution whose operands have a type that the result does not hold.
void populateProductTypeExpansions(mlir::RewritePatternSet &patterns);

/// rng, rng_bit_generator.
void populateRandomExpansions(mlir::RewritePatternSet &patterns);

/// Takes back what the scans below `root` promise of their bodies, but where a body is one
/// operation that is associative: those of programs are stepped through in order, as in XLA, since
/// bodies that are not associative are said to be. Scans that expansions make keep what they say.
void dropAssociativityHints(mlir::Operation *root);
/// scans that no kernel steps through.
void populateScanExpansions(mlir::RewritePatternSet &patterns);

/// select_and_scatter, cumulative reduce_window.
void populateWindowExpansions(mlir::RewritePatternSet &patterns);

/// clamp, topk, index vectors and other short ones.
void populateSmallExpansions(mlir::RewritePatternSet &patterns);

} // namespace hloc

#endif
