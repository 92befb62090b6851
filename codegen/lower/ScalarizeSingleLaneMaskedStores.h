// SPDX-License-Identifier: Apache-2.0
// Masked stores that after splitting store a single lane.

#ifndef HLOC_CODEGEN_LOWER_SCALARIZESINGLELANEMASKEDSTORES_H
#define HLOC_CODEGEN_LOWER_SCALARIZESINGLELANEMASKEDSTORES_H

#include "llvm/IR/PassManager.h"

namespace hloc {

/// LLVM 22 turns a masked store of truncated integers into a truncating masked store, and if the
/// mask is constant with a single lane, into a scalar store of the wide type, which writes past the
/// end of the array. It does so after splitting vectors, so that each part of a vector counts. This
/// pass stores such lanes separately beforehand. Test:
/// test/codegen/scalarize-single-lane-masked-stores.hlo.
struct ScalarizeSingleLaneMaskedStores : llvm::PassInfoMixin<ScalarizeSingleLaneMaskedStores> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace hloc

#endif
