// SPDX-License-Identifier: Apache-2.0
#include "codegen/program/RuntimeCall.h"
#include "codegen/calls/Calls.h"
#include "codegen/program/AsyncCalls.h"
#include "codegen/program/ElementNames.h"
#include "codegen/program/ProgramRecord.h"
#include "compiler/hlo/Location.h"
#include "hlort/hlort.h"
#include "passes/frontend/NotSupported.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace hloc {

static constexpr const char *kChecked = "hlo.checked";

// The layout of an hlort_buffer, as it is built below.
static_assert(offsetof(hlort_buffer, rank) == 4 && offsetof(hlort_buffer, dims) == 8 &&
              offsetof(hlort_buffer, minor_to_major) == 16 && offsetof(hlort_buffer, data) == 24 &&
              sizeof(hlort_buffer) == 32);

namespace {

struct CallKind {
  RuntimeCallEmitter emit;
  StringRef traceCategory = "call";
};

} // namespace

/// All callees, the only place that lists them.
static const CallKind *findKind(StringRef callee) {
  static const llvm::StringMap<CallKind> kinds = {
      {"async_launch",
       {[](RuntimeCallBuilder &call) { return call.site.async.emitLaunch(call); }, "start"}},
      {"async_wait",
       {[](RuntimeCallBuilder &call) { return call.site.async.emitWait(call); }, "wait"}},
      {"collective_done", {emitCollectiveDone, "wait"}},
      {"collective_start", {emitCollectiveStart, "start"}},
      {"custom_call", {emitCustomCall}},
      {"fft", {emitFft}},
      {"host_transfer", {emitHostTransfer}},
      {"partition_id", {emitPartitionId}},
      {"replica_id", {emitReplicaId}},
      {"require", {emitRequire}},
      {"rng_get_and_update_state", {emitRandomState}},
      {"sized_transfer", {emitHostTransfer}},
  };
  auto kind = kinds.find(callee);
  return kind == kinds.end() ? nullptr : &kind->second;
}

StringRef getTraceCategory(hlo::RuntimeCallOp op) {
  const CallKind *kind = findKind(op.getCallee());
  return isWaitedForAtOnce(op) ? "wait" : kind ? kind->traceCategory : "call";
}

std::string RuntimeCallBuilder::getPlace() {
  FileLineColLoc place = hlo::getFilePosition(op.getLoc());
  if (!place)
    return {};
  return (llvm::sys::path::filename(place.getFilename().getValue()) + ":" + Twine(place.getLine()) +
          ":" + Twine(place.getColumn()))
      .str();
}

Value RuntimeCallBuilder::at(Value base, int64_t bytes) {
  if (bytes == 0)
    return base;
  return LLVM::GEPOp::create(b, pointer, b.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
}

Value RuntimeCallBuilder::buffers(ValueRange arrays, ValueRange pointers, ArrayRef<Value> *sizes) {
  if (arrays.empty())
    return null();
  Value memory = site.stack(sizeof(hlort_buffer) * arrays.size());
  for (auto [i, array] : llvm::enumerate(arrays)) {
    auto type = cast<MemRefType>(array.getType());
    int64_t base = sizeof(hlort_buffer) * i;
    put(memory, base, i32(getElementInfo(type.getElementType()).number));
    put(memory, base + 4, i32(type.getRank()));
    bool isSized = sizes && !sizes->empty() && type.getRank() > 0;
    put(memory, base + 8, isSized ? sizes->front() : numbers(type.getShape()));
    if (isSized)
      *sizes = sizes->drop_front();
    put(memory, base + 16, null());
    put(memory, base + 24, pointers[i]);
  }
  return memory;
}

Value RuntimeCallBuilder::table(ValueRange pointers) {
  if (pointers.empty())
    return null();
  Value memory = site.stack(8 * pointers.size());
  for (auto [i, address] : llvm::enumerate(pointers))
    put(memory, 8 * i, address);
  return memory;
}

void RuntimeCallBuilder::call(StringRef function, ArrayRef<Value> arguments) {
  auto callee = site.globals.declare(function, b.getI32Type(), ValueRange(arguments).getTypes());
  check(LLVM::CallOp::create(b, callee, arguments));
}

void RuntimeCallBuilder::check(LLVM::CallOp call) {
  call->setAttr(kChecked, UnitAttr::get(call.getContext()));
}

LogicalResult emitRuntimeCall(hlo::RuntimeCallOp op, RuntimeCallSite site) {
  const CallKind *kind = findKind(op.getCallee());
  if (!kind)
    return emitNotSupported(op.getLoc(), "'" + op.getCallee() + "' in compiled code");
  RuntimeCallBuilder builder(op, site);
  return kind->emit(builder);
}

/// Ends the run after `call` has failed; returns the code that the function returns.
static Value endProgram(OpBuilder &b, LLVM::CallOp call) {
  auto function = call->getParentOfType<LLVM::LLVMFuncOp>();
  auto record = function->getAttrOfType<FlatSymbolRefAttr>(kEndsProgram);
  if (!record)
    return call.getResult();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value program = LLVM::AddressOfOp::create(b, call.getLoc(), pointer, record.getValue());
  SmallVector<Value> arguments{function.getArgument(0), program, call.getResult(),
                               function.getArguments().back()};
  return LLVM::CallOp::create(b, call.getLoc(), b.getI32Type(), kProgramEnd, arguments).getResult();
}

void checkRuntimeCalls(ModuleOp module) {
  SmallVector<LLVM::CallOp> calls;
  DenseMap<Operation *, Value> scopes;
  module.walk([&](Operation *op) {
    if (auto call = dyn_cast<LLVM::CallOp>(op); call && op->removeAttr(kChecked))
      calls.push_back(call);
    if (auto memory = dyn_cast<LLVM::AllocaOp>(op); memory && op->removeAttr(kAsyncScope))
      scopes[op->getParentOfType<LLVM::LLVMFuncOp>()] = memory;
  });
  for (LLVM::CallOp call : calls) {
    Block *block = call->getBlock(), *rest = block->splitBlock(std::next(call->getIterator()));
    Region *region = block->getParent();
    OpBuilder b(call.getContext());
    Block *leave = b.createBlock(region, region->end());
    if (Value scope = scopes.lookup(call->getParentOfType<LLVM::LLVMFuncOp>()))
      LLVM::CallOp::create(b, call.getLoc(),
                           cast<LLVM::LLVMFuncOp>(module.lookupSymbol(kAsyncAbandon)), scope);
    LLVM::ReturnOp::create(b, call.getLoc(), endProgram(b, call));
    b.setInsertionPointToEnd(block);
    Value zero = LLVM::ConstantOp::create(b, call.getLoc(), b.getI32Type(), b.getI32IntegerAttr(0));
    Value done =
        LLVM::ICmpOp::create(b, call.getLoc(), LLVM::ICmpPredicate::eq, call.getResult(), zero);
    LLVM::CondBrOp::create(b, call.getLoc(), done, rest, leave);
  }
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    function->removeAttr(kEndsProgram);
}

} // namespace hloc
