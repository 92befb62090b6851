// SPDX-License-Identifier: Apache-2.0
// Lowers loops of `scf` to branches, in the form that LLVM prefers. Test:
// test/codegen/loop-form.hlo

#ifndef HLOC_CODEGEN_LOWERLOOPS_H
#define HLOC_CODEGEN_LOWERLOOPS_H

#include "mlir/IR/PatternMatch.h"

namespace hloc {

/// Attribute of an scf.for that has at least one iteration.
inline constexpr llvm::StringLiteral kNotEmpty = "hlo.not_empty";

/// Lowers scf.for with the condition at the end of an iteration (rotated), as LLVM's passes would
/// do it. Without that, the test before the first iteration would cost a block and a set of phis
/// for each loop, even where it is known to hold.
void populateLoopLowering(mlir::RewritePatternSet &patterns);

} // namespace hloc

#endif
