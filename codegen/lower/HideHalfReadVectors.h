// SPDX-License-Identifier: Apache-2.0
// Works around an endless loop in LLVM 22's code generator for AVX-512: in a shuffle of bytes that
// repeats most results at least twice and reads only half of a computed register, it narrows the
// operand to that half, and then splits and rejoins the shuffle forever. Test:
// test/codegen/repeated-bytes.hlo.

#ifndef HLOC_CODEGEN_LOWER_HIDEHALFREADVECTORS_H
#define HLOC_CODEGEN_LOWER_HIDEHALFREADVECTORS_H

#include "llvm/IR/PassManager.h"

namespace hloc {

/// Hides the operand of such shuffles from LLVM, in functions whose target has AVX-512. Runs last,
/// on the shuffles that code generation gets.
struct HideHalfReadVectors : llvm::PassInfoMixin<HideHalfReadVectors> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace hloc

#endif
