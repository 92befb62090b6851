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
  /// Threads that compile; 0: one a core.
  unsigned jobs = 0;
  /// Prefix of all symbols; empty: the module's name.
  std::string name;
  CodeForm form = CodeForm::Object;
  /// For a host without a C library, a heap and the runtime (docs/freestanding.md).
  bool freestanding = false;
  /// Adds a main function, which the runtime's hlort_main carries out.
  bool standAlone = false;
  /// Check the plan of memory independently. Debug builds always do.
  bool checkBuffers = false;
  /// Say as remarks what a report tells of fusion.
  bool remarks = false;
  /// Schedules that somebody wrote: `NAME=#hlo.schedule<...>`, NAME a kernel's instruction.
  std::vector<std::string> schedules;
  /// Schedules that were tuned: the text of a file (passes/schedule/ScheduleFile.h) and its name.
  std::string tunedSchedules, tunedSchedulesFile;
  /// The name, without a folder, of a file of weights that constants go to; empty: they stay in the
  /// code.
  std::string weightsFile;
  /// A hash of the module's text. Unless it is empty, objects get a record of what they were made
  /// of (compiler/driver/diff/BuildRecord.h).
  std::string moduleHash;
  /// Where code is kept for later compilations, or null.
  CompileCache *cache = nullptr;
  /// Seconds that compiling may take, as it is predicted; 0: as long as it takes.
  double timeBudget = 0;
  /// Called before passes run, to add printing.
  std::function<void(mlir::PassManager &)> configure;
  /// Where passes and stages are timed, or null.
  mlir::TimingScope *timing = nullptr;
};

/// How many constants, and their bytes in memory; those whose elements are all equal do not count.
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
  /// What is to be in the file of weights, if there is one.
  std::optional<WeightsImage> weights;
  /// What a freestanding object needs.
  std::optional<ObjectNeeds> needs;
  /// What it was compiled for; the report's figures are of the last.
  llvm::SmallVector<Target, 1> targets;
};

/// The dialects of all stages.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Makes the entry that of one partition, binds its parameters and marks those that are prepared,
/// before any pass has run.
mlir::LogicalResult bindModule(mlir::ModuleOp module, const BindOptions &options,
                               llvm::function_ref<void(const std::string &)> fail);

/// Runs the passes on `module`, up to kernels in order, each with its schedule.
mlir::LogicalResult scheduleModule(mlir::ModuleOp module, const CompileOptions &options);

/// Runs the passes on `module`, up to the program on memory.
mlir::FailureOr<LoweredModule> lowerModule(mlir::ModuleOp module, const CompileOptions &options);

/// Runs the passes on `module`, up to this stage of its code. For one target.
mlir::LogicalResult lowerToCode(mlir::ModuleOp module, const CompileOptions &options,
                                CodeStage stage);

/// The whole way. Errors are diagnostics of the module's context.
mlir::FailureOr<CompiledModule> compileModule(mlir::ModuleOp module, const CompileOptions &options);

} // namespace hloc

#endif
