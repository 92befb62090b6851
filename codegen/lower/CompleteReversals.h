// SPDX-License-Identifier: Apache-2.0
// Keeps LLVM 22 from an endless loop: a masked store of which few elements count lets InstCombine
// drop the others from the reversals of its value's operands, and with AVX-512's shuffles of bytes
// the code generator then moves such reversals before and behind a sum without end.
// Test: test/codegen/reversals-of-part.hlo.

#ifndef HLOC_CODEGEN_LOWER_COMPLETEREVERSALS_H
#define HLOC_CODEGEN_LOWER_COMPLETEREVERSALS_H

#include "llvm/IR/PassManager.h"

namespace hloc {

/// Reverses all elements where those that count are reversed. Runs last, when nothing drops
/// elements any more.
struct CompleteReversals : llvm::PassInfoMixin<CompleteReversals> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace hloc

#endif
