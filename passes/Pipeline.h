// SPDX-License-Identifier: Apache-2.0
// The one map of the compiler's middle: every stage as a function of a few lines. Nothing else
// orders passes.

#ifndef HLOC_PASSES_PIPELINE_H
#define HLOC_PASSES_PIPELINE_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace hloc {

/// The text's form -> `func.func @main` of hlo operations on plain arrays. Arguments and results
/// still have their logical shapes, and the layouts that hosts see as attributes.
void buildInterfacePipeline(mlir::OpPassManager &passes);

/// That, then arguments and results as they lie in memory: all arrays are row-major.
void buildCorePipeline(mlir::OpPassManager &passes);

/// Rules, common subexpressions, loops: fewer operations of the same kinds.
void buildSimplificationPipeline(mlir::OpPassManager &passes);

/// All operations -> those that fusion and codegen know.
void buildExpansionPipeline(mlir::OpPassManager &passes);

/// Dots and convolutions in the forms that codegen knows.
void buildContractionPipeline(mlir::OpPassManager &passes, bool simplify);

struct KernelPipelineOptions {
  unsigned level = 3;
  /// Check the plan of memory (check-buffers).
  bool check = false;
  /// Say as remarks why operations were not fused, and how kernels are done.
  bool remarks = false;
};

/// Operations -> kernels in order, each with its schedule.
void buildSchedulePipeline(mlir::OpPassManager &passes, const KernelPipelineOptions &options);

/// That, then their places in memory.
void buildKernelPipeline(mlir::OpPassManager &passes, const KernelPipelineOptions &options);

/// What follows the interface, on arrays, at optimization level 0 to 3.
void buildArrayPipeline(mlir::OpPassManager &passes, unsigned level);

/// The stages on hlo, both of the above.
void buildHloPipeline(mlir::OpPassManager &passes, unsigned level);

} // namespace hloc

#endif
