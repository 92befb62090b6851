// SPDX-License-Identifier: Apache-2.0
// The functions of a program: main's body, and one for each asynchronous computation, which may run
// concurrently on another thread. Each has memory of its own in main's arena.
#include "codegen/program/EntryFunction.h"
#include "codegen/program/ProgramEmitter.h"
#include "codegen/program/ProgramRecord.h"
#include "codegen/program/RuntimeCall.h"
#include "codegen/program/WeightsImage.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;

namespace hloc {

static bool isMain(func::FuncOp function) { return function.getName() == "main"; }

static bool startsFunction(hlo::RuntimeCallOp call) { return call.getCallee() == "async_launch"; }

int64_t ProgramEmitter::getOwnBytes(func::FuncOp function) {
  auto arena = cast<MemRefType>(function.getArguments().back().getType());
  return llvm::alignTo(arena.getNumElements(), kArenaAlignment);
}

/// Bytes of a call: the function's own, and those of each function that it starts, as these may all
/// run at once.
int64_t ProgramEmitter::getArenaBytes(func::FuncOp function) {
  int64_t bytes = getOwnBytes(function);
  function.walk([&](hlo::RuntimeCallOp call) {
    if (startsFunction(call))
      bytes += getArenaBytes(program.lookupSymbol<func::FuncOp>(
          call.getParameters().getAs<FlatSymbolRefAttr>("callee")));
  });
  return bytes;
}

void ProgramEmitter::declareFunctions() {
  for (auto function : program.getOps<func::FuncOp>()) {
    unsigned buffers = function.getNumArguments() - 1, results = getResultCount(function);
    SmallVector<Type> types(takesTables(buffers) ? 5 : buffers + 3, pointer);
    // Names of kernels have no dots, so there is no collision.
    std::string symbol = names.prefix + ".program." +
                         (isMain(function) ? "body" : "function." + function.getName().str());
    auto body = LLVM::LLVMFuncOp::create(
        b, symbol, LLVM::LLVMFunctionType::get(b.getI32Type(), types), LLVM::Linkage::Internal);
    declareNoAlias(function, body);
    asyncCalls.functions[function.getName()] = {body, buffers - results, results,
                                                getArenaBytes(function)};
  }
}

LogicalResult ProgramEmitter::emitBody(func::FuncOp function) {
  LLVM::LLVMFuncOp body = asyncCalls.functions[function.getName()].body;
  values.clear();
  tableEntries.clear();
  b.setLoc(function.getLoc());
  entry = body.addEntryBlock(b);
  // Allocations are inserted before this point.
  Block *start = b.createBlock(&body.getBody(), body.getBody().end());
  b.setInsertionPointToStart(start);
  unsigned buffers = function.getNumArguments() - 1, arguments = buffers - getResultCount(function);
  context = body.getArgument(0);
  arena = body.getArgument(body.getNumArguments() - 2);
  status = body.getArgument(body.getNumArguments() - 1);
  for (unsigned i = 0; i < buffers; ++i)
    if (!takesTables(buffers))
      values.map(function.getArgument(i), body.getArgument(i + 1));
    else if (i < arguments)
      tableEntries[function.getArgument(i)] = {body.getArgument(1), i};
    else
      tableEntries[function.getArgument(i)] = {body.getArgument(2), i - arguments};
  values.map(function.getArgument(buffers), arena);
  size_t longestFrame = 0;
  bool startsFunctions = false, readsWeights = false;
  function.walk([&](Operation *op) {
    if (auto launch = dyn_cast<hlo::LaunchOp>(op))
      longestFrame = std::max<size_t>(longestFrame,
                                      launch.getInputs().size() + launch.getOutputs().size() + 3);
    if (isa<memref::CopyOp>(op))
      longestFrame = std::max(longestFrame, kCopyFrame);
    if (auto call = dyn_cast<hlo::RuntimeCallOp>(op))
      startsFunctions |= startsFunction(call);
    if (auto get = dyn_cast<memref::GetGlobalOp>(op))
      readsWeights |= weightsOffsets.contains(get.getName());
  });
  weights =
      readsWeights ? LLVM::LoadOp::create(b, pointer, addressOf(getWeightsSymbol(names))) : Value();
  frame = stack(8 * longestFrame, 16);
  if (startsFunctions)
    asyncCalls.enter(stack(8, 16), arena, getOwnBytes(function));
  if (failed(emitOperations(function.getBody().front())))
    return failure();
  Value code = constant(b.getI32Type(), 0);
  if (isMain(function) && needsParticipants(program)) {
    code = emitProgramEnd(b, globals, program, context, code, status);
    auto record = getProgramRecord(globals, b, program).getDefiningOp<LLVM::AddressOfOp>();
    body->setAttr(kEndsProgram, record.getGlobalNameAttr());
  }
  LLVM::ReturnOp::create(b, code);
  b.setInsertionPointToEnd(entry);
  LLVM::BrOp::create(b, ValueRange(), start);
  return success();
}

LogicalResult ProgramEmitter::emitCall(hlo::RuntimeCallOp call) {
  SmallVector<Value> inputs, outputs;
  for (Value input : call.getInputs())
    inputs.push_back(locate(input));
  for (Value output : call.getOutputs())
    outputs.push_back(locate(output));
  auto onStack = [&](int64_t bytes) { return stack(bytes, 16); };
  auto kernel = [&](StringRef name) {
    return KernelCode{functions.lookup<LLVM::LLVMFuncOp>(getKernelSymbol(names, name)),
                      schedules.lookup(name)};
  };
  return emitRuntimeCall(
      call, {b, globals, context, status, inputs, outputs, onStack, kernel, asyncCalls});
}

ArrayAttr ProgramEmitter::getAliases(func::FuncOp function) {
  return isMain(function) ? program->getAttrOfType<ArrayAttr>("hlo.aliases") : ArrayAttr();
}

/// Results overlap nothing but the arguments that they may alias. The body keeps this information
/// only as long as it is not inlined.
void ProgramEmitter::declareNoAlias(func::FuncOp function, LLVM::LLVMFuncOp body) {
  body.setNoInline(true);
  unsigned buffers = function.getNumArguments() - 1;
  if (takesTables(buffers))
    return;
  unsigned arguments = buffers - getResultCount(function);
  llvm::BitVector shared(buffers);
  if (ArrayAttr aliases = getAliases(function))
    for (auto pair : aliases.getAsRange<DenseI64ArrayAttr>()) {
      shared.set(arguments + pair[0]);
      shared.set(pair[1]);
    }
  for (unsigned i = 0; i <= buffers; ++i)
    if (i == buffers || !shared[i])
      body.setArgAttr(i + 1, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
}

} // namespace hloc
