// SPDX-License-Identifier: Apache-2.0
// Checks the schedules on a command line.
#include "compiler/driver/CommandLine.h"
#include "compiler/hlo/HloDialect.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

using namespace mlir;

namespace hloc {

std::string ScheduleOption::findFault() const {
  if (empty())
    return "";
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<hlo::HLODialect>();
  std::string reason;
  ScopedDiagnosticHandler listener(&context, [&](Diagnostic &diagnostic) {
    if (reason.empty())
      reason = ": " + diagnostic.str();
    return success();
  });
  for (StringRef entry : *this) {
    auto [name, text] = entry.split('=');
    bool isSchedule =
        !name.empty() && isa_and_present<hlo::ScheduleAttr>(parseAttribute(text, &context));
    if (!isSchedule)
      return ("--schedule: expected NAME=#hlo.schedule<...> but got `" + entry + "`" +
              (text.starts_with("#hlo.schedule<") ? reason : ""))
          .str();
  }
  return "";
}

} // namespace hloc
