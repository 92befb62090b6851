// SPDX-License-Identifier: Apache-2.0
#include "passes/frontend/NotSupported.h"

using namespace mlir;

/// Marks the diagnostic, as metadata that is not printed.
static constexpr StringLiteral kMark = "hloc.not_supported";

InFlightDiagnostic hloc::emitNotSupported(Location location, const Twine &what) {
  InFlightDiagnostic diagnostic = emitError(location);
  diagnostic << what << " is not supported";
  diagnostic.getUnderlyingDiagnostic()->getMetadata().emplace_back(StringRef(kMark));
  return diagnostic;
}

bool hloc::isNotSupported(Diagnostic &diagnostic) {
  return llvm::any_of(diagnostic.getMetadata(), [](DiagnosticArgument &argument) {
    return argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::String &&
           argument.getAsString() == kMark;
  });
}
