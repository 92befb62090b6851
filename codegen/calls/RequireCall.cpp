// SPDX-License-Identifier: Apache-2.0
// Conditions without which an operation means nothing: hlort_require. Test:
// test/passes/bounded/collectives.hlo.
#include "codegen/calls/Calls.h"
#include "compiler/hlo/Location.h"

using namespace mlir;

namespace hloc {

LogicalResult emitRequire(RuntimeCallBuilder &call) {
  std::string message = (call.getParameter<StringAttr>("opcode").getValue() + " '" +
                         hlo::getInstructionName(call.op.getLoc()) + "' (" + call.getPlace() +
                         "): expected " + call.getParameter<StringAttr>("expected").getValue())
                            .str();
  Value holds = LLVM::LoadOp::create(call.b, call.b.getI8Type(), call.site.inputs[0]);
  holds = LLVM::ZExtOp::create(call.b, call.b.getI32Type(), holds);
  call.call("hlort_require", {holds, call.text(message), call.site.status});
  return success();
}

} // namespace hloc
