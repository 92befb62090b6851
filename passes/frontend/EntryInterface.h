// SPDX-License-Identifier: Apache-2.0
// The interface of the compiled module, as attributes. Test:
// test/passes/frontend/lower-control-flow.mlir.

#ifndef HLOC_PASSES_ENTRYINTERFACE_H
#define HLOC_PASSES_ENTRYINTERFACE_H

#include "compiler/hlo/HloDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace hloc {

/// Writes what the interface needs to know of `entry` to `function`, made of it: names and layouts
/// of arguments and results (`hlo.name`, `hlo.layout`), which arguments stay the same
/// (`hlo.prepare`), and to the module which of them share memory (`hlo.aliases`). The attributes of
/// the text that say so go.
void describeEntry(mlir::ModuleOp module, hlo::ComputationOp entry, mlir::func::FuncOp function);

} // namespace hloc

#endif
