// SPDX-License-Identifier: Apache-2.0
#include "compiler/hlo/AsyncStages.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace hloc::hlo;

#define GET_OP_CLASSES
#include "compiler/hlo/AsyncStages.cpp.inc"

LogicalResult AsyncWaitOp::verify() {
  auto launch = getTicket().getDefiningOp<AsyncLaunchOp>();
  if (!launch || launch->getBlock() != (*this)->getBlock())
    return emitOpError("expected the ticket of a launch in the same block");
  if (launch.getResults() != getBuffers())
    return emitOpError("expected the arrays that the launch gives");
  if (getBuffers().getTypes() != getResultTypes())
    return emitOpError("expected results of the arrays' types");
  return success();
}
