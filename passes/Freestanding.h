// SPDX-License-Identifier: Apache-2.0
// Modules for hosts without an operating system, a C library or a runtime. They compute the same,
// but call nothing that such a host lacks; docs/freestanding.md describes it.

#ifndef HLOC_PASSES_FREESTANDING_H
#define HLOC_PASSES_FREESTANDING_H

#include "mlir/IR/BuiltinOps.h"

namespace hloc {

inline constexpr llvm::StringLiteral kFreestanding = "hlo.freestanding";

/// True if the module is for such a host.
inline bool isFreestanding(mlir::ModuleOp module) { return module->hasAttr(kFreestanding); }

} // namespace hloc

#endif
