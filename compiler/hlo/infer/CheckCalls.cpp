// SPDX-License-Identifier: Apache-2.0
// The call graph of computations.
#include "compiler/hlo/infer/ModuleChecks.h"
#include "compiler/hlo/infer/Rules.h"

using namespace mlir;

namespace hloc::hlo {

namespace {
struct Call {
  Operation *caller;
  ComputationOp callee;
};
} // namespace

/// The computations that an operation names.
static void collectCalls(Operation *op, SymbolTableCollection &tables,
                         SmallVectorImpl<Call> &calls) {
  auto add = [&](Attribute attribute) {
    if (auto symbol = dyn_cast_or_null<FlatSymbolRefAttr>(attribute))
      if (auto callee = dyn_cast_or_null<ComputationOp>(tables.lookupNearestSymbolFrom(op, symbol)))
        calls.push_back({op, callee});
  };
  for (NamedAttribute attribute : op->getAttrs()) {
    if (auto list = dyn_cast<ArrayAttr>(attribute.getValue()))
      llvm::for_each(list, add);
    else
      add(attribute.getValue());
  }
}

LogicalResult checkCalls(ModuleOp module, SymbolTableCollection &tables) {
  llvm::DenseMap<Operation *, SmallVector<Call>> calls;
  llvm::DenseSet<Operation *> asynchronous;
  for (auto computation : module.getOps<ComputationOp>()) {
    SmallVector<Call> &list = calls[computation];
    for (Operation &op : computation.getBody().front())
      if (isa<SymbolUserOpInterface>(op))
        collectCalls(&op, tables, list);
    for (Call call : list)
      if (isa<AsyncStartOp>(call.caller))
        asynchronous.insert(call.callee);
  }
  bool valid = true;
  for (auto computation : module.getOps<ComputationOp>())
    for (Call call : calls[computation])
      if (asynchronous.contains(call.callee) &&
          !isa<AsyncStartOp, AsyncUpdateOp, AsyncDoneOp>(call.caller)) {
        valid = false;
        report(call.caller->getLoc(), Error::AsyncComputation)
            << "expected computation " << call.callee.getSymName()
            << ", which runs asynchronously, to be called by async-start, async-update and "
               "async-done only";
      }
  // Depth-first search with an explicit stack: chains of calls can be long.
  enum State { New, Open, Done };
  llvm::DenseMap<Operation *, State> states;
  for (auto root : module.getOps<ComputationOp>()) {
    if (states[root] != New)
      continue;
    SmallVector<std::pair<ComputationOp, size_t>> stack = {{root, 0}};
    states[root] = Open;
    while (!stack.empty()) {
      auto &[computation, next] = stack.back();
      ArrayRef<Call> list = calls[computation];
      if (next == list.size()) {
        states[computation] = Done;
        stack.pop_back();
        continue;
      }
      Call call = list[next++];
      if (states[call.callee] == Open) {
        valid = false;
        report(call.caller->getLoc(), Error::Recursion)
            << "expected no recursion but computation " << call.callee.getSymName()
            << " calls itself";
      } else if (states[call.callee] == New) {
        states[call.callee] = Open;
        stack.push_back({call.callee, 0});
      }
    }
  }
  return success(valid);
}

} // namespace hloc::hlo
