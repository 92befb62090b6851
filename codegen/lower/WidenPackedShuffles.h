// SPDX-License-Identifier: Apache-2.0
// Works around shuffles of elements of two and four bits that LLVM 22's code generators cannot
// handle ("Do not know how to promote this operator's operand"). They arise when InstCombine moves
// shuffles of bytes before the truncation of their results. Test: test/codegen/packed-shuffles.hlo.

#ifndef HLOC_CODEGEN_LOWER_WIDENPACKEDSHUFFLES_H
#define HLOC_CODEGEN_LOWER_WIDENPACKEDSHUFFLES_H

#include "llvm/IR/PassManager.h"

namespace hloc {

/// Shuffles such elements as bytes. Runs last, when no pass moves shuffles any more.
struct WidenPackedShuffles : llvm::PassInfoMixin<WidenPackedShuffles> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace hloc

#endif
