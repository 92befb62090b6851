// SPDX-License-Identifier: Apache-2.0
// What reports tell of each kernel of a compiled module. Tests: test/tools/report.hlo,
// test/tools/report-data.test.

#ifndef HLOC_COMPILER_DRIVER_REPORT_KERNELFACTS_H
#define HLOC_COMPILER_DRIVER_REPORT_KERNELFACTS_H

#include "compiler/driver/Compiler.h"
#include "compiler/driver/Flops.h"
#include "passes/schedule/Prediction.h"

namespace hloc {

/// How often an operation of the program on memory runs in one call; none if that is known at run
/// time alone.
std::optional<int64_t> countRuns(mlir::Operation *op);

struct KernelLaunches {
  hlo::KernelFunctionOp kernel;
  /// Places that launch it, and how many of these are in loops.
  int64_t count = 0, inLoops = 0;
  /// Launches in one call of the program; none if that is known at run time alone.
  std::optional<int64_t> times = 0;
};

/// The kernels of a program on memory in the order of their first launch.
std::vector<KernelLaunches> countLaunches(mlir::ModuleOp program);

/// Nanoseconds that each kernel takes in one call of the program, by name, as predicted.
llvm::StringMap<double> predictRunTimes(mlir::ModuleOp program, const Target &target);

/// All figures but those of launches are of one, on the last of the module's targets.
struct KernelFacts : KernelLaunches {
  Traffic traffic;
  int64_t flops = 0;
  int64_t units = 0, grain = 0;
  /// How many tasks a pool of threads gets; 1 if it gets none.
  int64_t tasks = 1;
  /// Of its function; none if its code is inlined into the program.
  std::optional<int64_t> codeBytes;
  KernelPrediction prediction;
};

/// Likewise. `program` is the module as compileModule left it.
std::vector<KernelFacts> collectKernels(mlir::ModuleOp program, const CompiledModule &compiled);

/// The prefix of the symbols of the program for the last target.
std::string getReportedPrefix(const CompiledModule &compiled);

/// What the kernel's results are, as `f32[8,4], s32[8]`.
std::string printResults(hlo::KernelFunctionOp kernel);

} // namespace hloc

#endif
