// SPDX-License-Identifier: Apache-2.0
// Recognizes counters of loops.

#ifndef HLOC_PASSES_SIMPLIFY_LOOPCOUNTER_H
#define HLOC_PASSES_SIMPLIFY_LOOPCOUNTER_H

#include "compiler/hlo/HloDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace hloc {

/// `for (i = init; i <direction> bound; i += step)`, or `-=` if it `subtracts`, where i is the
/// loop-carried value number `position`. The step need not be a constant, nor the same each time.
struct LoopCounter {
  unsigned position;
  hlo::Direction direction;
  mlir::Value init, bound, step;
  bool subtracts;
  mlir::RankedTensorType type;
};

/// The direction that holds for exchanged operands.
hlo::Direction swapOperands(hlo::Direction direction);

/// The loop's counter, if the condition tests nothing else and forwards the whole state in order.
/// `bound` is a constant in the loop or a value before it.
std::optional<LoopCounter> findCounter(mlir::scf::WhileOp loop);

} // namespace hloc

#endif
