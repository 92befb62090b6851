// SPDX-License-Identifier: Apache-2.0
// Repairs invalid IR of LLVM 22's SROA: when an array on the stack is written in parts, not in the
// order of its elements, and read as a whole, SROA joins the parts where the last element is
// written, which may be before other parts. Tests: test/codegen/parts-in-reverse.hlo and
// cast-parts-in-reverse.hlo.

#ifndef HLOC_CODEGEN_LOWER_MOVESHUFFLESBEHINDOPERANDS_H
#define HLOC_CODEGEN_LOWER_MOVESHUFFLESBEHINDOPERANDS_H

#include "llvm/IR/PassManager.h"

namespace hloc {

/// Moves each shuffle of vectors that precedes its operands in its block after the last of them,
/// and likewise casts of the joined vectors. Runs right after SROA. Users of the joined vectors
/// follow all parts.
struct MoveShufflesBehindOperands : llvm::PassInfoMixin<MoveShufflesBehindOperands> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace hloc

#endif
