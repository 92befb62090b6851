// SPDX-License-Identifier: Apache-2.0
// The right operand of a dot as panels that a separate kernel packs. The pass pack-operands makes
// that kernel where the dot's schedule asks for it (`packed_right`, DotPacked.cpp). Test:
// test/passes/schedule/pack-operands.mlir.

#ifndef HLOC_PASSES_SCHEDULE_OPERANDPANELS_H
#define HLOC_PASSES_SCHEDULE_OPERANDPANELS_H

#include "passes/Build.h"
#include "passes/schedule/DotProblem.h"

namespace hloc {

/// Attribute of a dot whose right operand comes in panels: the fingerprint that its kernel had
/// before.
inline constexpr llvm::StringLiteral kPackedFrom = "hlo.packed_from";

/// Attribute of a kernel that rarely runs, so that packing for it beforehand is not worth it.
inline constexpr llvm::StringLiteral kFallback = "hlo.fallback";

/// Type of the panels, each as wide as a register tile: [batch][block of the
/// depth][panel][k][column], with the element type of the accumulators. The last panel ends with
/// the last column, so it may overlap the one before; k past the depth are zero. The operand has at
/// least `width` columns.
mlir::RankedTensorType getPanelType(const DotProblem &dot, int64_t width);

/// The kernel argument that holds the panels; null if the dot reads the operand unpacked.
mlir::BlockArgument findPanels(const DotProblem &dot);

/// How often panels would be packed per run of `kernel`: zero for a constant that nothing else
/// reads, or for prepared arrays; less than one if they are packed before a loop or shared by
/// several dots of a block. Negative if they cannot be packed beforehand.
double countPackings(hlo::KernelOp kernel);

/// The operations of a kernel that compute `value`, in order.
llvm::SmallVector<mlir::Operation *> findSources(mlir::Value value);

/// The panels made from `rhs`, and the right operand recovered from such panels.
mlir::Value buildPanels(Build build, const DotProblem &dot, mlir::Value rhs, int64_t width);
mlir::Value buildOperand(Build build, const DotProblem &dot, mlir::Value panels, int64_t width);

/// The packed panels of a constant right operand.
mlir::ElementsAttr packConstant(const DotProblem &dot, mlir::ElementsAttr value, int64_t width);

} // namespace hloc

#endif
