// SPDX-License-Identifier: Apache-2.0
// The hlo dialect's C++ face: types, attributes, operations. Definitions: the .td files beside this
// one.

#ifndef HLOC_COMPILER_HLO_HLODIALECT_H
#define HLOC_COMPILER_HLO_HLODIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "compiler/hlo/HloDialect.h.inc"
#include "compiler/hlo/HloEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "compiler/hlo/HloTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/hlo/HloAttrs.h.inc"

namespace hloc::hlo {

/// Marks operations that compute each result element from the same element of the operands.
template <typename ConcreteOp>
class Elementwise : public mlir::OpTrait::TraitBase<ConcreteOp, Elementwise> {};

/// Marks operations whose result types follow from operands and attributes.
template <typename ConcreteOp>
class Infers : public mlir::OpTrait::TraitBase<ConcreteOp, Infers> {};

} // namespace hloc::hlo

#define GET_OP_CLASSES
#include "compiler/hlo/ElementwiseOps.h.inc"
#define GET_OP_CLASSES
#include "compiler/hlo/ShapeOps.h.inc"
#define GET_OP_CLASSES
#include "compiler/hlo/ComputeOps.h.inc"
#define GET_OP_CLASSES
#include "compiler/hlo/ControlOps.h.inc"
#define GET_OP_CLASSES
#include "compiler/hlo/CollectiveOps.h.inc"
#define GET_OP_CLASSES
#include "compiler/hlo/KernelOps.h.inc"

#endif
