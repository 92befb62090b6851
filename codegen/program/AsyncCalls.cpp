// SPDX-License-Identifier: Apache-2.0
#include "codegen/program/AsyncCalls.h"
#include "codegen/program/EntryFunction.h"

using namespace mlir;

namespace hloc {

void AsyncCalls::enter(Value newScope, Value newArena, int64_t newOffset) {
  scope = newScope;
  arena = newArena;
  offset = newOffset;
  if (singleThreaded)
    return;
  LLVM::StoreOp::create(b, LLVM::ZeroOp::create(b, pointer), scope);
  scope.getDefiningOp()->setAttr(kAsyncScope, b.getUnitAttr());
  globals.declare(kAsyncAbandon, LLVM::LLVMVoidType::get(b.getContext()), {pointer});
}

/// Makes the function that the thread calls: it unpacks a table of the context, the arena, and a
/// pointer for each argument and result.
LLVM::LLVMFuncOp AsyncCalls::makeTask(hlo::RuntimeCallOp call, const FunctionInfo &callee) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(module.getBody());
  auto type = LLVM::LLVMFunctionType::get(b.getI32Type(), {pointer, pointer});
  auto task = LLVM::LLVMFuncOp::create(b, names.prefix + ".async." + std::to_string(tasks++), type,
                                       LLVM::Linkage::Internal);
  b.setInsertionPointToStart(task.addEntryBlock(b));
  auto at = [&](unsigned index) -> Value {
    return LLVM::GEPOp::create(b, pointer, pointer, task.getArgument(0),
                               ArrayRef<LLVM::GEPArg>{int32_t(index)});
  };
  auto load = [&](unsigned index) -> Value { return LLVM::LoadOp::create(b, pointer, at(index)); };
  Value context = load(0);
  SmallVector<Value> arguments{context};
  unsigned buffers = callee.arguments + callee.results;
  if (takesTables(buffers))
    arguments.append({at(2), at(2 + callee.arguments)});
  else
    for (unsigned i = 0; i < buffers; ++i)
      arguments.push_back(load(2 + i));
  arguments.append({load(1), task.getArgument(1)});
  Value code;
  (void)tracer.trace(call, "async", context, [&]() -> LogicalResult {
    code = LLVM::CallOp::create(b, callee.body, arguments).getResult();
    return success();
  });
  LLVM::ReturnOp::create(b, code);
  return task;
}

LogicalResult AsyncCalls::emitLaunch(RuntimeCallBuilder &call) {
  auto callee = functions.find(call.getParameter<FlatSymbolRefAttr>("callee").getValue());
  if (callee == functions.end())
    return call.op.emitOpError("starts an unknown function");
  Value memory = arena;
  if (offset)
    memory = LLVM::GEPOp::create(b, pointer, b.getI8Type(), arena,
                                 ArrayRef<LLVM::GEPArg>{call.i64(offset)});
  offset += llvm::alignTo(callee->second.arenaBytes, kArenaAlignment);
  // The first output is the ticket.
  SmallVector<Value> pointers{call.site.context, memory};
  llvm::append_range(pointers, call.site.inputs);
  llvm::append_range(pointers, ArrayRef<Value>(call.site.outputs).drop_front());
  Value table = call.table(pointers);
  LLVM::LLVMFuncOp task = makeTask(call.op, callee->second);
  if (singleThreaded) {
    call.check(LLVM::CallOp::create(b, task, ValueRange{table, call.site.status}));
    return success();
  }
  Value address = LLVM::AddressOfOp::create(b, pointer, task.getSymName());
  call.call("hlort_async_start",
            {call.site.context, call.text(call.getParameter<StringAttr>("thread")), address,
             call.i64(pointers.size()), table, scope, call.site.outputs.front(), call.site.status});
  return success();
}

LogicalResult AsyncCalls::emitWait(RuntimeCallBuilder &call) {
  if (!singleThreaded)
    call.call("hlort_async_wait", {scope, call.site.inputs.front(), call.site.status});
  return success();
}

} // namespace hloc
