// SPDX-License-Identifier: Apache-2.0
// Loads and stores with constant masks, as ones of parts without masks.

#ifndef HLOC_CODEGEN_LOWER_SPLITCONSTANTMASKS_H
#define HLOC_CODEGEN_LOWER_SPLITCONSTANTMASKS_H

#include "llvm/IR/PassManager.h"

namespace hloc {

struct Target;

/// Rows rarely end with a whole vector. If the target has no masked access for the width of the
/// elements, LLVM expands such an access element by element; this pass splits it into parts of
/// powers of two. Masked stores are split on all targets without mask registers, as they are slow
/// on many processors that have them, and those of wide elements on others, since loads wait for
/// them. Tests: test/codegen/row-ends-without-masks.hlo, row-ends-in-place.hlo.
struct SplitConstantMasks : llvm::PassInfoMixin<SplitConstantMasks> {
  explicit SplitConstantMasks(const Target &target) : target(target) {}

  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  const Target &target;
};

} // namespace hloc

#endif
