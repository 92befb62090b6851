// SPDX-License-Identifier: Apache-2.0
// The compiler as a library: a module of the hlo dialect in, code and interface out.

#ifndef HLOC_COMPILER_DRIVER_COMPILER_H
#define HLOC_COMPILER_DRIVER_COMPILER_H

#include "codegen/Compile.h"
#include "compiler/driver/Interface.h"

namespace mlir {
class PassManager;
}

namespace hloc {

struct CompileOptions {
  TargetOptions target;
  /// Threads that compile; 0: one a core.
  unsigned jobs = 0;
  /// Prefix of all symbols; empty: the module's name.
  std::string name;
  CodeForm form = CodeForm::Object;
  /// Called before the passes run, to add printing, timing, statistics.
  std::function<void(mlir::PassManager &)> configure;
  /// Where the stages of code generation are timed, or null.
  mlir::TimingScope *timing = nullptr;
};

struct CompiledModule {
  ModuleInterface interface;
  CompiledProgram program;
};

/// The dialects of all stages.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Runs the passes on `module`, up to the program on memory, and gives its interface.
mlir::FailureOr<ModuleInterface> lowerModule(mlir::ModuleOp module, const CompileOptions &options);

/// The whole way. Errors are diagnostics of the module's context.
mlir::FailureOr<CompiledModule> compileModule(mlir::ModuleOp module, const CompileOptions &options);

} // namespace hloc

#endif
