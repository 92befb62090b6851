// SPDX-License-Identifier: Apache-2.0
// Works around an endless loop in LLVM 22: for a masked store of which few elements are stored,
// InstCombine drops the others from the reversing shuffles of the value's operands. With the byte
// shuffles of AVX-512, the code generator then moves such shuffles before and after an addition
// forever. Test: test/codegen/reversals-of-part.hlo.

#ifndef HLOC_CODEGEN_LOWER_COMPLETEREVERSALS_H
#define HLOC_CODEGEN_LOWER_COMPLETEREVERSALS_H

#include "llvm/IR/PassManager.h"

namespace hloc {

/// Completes partial reversing shuffles. Runs last, when no pass drops elements any more.
struct CompleteReversals : llvm::PassInfoMixin<CompleteReversals> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace hloc

#endif
