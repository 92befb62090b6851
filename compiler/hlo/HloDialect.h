// SPDX-License-Identifier: Apache-2.0
// The C++ declarations of the hlo dialect: types, attributes, operations. Their definitions are in
// the .td files of this folder.

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

/// Marks operations that compute each element of the result from the same element of the operands.
template <typename ConcreteOp>
class Elementwise : public mlir::OpTrait::TraitBase<ConcreteOp, Elementwise> {};

/// Marks operations whose result types follow from operands and attributes.
template <typename ConcreteOp>
class Infers : public mlir::OpTrait::TraitBase<ConcreteOp, Infers> {};

/// Gives operations their cost class (HLO_Costs in their definitions).
template <CostClass value> struct CostsAs {
  template <typename ConcreteOp> struct Impl : mlir::OpTrait::TraitBase<ConcreteOp, Impl> {
    static constexpr CostClass costClass = value;
  };
};

} // namespace hloc::hlo

#include "compiler/hlo/HloInterfaces.h.inc"

namespace hloc::hlo {

/// The cost class of one element of the operation's result.
inline CostClass getCostClass(mlir::Operation *op) {
  auto costs = llvm::dyn_cast<CostInterface>(op);
  return costs ? costs.getCostClass() : CostClass::Simple;
}

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
