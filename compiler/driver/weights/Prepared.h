// SPDX-License-Identifier: Apache-2.0
// The option --prepare: which parameters stay the same over many runs. docs/weights.md describes
// the names. Test: test/tools/prepare.test.

#ifndef HLOC_COMPILER_DRIVER_WEIGHTS_PREPARED_H
#define HLOC_COMPILER_DRIVER_WEIGHTS_PREPARED_H

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace hloc {

/// The names in `NAME,NAME...`; a comma in brackets or quotes is part of a name.
std::vector<std::string> splitNames(llvm::StringRef list);

/// Marks the parameters of `module` that `names` refer to (passes/prepare/Preparation.h). Bound
/// parameters must have been removed before. Errors are diagnostics.
mlir::LogicalResult markPrepared(mlir::ModuleOp module, llvm::ArrayRef<std::string> names);

} // namespace hloc

#endif
