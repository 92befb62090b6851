// SPDX-License-Identifier: Apache-2.0
// The index maps of data movement: the one definition that code generation, fusion and
// simplification use. MovementInterface.td says which operations have one. Test:
// test/hlo/IndexMapTest.cpp.

#ifndef HLOC_COMPILER_HLO_MOVEMENT_H
#define HLOC_COMPILER_HLO_MOVEMENT_H

#include "compiler/hlo/HloDialect.h"

namespace hloc::hlo {

/// The index along a dimension of an operand: (stride * i + offset) / divisor, where i is the index
/// along `dimension` of the result.
struct DimensionMap {
  int64_t dimension;
  int64_t stride = 1, offset = 0, divisor = 1;
};

/// One for each dimension of an operand.
using IndexMap = llvm::SmallVector<DimensionMap, 6>;

/// `shape` without its dimensions of size one.
llvm::SmallVector<int64_t> withoutUnits(llvm::ArrayRef<int64_t> shape);

/// True if `reshape` only adds or drops dimensions of size one.
bool isUnitReshape(ReshapeOp reshape);

/// Attaches MovementInterface to the dialect's operations.
void attachMovement(mlir::MLIRContext &context);

} // namespace hloc::hlo

#include "compiler/hlo/MovementInterface.h.inc"

namespace hloc::hlo {

/// For an operation that has the interface.
inline IndexMap getIndexMap(mlir::Operation *op, unsigned operand = 0) {
  return llvm::cast<MovementInterface>(op).getIndexMap(operand);
}

} // namespace hloc::hlo

#endif
