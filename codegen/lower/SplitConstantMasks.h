// SPDX-License-Identifier: Apache-2.0
// Loads and stores of known elements, on targets without instructions for that.
#pragma once

#include "llvm/IR/PassManager.h"

namespace hloc {

struct Target;

/// Rows rarely end with a whole vector. Where the target has no masked access for the width of the
/// elements LLVM takes such a vector apart element by element; this pass does it in parts of powers
/// of two. Stores are taken apart wherever masks have no registers: masked stores are slow on many
/// processors that have them. Test: test/codegen/row-ends-without-masks.hlo.
struct SplitConstantMasks : llvm::PassInfoMixin<SplitConstantMasks> {
  explicit SplitConstantMasks(const Target &target) : target(target) {}

  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  const Target &target;
};

} // namespace hloc
