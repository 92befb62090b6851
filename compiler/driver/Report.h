// SPDX-License-Identifier: Apache-2.0
// The text of `hloc --report`. Test: test/tools/report.hlo.

#ifndef HLOC_COMPILER_DRIVER_REPORT_H
#define HLOC_COMPILER_DRIVER_REPORT_H

#include "compiler/driver/Compiler.h"

namespace hloc {

/// An operation that was not fused into its users, and why.
struct NotFused {
  mlir::Location location;
  std::string reason;
};

/// The schedule chosen for a kernel, the best of any other strategy, and their predicted times; the
/// target's name comes before the first colon. There is no remark for schedules that were written
/// or tuned.
struct ScheduleRemark {
  mlir::Location location;
  std::string text;
};

/// The remarks of passes while a module was compiled with CompileOptions::remarks.
struct ReportRemarks {
  std::vector<NotFused> notFused;
  std::vector<ScheduleRemark> schedules;

  /// Stores the diagnostic if it is such a remark; returns true if it is.
  bool take(mlir::Diagnostic &diagnostic);
};

/// The report. `program` is the module as compileModule left it: the program on memory.
std::string makeReport(mlir::ModuleOp program, const CompiledModule &compiled,
                       std::vector<NotFused> notFused);

/// A time in nanoseconds as `12.3 us`.
std::string printDuration(double nanoseconds);

/// A location as `model.hlo:12:3`; empty if it is not in a file.
std::string printPlace(mlir::Location location);

} // namespace hloc

#endif
