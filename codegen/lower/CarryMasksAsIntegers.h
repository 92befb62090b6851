// SPDX-License-Identifier: Apache-2.0
// Masks that live longer than a basic block, on targets without mask registers.
#pragma once

#include "llvm/IR/PassManager.h"

namespace hloc {

/// LLVM chooses registers for what one block hands to another by type alone, and for vectors of i1
/// it finds none that fit: it takes them apart into one general register an element, or packs them
/// more narrowly than they are used. This pass carries them as vectors of integers, all bits of an
/// element equal, which are as wide as what the mask chooses between. Test:
/// test/codegen/masks-across-blocks.hlo.
struct CarryMasksAsIntegers : llvm::PassInfoMixin<CarryMasksAsIntegers> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace hloc
