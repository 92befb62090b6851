// SPDX-License-Identifier: Apache-2.0
// The facts that reports contain about each kernel of a compiled module. Tests:
// test/tools/report.hlo,
// test/tools/report-data.test.

#ifndef HLOC_COMPILER_DRIVER_REPORT_KERNELFACTS_H
#define HLOC_COMPILER_DRIVER_REPORT_KERNELFACTS_H

#include "compiler/driver/Compiler.h"
#include "compiler/driver/Flops.h"
#include "passes/schedule/Prediction.h"

namespace hloc {

/// How often an operation of the program on memory runs in one call; nothing if that is known only
/// at run time.
std::optional<int64_t> countRuns(mlir::Operation *op);

struct KernelLaunches {
  hlo::KernelFunctionOp kernel;
  /// Places that launch it, and how many of these are in loops.
  int64_t count = 0, inLoops = 0;
  /// Launches in one call of the program; nothing if that is known only at run time.
  std::optional<int64_t> times = 0;
};

/// The kernels of a program on memory in the order of their first launch.
std::vector<KernelLaunches> countLaunches(mlir::ModuleOp program);

/// Predicted nanoseconds of each kernel in one call of the program, by name.
llvm::StringMap<double> predictRunTimes(mlir::ModuleOp program, const Target &target);

/// All numbers, except those of launches, are for one launch, on the last of the module's targets.
struct KernelFacts : KernelLaunches {
  Traffic traffic;
  int64_t flops = 0;
  /// Phases that follow each other, and the units of each.
  int64_t phases = 1, units = 0, grain = 0;
  /// The number of tasks of a phase for a thread pool; 1 if it is serial.
  int64_t tasks = 1;
  /// Of its function; nothing if its code is inlined into the program.
  std::optional<int64_t> codeBytes;
  KernelPrediction prediction;
  /// Predicted nanoseconds of a launch on one core, with what other kernels leave in the caches.
  double launchTime = 0;
  /// Bytes that a launch accesses, where of some arrays it reads or writes only a part.
  double accessed = 0;
};

/// `program` is the module after compileModule.
std::vector<KernelFacts> collectKernels(mlir::ModuleOp program, const CompiledModule &compiled);

/// The prefix of the symbols of the program for the last target.
std::string getReportedPrefix(const CompiledModule &compiled);

/// The types of the kernel's results, such as `f32[8,4], s32[8]`.
std::string printResults(hlo::KernelFunctionOp kernel);

} // namespace hloc

#endif
