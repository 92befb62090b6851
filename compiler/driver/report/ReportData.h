// SPDX-License-Identifier: Apache-2.0
// The report on a module as a JSON value: `--report=FILE.json` writes it and the page of
// `--report=FILE.html` draws it. docs/report.md describes it. Test: test/tools/report-data.test.

#ifndef HLOC_COMPILER_DRIVER_REPORT_REPORTDATA_H
#define HLOC_COMPILER_DRIVER_REPORT_REPORTDATA_H

#include "compiler/driver/Report.h"
#include "compiler/driver/report/SourceLines.h"

namespace hloc {

struct ReportInput {
  /// The module after compileModule: the program on memory.
  mlir::ModuleOp program;
  const CompiledModule &compiled;
  const ReportRemarks &remarks;
  const ReportSource &source;
  /// The output of `hlo-run --profile=FILE.json`; null if nothing was measured.
  llvm::json::Value profile = nullptr;
};

/// Generates the code a second time, as text. Errors are diagnostics of the module's context.
mlir::FailureOr<llvm::json::Value> makeReportData(const ReportInput &input);

/// Parses a profile that hlo-run wrote; an error if the text is something else, or its kernels are
/// not in `program`.
llvm::Expected<llvm::json::Value> readProfile(llvm::StringRef text, mlir::ModuleOp program);

} // namespace hloc

#endif
