// SPDX-License-Identifier: Apache-2.0
// Elementwise operations and scalar computations on vectors of lanes.

#ifndef HLOC_CODEGEN_EMIT_ELEMENTWISE_H
#define HLOC_CODEGEN_EMIT_ELEMENTWISE_H

#include "codegen/emit/IndexBuilder.h"
#include "compiler/hlo/HloDialect.h"

namespace hloc {

/// The result of `op` for these operands. `op` is elementwise, or a shape operation that is the
/// identity on single elements. Null `re` if it is neither.
VectorValue emitElementwise(IndexBuilder &index, mlir::Operation *op,
                            llvm::ArrayRef<VectorValue> operands);

/// The results of a scalar computation (a reducer, comparator or combiner), applied in each lane.
/// Null `re` if it contains an operation that is not elementwise.
llvm::SmallVector<VectorValue> emitComputation(IndexBuilder &index, hlo::ComputationOp computation,
                                               llvm::ArrayRef<VectorValue> arguments);

/// A constant of HLO element type `element` from its bytes in a literal.
VectorValue emitConstant(IndexBuilder &index, mlir::Type element, llvm::ArrayRef<char> bytes);

/// Conversion between HLO element types, complex included.
VectorValue emitConvertLanes(IndexBuilder &index, VectorValue value, mlir::Type from,
                             mlir::Type to);
/// `condition ? x : y`; each may be uniform or not.
VectorValue emitSelect(IndexBuilder &index, mlir::Value condition, VectorValue x, VectorValue y);

} // namespace hloc

#endif
