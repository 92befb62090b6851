// SPDX-License-Identifier: Apache-2.0
// Shape inference and checks of operations, by the rules of Rules.h.
//
// Tests: test/hlo/inference.hlo, test/hlo/operations/, test/hlo/errors/.

#ifndef HLOC_COMPILER_HLO_INFER_INFER_H
#define HLOC_COMPILER_HLO_INFER_INFER_H

#include "compiler/hlo/infer/Rules.h"
#include "mlir/IR/SymbolTable.h"

namespace hloc::hlo {

/// Infers the result type of an operation for which the text states none: `op` has its operands and
/// attributes, and an arbitrary result type. `signatures` finds the computations of the module.
/// Reports why it fails; operations whose result the text must state always fail.
llvm::FailureOr<mlir::Type> inferResultType(mlir::Operation *op, SignatureLookup signatures);

/// Checks `op`, which calls no computations, and its result types.
template <typename Op> llvm::LogicalResult verifyRule(Op op);
/// Checks `op`, the computations that it calls, and its result types.
template <typename Op> llvm::LogicalResult verifyRule(Op op, mlir::SymbolTableCollection &tables);
template <typename Op>
llvm::LogicalResult inferByRule(mlir::MLIRContext *context, std::optional<mlir::Location> location,
                                typename Op::Adaptor op, llvm::SmallVectorImpl<mlir::Type> &types);

//===- Implementation ------------------------------------------------------===//

/// Checks that the types that `op` states are `inferred`, or its leaves.
llvm::LogicalResult verifyResultTypes(mlir::Operation *op, mlir::Type inferred);
/// Signature of the computation `symbol` as seen from `op`.
mlir::FunctionType lookupSignature(mlir::SymbolTableCollection &tables, mlir::Operation *op,
                                   mlir::FlatSymbolRefAttr symbol);
/// Signature of a computation of the module that contains `operands`; null if there is none.
mlir::FunctionType lookupSignature(mlir::ValueRange operands, mlir::FlatSymbolRefAttr symbol);

template <typename Op>
llvm::FailureOr<mlir::Type> inferOne(typename Op::Adaptor op, const Rule &rule) {
  constexpr unsigned kinds = findOneTypeRule(std::string_view(Op::getOperationName()));
  if constexpr (kinds != 0)
    return inferOneType(op.getOperands(), kinds, rule);
  else
    return infer(op, rule);
}

template <typename Op> llvm::LogicalResult verifyRule(Op op, SignatureLookup signatures) {
  Rule rule(op.getContext(), op.getLoc(), Op::getOperationName(), op->getResultTypes(), signatures);
  llvm::FailureOr<mlir::Type> type = inferOne<Op>(typename Op::Adaptor(op), rule);
  return failed(type) ? llvm::failure() : verifyResultTypes(op, *type);
}

template <typename Op> llvm::LogicalResult verifyRule(Op op) {
  return verifyRule(op, SignatureLookup());
}

template <typename Op> llvm::LogicalResult verifyRule(Op op, mlir::SymbolTableCollection &tables) {
  return verifyRule(
      op, [&](mlir::FlatSymbolRefAttr symbol) { return lookupSignature(tables, op, symbol); });
}

template <typename Op>
llvm::LogicalResult inferByRule(mlir::MLIRContext *context, std::optional<mlir::Location> location,
                                typename Op::Adaptor op, llvm::SmallVectorImpl<mlir::Type> &types) {
  auto lookup = [&](mlir::FlatSymbolRefAttr symbol) {
    return lookupSignature(op.getOperands(), symbol);
  };
  Rule rule(context, location, Op::getOperationName(), {}, lookup);
  llvm::FailureOr<mlir::Type> type = inferOne<Op>(op, rule);
  if (succeeded(type))
    types.push_back(*type);
  return type;
}

} // namespace hloc::hlo

#endif
