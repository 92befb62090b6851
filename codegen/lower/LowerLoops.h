// SPDX-License-Identifier: Apache-2.0
// Loops of `scf` to branches, in the form that LLVM wants them in. Test: test/codegen/loop-form.hlo

#ifndef HLOC_CODEGEN_LOWERLOOPS_H
#define HLOC_CODEGEN_LOWERLOOPS_H

#include "mlir/IR/PatternMatch.h"

namespace hloc {

/// An attribute of scf.for that says it has at least one round.
inline constexpr llvm::StringLiteral kNotEmpty = "hlo.not_empty";

/// Lowers scf.for with the condition at the end of a round, as LLVM's passes would turn it. What is
/// tested before the first round, unless that is known, would otherwise be a block and a set of
/// values more for each loop.
void populateLoopLowering(mlir::RewritePatternSet &patterns);

} // namespace hloc

#endif
