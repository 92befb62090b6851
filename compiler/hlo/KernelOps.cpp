// SPDX-License-Identifier: Apache-2.0
// The kernel operation.
#include "compiler/hlo/HloDialect.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace hloc::hlo;

#define GET_OP_CLASSES
#include "compiler/hlo/KernelOps.cpp.inc"

LogicalResult KernelOp::verify() {
  Block &block = getBody().front();
  if (block.getArgumentTypes() != TypeRange(getInputs().getTypes()))
    return emitOpError("expected the block's arguments to have the operands' types");
  auto result = dyn_cast_or_null<ReturnOp>(block.getTerminator());
  if (!result || result.getOperandTypes() != TypeRange(getResultTypes()))
    return emitOpError("expected the block to return values of the results' types");
  if (getReuse().size() != getNumResults())
    return emitOpError("expected one reuse entry a result");
  for (int64_t operand : getReuse())
    if (operand < -1 || operand >= int64_t(getInputs().size()))
      return emitOpError("reuse names operand ") << operand << ", which does not exist";
  return success();
}
