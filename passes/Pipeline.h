// SPDX-License-Identifier: Apache-2.0
// The one map of the compiler's middle: every stage as a function of a few lines. Nothing else
// orders passes.

#ifndef HLOC_PASSES_PIPELINE_H
#define HLOC_PASSES_PIPELINE_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace hloc {

/// The text's form -> `func.func @main` of hlo operations on plain row-major arrays.
void buildCorePipeline(mlir::OpPassManager &passes);

/// Rules, common subexpressions, loops: fewer operations of the same kinds.
void buildSimplificationPipeline(mlir::OpPassManager &passes);

/// All operations -> those that fusion and codegen know.
void buildExpansionPipeline(mlir::OpPassManager &passes);

/// Dots and convolutions in the forms that codegen knows.
void buildContractionPipeline(mlir::OpPassManager &passes, bool simplify);

/// Operations -> kernels, their order, their places in memory; with `check` the plan is checked.
void buildKernelPipeline(mlir::OpPassManager &passes, unsigned level, bool check = false);

/// The stages on hlo at optimization level 0 to 3.
void buildHloPipeline(mlir::OpPassManager &passes, unsigned level);

} // namespace hloc

#endif
