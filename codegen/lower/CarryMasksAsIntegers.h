// SPDX-License-Identifier: Apache-2.0
// Masks that are live across basic blocks, on targets without mask registers.

#ifndef HLOC_CODEGEN_LOWER_CARRYMASKSASINTEGERS_H
#define HLOC_CODEGEN_LOWER_CARRYMASKSASINTEGERS_H

#include "llvm/IR/PassManager.h"

namespace hloc {

/// LLVM assigns registers to values that are live across blocks by type alone, and no registers fit
/// vectors of i1: it splits them into one general register per element, or packs them more narrowly
/// than they are used. This pass carries them as vectors of integers in which all bits of an
/// element are equal, as wide as the values that the mask selects. Test:
/// test/codegen/masks-across-blocks.hlo.
struct CarryMasksAsIntegers : llvm::PassInfoMixin<CarryMasksAsIntegers> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace hloc

#endif
