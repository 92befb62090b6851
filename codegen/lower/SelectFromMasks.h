// SPDX-License-Identifier: Apache-2.0
// Conversions of masks to floats, on targets with SVE.

#ifndef HLOC_CODEGEN_LOWER_SELECTFROMMASKS_H
#define HLOC_CODEGEN_LOWER_SELECTFROMMASKS_H

#include "llvm/IR/PassManager.h"

namespace hloc {

/// LLVM 22 has no code for SVE that converts a mask of wide elements to narrower floats. This pass
/// makes such conversions choices between two numbers. Test: test/codegen/sve.test.
struct SelectFromMasks : llvm::PassInfoMixin<SelectFromMasks> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace hloc

#endif
