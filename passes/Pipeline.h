// SPDX-License-Identifier: Apache-2.0
// The pipelines of the passes on hlo: every stage is a function of a few lines. No other file
// orders passes.

#ifndef HLOC_PASSES_PIPELINE_H
#define HLOC_PASSES_PIPELINE_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace hloc {

/// From the text's form to `func.func @main` with hlo operations on plain arrays. Arguments and
/// results have their logical shapes, and the layouts that hosts see as attributes.
void buildInterfacePipeline(mlir::OpPassManager &passes);

/// Likewise, then gives arguments and results the shapes of their memory, so that all arrays are
/// row-major.
void buildCorePipeline(mlir::OpPassManager &passes);

/// Algebraic rules, common subexpressions, loops: fewer operations of the same kinds.
void buildSimplificationPipeline(mlir::OpPassManager &passes);

/// Expands all operations to those that fusion and codegen know.
void buildExpansionPipeline(mlir::OpPassManager &passes);

/// Brings dots and convolutions into the forms that codegen knows.
void buildContractionPipeline(mlir::OpPassManager &passes, bool simplify);

struct KernelPipelineOptions {
  unsigned level = 3;
  /// Check the buffer plan (check-buffers).
  bool check = false;
  /// Emit remarks on why operations were not fused, and on the schedules of kernels.
  bool remarks = false;
};

/// From operations to ordered kernels, each with its schedule.
void buildSchedulePipeline(mlir::OpPassManager &passes, const KernelPipelineOptions &options);

/// Likewise, then assigns buffers.
void buildKernelPipeline(mlir::OpPassManager &passes, const KernelPipelineOptions &options);

/// The passes after the interface pipeline, on arrays, at optimization level 0 to 3.
void buildArrayPipeline(mlir::OpPassManager &passes, unsigned level);

/// The stages on hlo: both of the above.
void buildHloPipeline(mlir::OpPassManager &passes, unsigned level);

} // namespace hloc

#endif
