// SPDX-License-Identifier: Apache-2.0
// Elementwise operations and scalar computations on lanes.

#ifndef HLOC_CODEGEN_EMIT_ELEMENTWISE_H
#define HLOC_CODEGEN_EMIT_ELEMENTWISE_H

#include "codegen/emit/IndexBuilder.h"
#include "compiler/hlo/HloDialect.h"

namespace hloc {

/// The lanes of `op`'s result from those of its operands. `op` is elementwise, or one of the
/// shape operations that are the identity on one element. Null `re` if `op` is neither.
VectorValue emitElementwise(IndexBuilder &index, mlir::Operation *op,
                            llvm::ArrayRef<VectorValue> operands);

/// Results of a scalar computation (a reducer, comparator or combiner) on lanes. Null `re` if it
/// holds an operation that is not elementwise.
llvm::SmallVector<VectorValue> emitComputation(IndexBuilder &index, hlo::ComputationOp computation,
                                               llvm::ArrayRef<VectorValue> arguments);

/// A constant of HLO element type `element` from its bytes in a literal.
VectorValue emitConstant(IndexBuilder &index, mlir::Type element, llvm::ArrayRef<char> bytes);

/// Conversion between HLO element types, complex included.
VectorValue emitConvertLanes(IndexBuilder &index, VectorValue value, mlir::Type from,
                             mlir::Type to);
/// `condition ? x : y`, each uniform or not.
VectorValue emitSelect(IndexBuilder &index, mlir::Value condition, VectorValue x, VectorValue y);

} // namespace hloc

#endif
