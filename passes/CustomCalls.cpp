// SPDX-License-Identifier: Apache-2.0
#include "passes/CustomCalls.h"
#include "mlir/IR/Builders.h"
#include "passes/frontend/TupleLeaves.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

/// Replaces the layouts of operands by those of the operands' leaves: none for a token.
static void flattenConstraints(CustomCallOp call) {
  std::optional<ArrayAttr> constraints = call.getOperandLayoutConstraints();
  if (!constraints)
    return;
  SmallVector<Type> types(constraints->getAsValueRange<TypeAttr>());
  call.setOperandLayoutConstraintsAttr(
      Builder(call.getContext()).getTypeArrayAttr(getLeaves(types)));
}

static void flattenAliases(CustomCallOp op, CustomCallOp call) {
  std::optional<ArrayAttr> aliases = op.getOutputToOperandAliasing();
  call.removeOutputToOperandAliasingAttr();
  if (!aliases || op->getNumResults() == 0)
    return;
  SmallVector<int64_t> reuse(call->getNumResults(), -1);
  TypeRange operands = op->getOperandTypes();
  for (auto alias : aliases->getAsRange<BufferAliasAttr>()) {
    auto result = getLeafIndex(op->getResult(0).getType(), alias.getOutputIndex());
    auto operand = getLeafIndex(operands[alias.getOperand()], alias.getOperandIndex());
    if (result && operand)
      reuse[*result] = getLeaves(operands.take_front(alias.getOperand())).size() + *operand;
  }
  call->setDiscardableAttr(kReuse, Builder(op.getContext()).getDenseI64ArrayAttr(reuse));
}

void hloc::flattenAttributes(CustomCallOp op, CustomCallOp call) {
  flattenConstraints(call);
  flattenAliases(op, call);
}

SmallVector<int64_t> hloc::getReuse(CustomCallOp call) {
  SmallVector<int64_t> reuse;
  if (auto given = call->getAttrOfType<DenseI64ArrayAttr>(kReuse))
    reuse.assign(given.asArrayRef().begin(), given.asArrayRef().end());
  reuse.resize(call->getNumResults(), -1);
  for (auto [result, operand] : llvm::zip(call.getResults(), reuse))
    if (operand >= 0 && call.getInputs()[operand].getType() != result.getType())
      operand = -1;
  return reuse;
}
