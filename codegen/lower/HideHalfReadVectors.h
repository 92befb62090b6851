// SPDX-License-Identifier: Apache-2.0
// Keeps LLVM 22 from a shuffle that its code generator for AVX-512 never comes to an end with: of
// bytes, most results twice in a row or more, all from one half of a whole register that was
// computed. It would compute that half alone, and then take the shuffle apart and put it together
// for ever. Test: test/codegen/repeated-bytes.hlo.

#ifndef HLOC_CODEGEN_LOWER_HIDEHALFREADVECTORS_H
#define HLOC_CODEGEN_LOWER_HIDEHALFREADVECTORS_H

#include "llvm/IR/PassManager.h"

namespace hloc {

/// Hides from LLVM what such a shuffle reads of its operand, for functions whose target has
/// AVX-512. Runs last, when shuffles are what code generation gets.
struct HideHalfReadVectors : llvm::PassInfoMixin<HideHalfReadVectors> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace hloc

#endif
