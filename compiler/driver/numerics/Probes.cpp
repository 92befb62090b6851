// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/numerics/Probes.h"
#include "compiler/driver/ErrorRules.h"
#include "compiler/driver/RunFiles.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Passes.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc {

static LogicalResult runPass(ModuleOp module, std::unique_ptr<Pass> pass) {
  PassManager passes(module->getName());
  passes.addPass(std::move(pass));
  return passes.run(module);
}

/// True if the operation computes an array that can be a result. The state of an asynchronous
/// computation cannot.
static bool canBeProbed(Operation *op) {
  return !onlyMoves(op) && !isa<AsyncStartOp, AsyncUpdateOp>(op) && op->getNumResults() == 1 &&
         !flattenType(op->getResult(0).getType()).empty();
}

FailureOr<Probes> makeProbes(ModuleOp source) {
  Probes probes;
  probes.module = source.clone();
  ModuleOp module = *probes.module;
  if (failed(runPass(module, createInlineCalls())))
    return failure();
  ComputationOp entry = findEntry(module);
  Operation *end = entry.getBody().front().getTerminator();
  SmallVector<Value> values(end->getOperands());
  for (Operation &op : entry.getBody().front().without_terminator())
    if (canBeProbed(&op)) {
      probes.probed.push_back(&op);
      values.push_back(op.getResult(0));
    }
  OpBuilder builder(end);
  Type type = TupleType::get(module.getContext(), ValueRange(values).getTypes());
  end->setOperands(TupleOp::create(builder, entry.getLoc(), type, values).getResult());
  entry.setFunctionType(builder.getFunctionType(entry.getArgumentTypes(), type));
  // They describe the original result; in the copy it shares no memory with arguments.
  for (StringRef name :
       {"hlo.entry_computation_layout", "hlo.input_output_alias", "hlo.buffer_donor"})
    module->removeAttr(name);
  return probes;
}

FailureOr<OwningOpRef<ModuleOp>> makeWide(const Probes &probes) {
  OwningOpRef<ModuleOp> wide = ModuleOp(*probes.module).clone();
  if (failed(runPass(*wide, createWidenFloats())))
    return failure();
  return wide;
}

} // namespace hloc
