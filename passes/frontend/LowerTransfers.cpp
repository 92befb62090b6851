// SPDX-License-Identifier: Apache-2.0
// Lowers infeed, outfeed, send and recv to transfers of arrays. Test:
// test/passes/frontend/lower-transfers.hlo.
#include "compiler/hlo/CollectiveStages.h"
#include "compiler/hlo/infer/Shape.h"
#include "mlir/IR/Builders.h"
#include "passes/Build.h"
#include "passes/Passes.h"
#include "passes/frontend/NotSupported.h"
#include "passes/frontend/PeerTransfers.h"
#include "passes/frontend/TupleLeaves.h"
#include "passes/simplify/Match.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_LOWERTRANSFERS
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

/// The dimensions of an array in the order of its layout, major first.
SmallVector<int64_t> getMajorToMinor(RankedTensorType type) {
  auto layout = dyn_cast_or_null<LayoutAttr>(type.getEncoding());
  if (!layout || layout.getMinorToMajor().empty())
    return iotaVector(type.getRank());
  return llvm::to_vector(llvm::reverse(layout.getMinorToMajor()));
}

/// `type` with its dimensions permuted, without layout.
RankedTensorType inOrder(RankedTensorType type, ArrayRef<int64_t> order) {
  Shape from(type), to(type.getElementType());
  for (int64_t dimension : order)
    to.append(from.sizes[dimension], from.dynamic[dimension]);
  return to.getType();
}

/// Replaces one operation.
class Transfer {
public:
  Transfer(Operation *op, const PeerTransfers &peers)
      : op(op), peer(peers.lookup(op)), builder(op), build(builder, op->getLoc()) {}

  LogicalResult lower();

private:
  /// The types of the arrays in `type`; fails if it contains anything else.
  FailureOr<SmallVector<RankedTensorType>> getArrays(Type type);
  LogicalResult take(TransferKind kind, int64_t channel, Type type, Value &data);
  LogicalResult give(TransferKind kind, int64_t channel, ValueRange data, TypeRange types);
  LogicalResult takeFromPeer(IntegerAttr channel, Type type, Value &data);
  LogicalResult giveToPeer(IntegerAttr channel, Value data);
  SmallVector<Value> exchange(CollectiveKind kind, IntegerAttr channel, ArrayRef<int64_t> pairs,
                              ValueRange inputs, TypeRange results);

  void appendLeaves(Value value, SmallVectorImpl<Value> &leaves);
  Value assemble(Type type, ValueRange &leaves);
  Value token() { return AfterAllOp::create(builder, op->getLoc(), ValueRange()); }
  /// Replaces the operation by a tuple of its result type that begins with `elements`; the rest is
  /// zeros and tokens.
  void replaceByTuple(SmallVector<Value> elements);
  Value makeZero(Type type);
  Value transpose(Value value, ArrayRef<int64_t> order);
  HostTransferOp create(TransferKind kind, int64_t channel, ArrayRef<RankedTensorType> arrays,
                        TypeRange results, ValueRange inputs);

  Operation *op;
  const PeerTransfer *peer; // null: with the host
  OpBuilder builder;
  Build build;
};

FailureOr<SmallVector<RankedTensorType>> Transfer::getArrays(Type type) {
  SmallVector<RankedTensorType> arrays;
  for (Type leaf : getLeaves(type)) {
    auto array = dyn_cast<RankedTensorType>(leaf);
    if (!array)
      return emitNotSupported(op->getLoc(), "a transfer of what is not an array");
    if (isUnbounded(array))
      return emitNotSupported(op->getLoc(),
                              "a transfer of an array of dynamic size without a bound");
    arrays.push_back(array);
  }
  return arrays;
}

/// Appends the arrays in a value, depth first.
void Transfer::appendLeaves(Value value, SmallVectorImpl<Value> &leaves) {
  auto tuple = dyn_cast<TupleType>(value.getType());
  if (!tuple) {
    if (!isa<TokenType>(value.getType()))
      leaves.push_back(value);
    return;
  }
  for (auto [i, type] : llvm::enumerate(tuple.getTypes()))
    appendLeaves(GetTupleElementOp::create(builder, op->getLoc(), type, value, i), leaves);
}

/// A value of `type` whose arrays are taken from the front of `leaves`.
Value Transfer::assemble(Type type, ValueRange &leaves) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    SmallVector<Value> elements;
    for (Type element : tuple.getTypes())
      elements.push_back(assemble(element, leaves));
    return TupleOp::create(builder, op->getLoc(), tuple, elements);
  }
  if (isa<TokenType>(type))
    return token();
  Value leaf = leaves.front();
  leaves = leaves.drop_front();
  return withLayout(builder, leaf, type);
}

Value Transfer::makeZero(Type type) {
  SmallVector<Value> zeros;
  for (Type leaf : getPlainLeaves(type)) {
    auto array = cast<RankedTensorType>(leaf);
    Value zero = build.scalar(array.getElementType(), 0);
    if (array.getRank() != 0)
      zero = BroadcastOp::create(builder, op->getLoc(), array, zero, ArrayRef<int64_t>());
    zeros.push_back(zero);
  }
  ValueRange rest = zeros;
  return assemble(type, rest);
}

/// Transposes; bounds are kept.
Value Transfer::transpose(Value value, ArrayRef<int64_t> order) {
  auto type = arrayType(value);
  if (llvm::equal(order, llvm::seq<int64_t>(type.getRank())))
    return value;
  return TransposeOp::create(builder, op->getLoc(), inOrder(type, order), value, order);
}

void Transfer::replaceByTuple(SmallVector<Value> elements) {
  auto type = cast<TupleType>(op->getResult(0).getType());
  for (Type rest : type.getTypes().drop_front(elements.size()))
    elements.push_back(makeZero(rest));
  op->getResult(0).replaceAllUsesWith(TupleOp::create(builder, op->getLoc(), type, elements));
  op->erase();
}

HostTransferOp Transfer::create(TransferKind kind, int64_t channel,
                                ArrayRef<RankedTensorType> arrays, TypeRange results,
                                ValueRange inputs) {
  SmallVector<Attribute> layouts;
  for (RankedTensorType array : arrays)
    layouts.push_back(
        builder.getDenseI64ArrayAttr(llvm::to_vector(llvm::reverse(getMajorToMinor(array)))));
  return HostTransferOp::create(builder, op->getLoc(), results, inputs, kind, channel,
                                builder.getArrayAttr(layouts));
}

/// Transfers `data`, a value of `type`, from the host.
LogicalResult Transfer::take(TransferKind kind, int64_t channel, Type type, Value &data) {
  FailureOr<SmallVector<RankedTensorType>> arrays = getArrays(type);
  if (failed(arrays))
    return failure();
  SmallVector<Type> results;
  for (RankedTensorType array : *arrays)
    results.push_back(inOrder(array, getMajorToMinor(array)));
  HostTransferOp transfer = create(kind, channel, *arrays, results, ValueRange());
  SmallVector<Value> leaves;
  for (auto [result, array] : llvm::zip(transfer.getResults(), *arrays))
    leaves.push_back(transpose(result, invertPermutation(getMajorToMinor(array))));
  ValueRange rest = leaves;
  data = assemble(type, rest);
  return success();
}

/// Transfers `data` to the host in the layouts of `types`.
LogicalResult Transfer::give(TransferKind kind, int64_t channel, ValueRange data, TypeRange types) {
  SmallVector<Value> leaves;
  for (Value value : data)
    appendLeaves(value, leaves);
  FailureOr<SmallVector<RankedTensorType>> arrays =
      getArrays(TupleType::get(op->getContext(), types));
  if (failed(arrays))
    return failure();
  for (auto [leaf, array] : llvm::zip(leaves, *arrays)) {
    leaf = withLayout(builder, leaf, withoutLayout(leaf.getType()));
    leaf = transpose(leaf, getMajorToMinor(array));
  }
  create(kind, channel, *arrays, TypeRange(), leaves);
  return success();
}

/// Makes the start and the done of a transfer between participants; returns the results.
SmallVector<Value> Transfer::exchange(CollectiveKind kind, IntegerAttr channel,
                                      ArrayRef<int64_t> pairs, ValueRange inputs,
                                      TypeRange results) {
  Type ticket = RankedTensorType::get({1}, builder.getI64Type());
  SmallVector<int64_t> reuse(results.size(), -1);
  auto everybody = ReplicaGroupsAttr::get(builder.getContext(), {}, {}, StringAttr());
  auto start = CollectiveStartOp::create(
      builder, op->getLoc(), ticket, results, inputs, stringify(kind), everybody, channel,
      /*dimension=*/uint64_t(-1), /*combine=*/ArrayAttr(), pairs, ArrayRef<int64_t>(), reuse);
  auto done = CollectiveDoneOp::create(builder, op->getLoc(), results, start.getTicket(),
                                       start.getResults(), inputs);
  return llvm::to_vector_of<Value>(done.getResults());
}

LogicalResult Transfer::takeFromPeer(IntegerAttr channel, Type type, Value &data) {
  FailureOr<SmallVector<RankedTensorType>> arrays = getArrays(type);
  if (failed(arrays))
    return failure();
  SmallVector<Type> plain;
  for (RankedTensorType array : *arrays)
    plain.push_back(withoutLayout(array));
  SmallVector<Value> leaves = exchange(CollectiveKind::PeerRecv, channel, peer->pairs, {}, plain);
  ValueRange rest = leaves;
  data = assemble(type, rest);
  return success();
}

/// A source with several targets sends several times.
LogicalResult Transfer::giveToPeer(IntegerAttr channel, Value data) {
  if (failed(getArrays(data.getType())))
    return failure();
  SmallVector<Value> leaves;
  appendLeaves(data, leaves);
  for (Value &leaf : leaves)
    leaf = withLayout(builder, leaf, withoutLayout(leaf.getType()));
  SmallVector<int64_t> left = peer->pairs;
  do {
    SmallVector<int64_t> now, later;
    llvm::SmallDenseSet<int64_t> sources;
    for (size_t i = 0; i < left.size(); i += 2)
      (sources.insert(left[i]).second ? now : later).append({left[i], left[i + 1]});
    exchange(CollectiveKind::PeerSend, channel, now, leaves, TypeRange());
    left = later;
  } while (!left.empty());
  return success();
}

LogicalResult Transfer::lower() {
  bool givesTuple = isa<InfeedOp, SendOp, RecvOp, RecvDoneOp>(op);
  if (givesTuple && (op->getNumResults() != 1 || !isa<TupleType>(op->getResult(0).getType())))
    return op->emitOpError("expected a tuple as its result");
  auto typeOfData = [&] { return cast<TupleType>(op->getResult(0).getType()).getType(0); };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](InfeedOp) -> LogicalResult {
        Value data;
        if (failed(take(TransferKind::Infeed, 0, typeOfData(), data)))
          return failure();
        replaceByTuple({data});
        return success();
      })
      .Case([&](OutfeedOp outfeed) -> LogicalResult {
        SmallVector<Type> types(outfeed.getInputs().getTypes());
        if (std::optional<Type> shape = outfeed.getOutfeedShape())
          types = {*shape};
        if (failed(give(TransferKind::Outfeed, 0, outfeed.getInputs(), types)))
          return failure();
        outfeed.getResult().replaceAllUsesWith(token());
        outfeed.erase();
        return success();
      })
      .Case([&](SendOp send) -> LogicalResult {
        Value data = send.getOperand();
        if (failed(peer ? giveToPeer(send.getChannelIdAttr(), data)
                        : give(TransferKind::Send, send.getChannelId().value_or(0), data,
                               data.getType())))
          return failure();
        replaceByTuple({data});
        return success();
      })
      .Case([&](RecvOp recv) -> LogicalResult {
        if (failed(getArrays(recv.getResult(0).getType())))
          return failure();
        replaceByTuple({});
        return success();
      })
      .Case([&](SendDoneOp done) {
        done.getResult(0).replaceAllUsesWith(token());
        done.erase();
        return success();
      })
      .Case([&](RecvDoneOp done) -> LogicalResult {
        Value data;
        if (failed(peer ? takeFromPeer(done.getChannelIdAttr(), typeOfData(), data)
                        : take(TransferKind::Recv, done.getChannelId().value_or(0), typeOfData(),
                               data)))
          return failure();
        replaceByTuple({data});
        return success();
      })
      .Default(success());
}

bool isTransfer(Operation *op) {
  return isa<InfeedOp, OutfeedOp, SendOp, SendDoneOp, RecvOp, RecvDoneOp>(op);
}

struct LowerTransfers : hloc::impl::LowerTransfersBase<LowerTransfers> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<Operation *> transfers;
    module.walk([&](Operation *op) {
      if (isTransfer(op))
        transfers.push_back(op);
    });
    FailureOr<PeerTransfers> peers = PeerTransfers::find(module);
    if (failed(peers))
      return signalPassFailure();
    for (Operation *op : transfers)
      if (failed(Transfer(op, *peers).lower()))
        return signalPassFailure();
  }
};

} // namespace
