// SPDX-License-Identifier: Apache-2.0
// The compiler as a library: a module of the hlo dialect in, code and interface out.

#ifndef HLOC_COMPILER_DRIVER_COMPILER_H
#define HLOC_COMPILER_DRIVER_COMPILER_H

#include "codegen/Compile.h"
#include "codegen/Passes.h"
#include "codegen/object/ObjectNeeds.h"
#include "codegen/program/WeightsImage.h"
#include "compiler/driver/Interface.h"
#include "compiler/driver/weights/Bindings.h"

namespace hloc {

struct CompileOptions {
  TargetOptions target;
  /// Threads that compile; 0: one per core.
  unsigned jobs = 0;
  /// Prefix of all symbols; empty: the module's name.
  std::string name;
  CodeForm form = CodeForm::Object;
  /// For a host without a C library, a heap and the runtime (docs/freestanding.md).
  bool freestanding = false;
  /// Add a main function, which calls the runtime's hlort_main.
  bool standAlone = false;
  /// Check the buffer plan independently. Debug builds always do.
  bool checkBuffers = false;
  /// Emit the remarks that reports contain.
  bool remarks = false;
  /// Schedules that a user wrote: `NAME=#hlo.schedule<...>`, where NAME is a kernel's instruction.
  std::vector<std::string> schedules;
  /// Tuned schedules: the text of a file (passes/schedule/ScheduleFile.h) and its name.
  std::string tunedSchedules, tunedSchedulesFile;
  /// The name, without a folder, of a file of weights for constants; empty: constants stay in the
  /// object.
  std::string weightsFile;
  /// A hash of the module's text. If not empty, objects contain a record of what they were made
  /// from (compiler/driver/diff/BuildRecord.h).
  std::string moduleHash;
  /// The cache of code for later compilations, or null.
  CompileCache *cache = nullptr;
  /// Seconds that compiling may take, by prediction; 0: no limit.
  double timeBudget = 0;
  /// Called before passes run, to configure printing.
  std::function<void(mlir::PassManager &)> configure;
  /// Where passes and stages are timed, or null.
  mlir::TimingScope *timing = nullptr;
};

/// The number of constants and their bytes in memory, without splats.
struct ConstantCount {
  int64_t count = 0, bytes = 0;
};

struct LoweredModule {
  ModuleInterface interface;
  /// In the module as it was read.
  ConstantCount constants;
};

struct CompiledModule : LoweredModule {
  CompiledProgram program;
  /// The contents of the file of weights, if there is one.
  std::optional<WeightsImage> weights;
  /// What a freestanding object requires of its host.
  std::optional<ObjectNeeds> needs;
  /// The targets it was compiled for; the report's figures are for the last one.
  llvm::SmallVector<Target, 1> targets;
};

/// Registers the dialects of all stages.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Localizes the entry to one partition, binds its parameters and marks those that are prepared,
/// before any pass runs.
mlir::LogicalResult bindModule(mlir::ModuleOp module, const BindOptions &options,
                               llvm::function_ref<void(const std::string &)> fail);

/// Runs the passes on `module` up to ordered kernels with their schedules.
mlir::LogicalResult scheduleModule(mlir::ModuleOp module, const CompileOptions &options);

/// Runs the passes on `module`, up to the program on memory.
mlir::FailureOr<LoweredModule> lowerModule(mlir::ModuleOp module, const CompileOptions &options);

/// Runs the passes on `module` up to this stage of code generation, for one target.
mlir::LogicalResult lowerToCode(mlir::ModuleOp module, const CompileOptions &options,
                                CodeStage stage);

/// Compiles a module completely. Errors are diagnostics in the module's context.
mlir::FailureOr<CompiledModule> compileModule(mlir::ModuleOp module, const CompileOptions &options);

} // namespace hloc

#endif
