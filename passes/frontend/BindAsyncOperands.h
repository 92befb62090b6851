// SPDX-License-Identifier: Apache-2.0
// Asynchronous computations that get operands from async-update and async-done: their start is
// moved to where the last operand is given. Test: test/evaluator/async-binding.hlo.

#ifndef HLOC_PASSES_BINDASYNCOPERANDS_H
#define HLOC_PASSES_BINDASYNCOPERANDS_H

#include "mlir/IR/BuiltinOps.h"

namespace hloc {

/// Afterwards each async_start has all operands of its computation. A start that was moved no
/// longer names a thread, since its end follows closely.
mlir::LogicalResult bindAsyncOperands(mlir::ModuleOp module);

} // namespace hloc

#endif
