// SPDX-License-Identifier: Apache-2.0
// What became of a module: the text of `hloc --report`. Test: test/tools/report.hlo.

#ifndef HLOC_COMPILER_DRIVER_REPORT_H
#define HLOC_COMPILER_DRIVER_REPORT_H

#include "compiler/driver/Compiler.h"

namespace hloc {

/// An operation that is not computed in its users' kernels, and why.
struct NotFused {
  mlir::Location location;
  std::string reason;
};

/// What was chosen for a kernel, what came next, and their times; the target's name is before the
/// first colon. Nothing is said of schedules that somebody wrote or tuned.
struct ScheduleRemark {
  mlir::Location location;
  std::string text;
};

/// What passes said while a module was compiled with CompileOptions::remarks.
struct ReportRemarks {
  std::vector<NotFused> notFused;
  std::vector<ScheduleRemark> schedules;

  /// Keeps the diagnostic if it is such a remark; whether it is.
  bool take(mlir::Diagnostic &diagnostic);
};

/// The report. `program` is the module as compileModule left it: the program on memory.
std::string makeReport(mlir::ModuleOp program, const CompiledModule &compiled,
                       std::vector<NotFused> notFused);

/// A time in nanoseconds as `12.3 us`.
std::string printDuration(double nanoseconds);

/// A place as `model.hlo:12:3`; empty if it is in no file.
std::string printPlace(mlir::Location location);

} // namespace hloc

#endif
