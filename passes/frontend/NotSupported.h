// SPDX-License-Identifier: Apache-2.0
// Errors about valid input that this compiler cannot compile. Drivers distinguish them from errors
// about invalid input: their exit code is 3 instead of 1.

#ifndef HLOC_PASSES_NOTSUPPORTED_H
#define HLOC_PASSES_NOTSUPPORTED_H

#include "mlir/IR/Diagnostics.h"

namespace hloc {

/// Emits `error: <what> is not supported` at `location`.
mlir::InFlightDiagnostic emitNotSupported(mlir::Location location, const llvm::Twine &what);

/// True if a diagnostic was made by emitNotSupported.
bool isNotSupported(mlir::Diagnostic &diagnostic);

} // namespace hloc

#endif
