// SPDX-License-Identifier: Apache-2.0
// The passes of this folder: factories, options and registration, generated from Passes.td, which
// documents each pass. Pipeline.h orders them.

#ifndef HLOC_PASSES_PASSES_H
#define HLOC_PASSES_PASSES_H

#include "mlir/Pass/Pass.h"

namespace hloc {

#define GEN_PASS_DECL
#include "passes/Passes.h.inc"

/// Registers all passes and pipelines by their flags (`--inline-calls`, ...).
void registerPasses();

} // namespace hloc

#endif
