// SPDX-License-Identifier: Apache-2.0
// The one map of the compiler's middle: every stage as a function of a few lines. Nothing else
// orders passes.

#ifndef HLOC_PASSES_PIPELINE_H
#define HLOC_PASSES_PIPELINE_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace hloc {

/// The text's form -> `func.func @main` of hlo operations on plain arrays.
void buildCorePipeline(mlir::OpPassManager &passes);

} // namespace hloc

#endif
