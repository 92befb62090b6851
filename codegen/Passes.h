// SPDX-License-Identifier: Apache-2.0
// The passes of code generation: factories, options and registration, made from Passes.td, which
// documents each. Tests: test/codegen/passes.

#ifndef HLOC_CODEGEN_PASSES_H
#define HLOC_CODEGEN_PASSES_H

#include "mlir/Pass/Pass.h"

namespace hloc {

#define GEN_PASS_DECL
#include "codegen/Passes.h.inc"

/// Makes all passes of code generation known by their flags, and the pipeline `code`, all of them.
void registerCodegenPasses();

/// What code generation makes, one after the other.
enum class CodeStage { Kernels, Program, Llvm };

struct CodePipelineOptions {
  /// Which of the module's targets.
  int64_t target = 0;
  /// Of symbols (emit-program).
  std::string name, prefix;
  /// For line tables (add-line-tables).
  bool lineTables = false;
};

/// From the program on memory to `last`.
void buildCodePipeline(mlir::OpPassManager &passes, const CodePipelineOptions &options,
                       CodeStage last);

/// From the program's code to the llvm dialect.
void buildLoweringPipeline(mlir::OpPassManager &passes, const CodePipelineOptions &options);

} // namespace hloc

#endif
