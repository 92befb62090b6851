// SPDX-License-Identifier: Apache-2.0
// Keeps LLVM 22 from shuffles of elements of two and four bits, some of which its code generators
// give up on ("Do not know how to promote this operator's operand"): InstCombine moves shuffles of
// bytes before the truncations of their results. Test: test/codegen/packed-shuffles.hlo.

#ifndef HLOC_CODEGEN_LOWER_WIDENPACKEDSHUFFLES_H
#define HLOC_CODEGEN_LOWER_WIDENPACKEDSHUFFLES_H

#include "llvm/IR/PassManager.h"

namespace hloc {

/// Shuffles such elements as bytes. Runs last, when nothing moves shuffles any more.
struct WidenPackedShuffles : llvm::PassInfoMixin<WidenPackedShuffles> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace hloc

#endif
