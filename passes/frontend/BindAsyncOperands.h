// SPDX-License-Identifier: Apache-2.0
// Asynchronous computations whose operands async-update and async-done bind: they start where the
// last operand is. Test: test/evaluator/async-binding.hlo.

#ifndef HLOC_PASSES_BINDASYNCOPERANDS_H
#define HLOC_PASSES_BINDASYNCOPERANDS_H

#include "mlir/IR/BuiltinOps.h"

namespace hloc {

/// Afterwards each async_start has all operands of its computation. One that was moved names no
/// thread: its end is near.
mlir::LogicalResult bindAsyncOperands(mlir::ModuleOp module);

} // namespace hloc

#endif
