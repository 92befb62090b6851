// SPDX-License-Identifier: Apache-2.0
// Collectives: hlort_collective_start, with constant data that describes the operation, and
// hlort_collective_done; or hlort_collective_run if nothing is computed in between. Also the
// numbers of participants. Test: test/codegen/collectives.hlo.
#include "codegen/calls/Calls.h"
#include "codegen/program/ElementNames.h"
#include "codegen/program/ProgramRecord.h"
#include "compiler/hlo/CollectiveStages.h"
#include "compiler/hlo/Location.h"
#include "hlort/collective.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/collectives/Combiners.h"
#include "passes/memory/AssignBuffersPlan.h"

using namespace mlir;

namespace hloc {

// The layouts of the structs that are built below, which have no padding.
static_assert(offsetof(hlort_collective_array, combine) == 16 &&
              sizeof(hlort_collective_array) == 24);
static_assert(offsetof(hlort_collective, kind) == 24 && offsetof(hlort_collective, channel) == 32 &&
              offsetof(hlort_collective, operand_count) == 48 &&
              offsetof(hlort_collective, group_count) == 80 &&
              offsetof(hlort_collective, pair_count) == 104 &&
              offsetof(hlort_collective, slice_sizes) == 128 && sizeof(hlort_collective) == 136);
static_assert(int(hlo::CollectiveKind::RaggedAllToAll) == HLORT_RAGGED_ALL_TO_ALL &&
              int(hlo::CollectiveKind::PermuteSlices) == HLORT_COLLECTIVE_PERMUTE_SLICES &&
              int(hlo::CollectiveKind::PeerSend) == HLORT_PEER_SEND &&
              int(hlo::CollectiveKind::PeerRecv) == HLORT_PEER_RECV);

namespace {

/// An hlort_combine function that calls a kernel which combines one chunk.
class CombineFunction {
public:
  CombineFunction(RuntimeCallBuilder &call, StringRef kernel, Type element)
      : call(call), b(call.b), kernel(call.site.kernel(kernel)),
        symbol((call.site.globals.getPrefix() + "." + kernel + ".combine").str()),
        chunkBytes(buffers::getBytes(RankedTensorType::get({kCombinedElements}, element))) {}

  LLVM::LLVMFuncOp get() {
    Type none = LLVM::LLVMVoidType::get(b.getContext()), pointer = call.pointer;
    return call.site.globals.define(symbol, none, {pointer, pointer, b.getI64Type()},
                                    [&](LLVM::LLVMFuncOp function) { build(function); });
  }

private:
  Value offset(Value base, Value bytes) {
    return LLVM::GEPOp::create(b, call.pointer, b.getI8Type(), base, ArrayRef<LLVM::GEPArg>{bytes});
  }
  void combineChunk(Value into, Value from) {
    LLVM::CallOp::create(
        b, kernel.function,
        ValueRange{into, from, into, call.null(), call.i64(0), call.i64(kernel.schedule.units)});
  }
  /// The number of bytes of `elements` elements.
  Value countBytes(Value elements) {
    int64_t bits = chunkBytes * 8 / kCombinedElements;
    if (bits >= 8)
      return LLVM::MulOp::create(b, elements, call.i64(bits / 8));
    Value last = call.i64(8 / bits - 1);
    return LLVM::UDivOp::create(b, LLVM::AddOp::create(b, elements, last), call.i64(8 / bits));
  }

  /// Combines whole chunks in place, and the remainder in a buffer on the stack.
  void build(LLVM::LLVMFuncOp function) {
    Value into = function.getArgument(0), from = function.getArgument(1),
          elements = function.getArgument(2);
    auto memory = LLVM::LLVMArrayType::get(b.getI8Type(), chunkBytes);
    Value one = call.i64(1);
    Value ownInto = LLVM::AllocaOp::create(b, call.pointer, memory, one, 64);
    Value ownFrom = LLVM::AllocaOp::create(b, call.pointer, memory, one, 64);
    Value size = call.i64(kCombinedElements);
    Value chunks = LLVM::UDivOp::create(b, elements, size);
    auto loop = scf::ForOp::create(b, call.i64(0), chunks, one);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value at = LLVM::MulOp::create(b, loop.getInductionVar(), call.i64(chunkBytes));
      combineChunk(offset(into, at), offset(from, at));
    }
    Value rest = LLVM::URemOp::create(b, elements, size);
    Value isLeft = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, rest, call.i64(0));
    auto branch = scf::IfOp::create(b, isLeft, /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      Value at = LLVM::MulOp::create(b, chunks, call.i64(chunkBytes)), bytes = countBytes(rest);
      LLVM::MemcpyOp::create(b, ownInto, offset(into, at), bytes, /*isVolatile=*/false);
      LLVM::MemcpyOp::create(b, ownFrom, offset(from, at), bytes, /*isVolatile=*/false);
      combineChunk(ownInto, ownFrom);
      LLVM::MemcpyOp::create(b, offset(into, at), ownInto, bytes, /*isVolatile=*/false);
    }
    LLVM::ReturnOp::create(b, ValueRange());
  }

  RuntimeCallBuilder &call;
  ImplicitLocOpBuilder &b;
  KernelCode kernel;
  std::string symbol;
  int64_t chunkBytes;
};

} // namespace

/// An array of hlort_collective_array.
static Value buildArrays(RuntimeCallBuilder &call, ValueRange arrays,
                         ArrayRef<LLVM::LLVMFuncOp> combine) {
  return call.site.globals.records(arrays.size(), [&](size_t i) {
    auto type = cast<MemRefType>(arrays[i].getType());
    Value function = call.null();
    if (i < combine.size()) {
      LLVM::LLVMFuncOp code = combine[i];
      function = LLVM::AddressOfOp::create(call.b, call.pointer, code.getSymName());
    }
    return SmallVector<Value>{call.i32(getElementInfo(type.getElementType()).number),
                              call.i32(type.getRank()), call.numbers(type.getShape()), function};
  });
}

/// The hlort_collective of the call.
static Value describe(RuntimeCallBuilder &call) {
  auto groups = call.getParameter<hlo::ReplicaGroupsAttr>("groups");
  auto channel = call.getParameter<IntegerAttr>("channel_id");
  auto dimension = call.getParameter<IntegerAttr>("dimension");
  auto pairs = call.getParameter<DenseI64ArrayAttr>("pairs");
  auto slices = call.getParameter<DenseI64ArrayAttr>("slice_sizes");
  auto kind = call.getParameter<StringAttr>("kind");
  SmallVector<LLVM::LLVMFuncOp> combine;
  if (auto kernels = call.getParameter<ArrayAttr>("combine"))
    for (auto [kernel, input] :
         llvm::zip(kernels.getAsRange<FlatSymbolRefAttr>(), call.op.getInputs()))
      combine.push_back(CombineFunction(call, kernel.getValue(),
                                        cast<MemRefType>(input.getType()).getElementType())
                            .get());
  OperandRange inputs = call.op.getInputs(), results = call.op.getOutputs().drop_front();
  Globals &globals = call.site.globals;
  Location location = call.op.getLoc();
  return globals.record("", [&] {
    StringRef name = hlo::getInstructionName(location);
    return SmallVector<Value>{
        getProgramRecord(globals, call.b, call.op->getParentOfType<ModuleOp>()),
        call.text(name.empty() ? kind.getValue() : name),
        call.text(call.getPlace()),
        call.i32(int32_t(*hlo::symbolizeCollectiveKind(kind))),
        call.i32(bool(channel)),
        call.i64(channel ? channel.getInt() : 0),
        call.i64(std::max<int64_t>(dimension.getInt(), 0)),
        call.i64(inputs.size()),
        buildArrays(call, inputs, combine),
        call.i64(results.size()),
        buildArrays(call, results, {}),
        call.i64(groups.getSizes().size()),
        call.numbers(groups.getSizes()),
        call.numbers(groups.getIds()),
        call.i64(pairs.size() / 2),
        call.numbers(pairs.asArrayRef()),
        call.i64(slices.size()),
        call.numbers(slices.asArrayRef())};
  });
}

/// The start or done next to `op` if there is nothing with effects between the two; else null.
static hlo::RuntimeCallOp findNeighbour(Operation *op, StringRef callee, bool isAfter) {
  do
    op = isAfter ? op->getNextNode() : op->getPrevNode();
  while (op && isMemoryEffectFree(op) && op->getNumRegions() == 0);
  auto call = dyn_cast_or_null<hlo::RuntimeCallOp>(op);
  return call && call.getCallee() == callee ? call : hlo::RuntimeCallOp();
}

/// True if the done takes the ticket of the start.
static bool arePair(hlo::RuntimeCallOp start, hlo::RuntimeCallOp done) {
  return start && done && start.getOutputs()[0] == done.getInputs()[0];
}

bool isWaitedForAtOnce(hlo::RuntimeCallOp call) {
  return call.getCallee() == "collective_start" &&
         arePair(call, findNeighbour(call, "collective_done", /*isAfter=*/true));
}

bool isDoneByItsStart(hlo::RuntimeCallOp call) {
  return call.getCallee() == "collective_done" &&
         arePair(findNeighbour(call, "collective_start", /*isAfter=*/false), call);
}

LogicalResult emitCollectiveStart(RuntimeCallBuilder &call) {
  RuntimeCallSite &site = call.site;
  ArrayRef<Value> results = ArrayRef(site.outputs).drop_front();
  Value what = describe(call);
  if (isWaitedForAtOnce(call.op)) {
    call.call("hlort_collective_run",
              {site.context, what, call.table(site.inputs), call.table(results), site.status});
    return success();
  }
  call.call("hlort_collective_start", {site.context, what, call.table(site.inputs),
                                       call.table(results), site.outputs[0], site.status});
  return success();
}

LogicalResult emitCollectiveDone(RuntimeCallBuilder &call) {
  RuntimeCallSite &site = call.site;
  Value ticket = LLVM::LoadOp::create(call.b, call.pointer, site.inputs[0]);
  call.call("hlort_collective_done", {site.context, ticket, site.status});
  return success();
}

/// Writes the number that `function` returns.
static LogicalResult emitId(RuntimeCallBuilder &call, StringRef function) {
  Value program = getProgramRecord(call.site.globals, call.b, call.op->getParentOfType<ModuleOp>());
  auto callee =
      call.site.globals.declare(function, call.b.getI32Type(), {call.pointer, call.pointer});
  Value id =
      LLVM::CallOp::create(call.b, callee, ValueRange{call.site.context, program}).getResult();
  LLVM::StoreOp::create(call.b, id, call.site.outputs[0]);
  return success();
}

LogicalResult emitPartitionId(RuntimeCallBuilder &call) {
  return emitId(call, "hlort_partition_id");
}
LogicalResult emitReplicaId(RuntimeCallBuilder &call) { return emitId(call, "hlort_replica_id"); }

} // namespace hloc
