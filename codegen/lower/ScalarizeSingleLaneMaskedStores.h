// SPDX-License-Identifier: Apache-2.0
// Masked stores of which a part writes one lane.
#pragma once

#include "llvm/IR/PassManager.h"

namespace hloc {

/// LLVM 22 turns a masked store of truncated integers into a truncating one, and that, where a
/// constant mask has one lane, into a scalar store: of the wide type, past the end of the array. It
/// does so after it has split vectors, so each part of a vector counts. This pass stores such lanes
/// by themselves before. Test: test/codegen/scalarize-single-lane-masked-stores.hlo.
struct ScalarizeSingleLaneMaskedStores : llvm::PassInfoMixin<ScalarizeSingleLaneMaskedStores> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace hloc
