// SPDX-License-Identifier: Apache-2.0
// The passes of code generation: factories, options and registration, generated from Passes.td,
// which documents each pass. Tests: test/codegen/passes.

#ifndef HLOC_CODEGEN_PASSES_H
#define HLOC_CODEGEN_PASSES_H

#include "mlir/Pass/Pass.h"

namespace hloc {

#define GEN_PASS_DECL
#include "codegen/Passes.h.inc"

/// Registers all passes of code generation by their flags, and the pipeline `code` of all of them.
void registerCodegenPasses();

/// The products of code generation, in order.
enum class CodeStage { Kernels, Program, Llvm };

struct CodePipelineOptions {
  /// The number of the target among the module's.
  int64_t target = 0;
  /// Names and prefixes of symbols (emit-program).
  std::string name, prefix;
  /// True to make line tables (add-line-tables).
  bool lineTables = false;
};

/// Builds the passes from the program on memory up to `last`.
void buildCodePipeline(mlir::OpPassManager &passes, const CodePipelineOptions &options,
                       CodeStage last);

/// Builds the passes from the program's code to the llvm dialect.
void buildLoweringPipeline(mlir::OpPassManager &passes, const CodePipelineOptions &options);

} // namespace hloc

#endif
