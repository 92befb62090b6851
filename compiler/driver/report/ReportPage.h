// SPDX-License-Identifier: Apache-2.0
// A report as a file: the data alone, or a page that shows it, which needs neither a network nor
// other files. The page is in compiler/driver/report/page. Tests: test/tools/report-page.test,
// test/tools/report-browser.test.

#ifndef HLOC_COMPILER_DRIVER_REPORT_REPORTPAGE_H
#define HLOC_COMPILER_DRIVER_REPORT_REPORTPAGE_H

#include "llvm/Support/JSON.h"
#include <string>

namespace hloc {

/// True if the file's extension is that of a report.
inline bool isReportFile(llvm::StringRef file) {
  return file.ends_with(".html") || file.ends_with(".json");
}

/// The contents of a report of this name: .json is the data, .html the page.
std::string printReport(llvm::StringRef file, const llvm::json::Value &data);

} // namespace hloc

#endif
