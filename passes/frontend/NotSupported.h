// SPDX-License-Identifier: Apache-2.0
// Errors about input that is right, but that this compiler cannot compile. Drivers tell them from
// errors about wrong input: their exit code is 3, not 1.

#ifndef HLOC_PASSES_NOTSUPPORTED_H
#define HLOC_PASSES_NOTSUPPORTED_H

#include "mlir/IR/Diagnostics.h"

namespace hloc {

/// Emits `error: <what> is not supported` at `location`.
mlir::InFlightDiagnostic emitNotSupported(mlir::Location location, const llvm::Twine &what);

/// Whether a diagnostic was made by emitNotSupported.
bool isNotSupported(mlir::Diagnostic &diagnostic);

} // namespace hloc

#endif
