// SPDX-License-Identifier: Apache-2.0
// The kernel operation.
#include "compiler/hlo/HloDialect.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace hloc::hlo;

#define GET_OP_CLASSES
#include "compiler/hlo/KernelOps.cpp.inc"

/// True if arrays of the types can share memory: the same elements in row-major order.
static bool areSameMemory(TypeRange types, TypeRange others) {
  return types.size() == others.size() && llvm::all_of(llvm::zip(types, others), [](auto pair) {
           auto [type, other] = pair;
           auto x = dyn_cast<RankedTensorType>(type), y = dyn_cast<RankedTensorType>(other);
           return type == other || (x && y && x.getElementType() == y.getElementType() &&
                                    x.getNumElements() == y.getNumElements());
         });
}

LogicalResult KernelOp::verify() {
  Block &block = getBody().front();
  if (!areSameMemory(block.getArgumentTypes(), getInputs().getTypes()))
    return emitOpError("expected the block's arguments to have the operands' elements");
  auto result = dyn_cast_or_null<ReturnOp>(block.getTerminator());
  if (!result || !areSameMemory(result.getOperandTypes(), getResultTypes()))
    return emitOpError("expected the block to return the results' elements");
  if (getReuse().size() != getNumResults())
    return emitOpError("expected one reuse entry a result");
  for (int64_t operand : getReuse())
    if (operand < -1 || operand >= int64_t(getInputs().size()))
      return emitOpError("reuse names operand ") << operand << ", which does not exist";
  return success();
}
