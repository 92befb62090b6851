// SPDX-License-Identifier: Apache-2.0
// The interface of the compiled module, as attributes. Test:
// test/passes/frontend/lower-control-flow.mlir.

#ifndef HLOC_PASSES_ENTRYINTERFACE_H
#define HLOC_PASSES_ENTRYINTERFACE_H

#include "compiler/hlo/HloDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace hloc {

/// Attaches to `function`, which was made from `entry`, the names and layouts of arguments and
/// results (`hlo.name`, `hlo.layout`) and which arguments stay the same (`hlo.prepare`), and to the
/// module which of them share memory (`hlo.aliases`). Removes the attributes of the text that these
/// come from.
void describeEntry(mlir::ModuleOp module, hlo::ComputationOp entry, mlir::func::FuncOp function);

} // namespace hloc

#endif
