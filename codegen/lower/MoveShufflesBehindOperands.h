// SPDX-License-Identifier: Apache-2.0
// Mends what LLVM 22's SROA makes of an array on the stack that is written part by part, not in the
// order of its elements, and read whole: it joins the parts where the last element was written,
// before other parts are. Tests: test/codegen/parts-in-reverse.hlo and cast-parts-in-reverse.hlo.

#ifndef HLOC_CODEGEN_LOWER_MOVESHUFFLESBEHINDOPERANDS_H
#define HLOC_CODEGEN_LOWER_MOVESHUFFLESBEHINDOPERANDS_H

#include "llvm/IR/PassManager.h"

namespace hloc {

/// Moves every shuffle of vectors that stands before its operands, in one block with them, behind
/// the last of these, and every cast of what they join. Runs right after SROA: what uses the joined
/// parts stands behind all of them.
struct MoveShufflesBehindOperands : llvm::PassInfoMixin<MoveShufflesBehindOperands> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace hloc

#endif
