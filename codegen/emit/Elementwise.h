// SPDX-License-Identifier: Apache-2.0
// Elementwise operations and scalar computations on lanes.

#ifndef HLOC_CODEGEN_EMIT_ELEMENTWISE_H
#define HLOC_CODEGEN_EMIT_ELEMENTWISE_H

#include "codegen/emit/IndexBuilder.h"
#include "compiler/hlo/HloDialect.h"

namespace hloc {

/// The lanes of `op`'s result from those of its operands. `op` is elementwise, or one of the
/// shape operations that are the identity on one element. Null `re` if `op` is neither.
Lanes emitElementwise(IndexBuilder &index, mlir::Operation *op, llvm::ArrayRef<Lanes> operands);

/// Results of a scalar computation (a reducer, comparator or combiner) on lanes. Null `re` if it
/// holds an operation that is not elementwise.
llvm::SmallVector<Lanes> emitComputation(IndexBuilder &index, hlo::ComputationOp computation,
                                         llvm::ArrayRef<Lanes> arguments);

/// A constant of HLO element type `element` from its bytes in a literal.
Lanes emitConstant(IndexBuilder &index, mlir::Type element, llvm::ArrayRef<char> bytes);

/// Conversion between HLO element types, complex included.
Lanes emitConvertLanes(IndexBuilder &index, Lanes value, mlir::Type from, mlir::Type to);
/// `condition ? x : y`, each uniform or not.
Lanes emitSelect(IndexBuilder &index, mlir::Value condition, Lanes x, Lanes y);

} // namespace hloc

#endif
