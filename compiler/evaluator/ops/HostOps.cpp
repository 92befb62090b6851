// SPDX-License-Identifier: Apache-2.0
// Communication with the host: infeed, outfeed, send and recv; this participant's numbers; tokens.
#include "compiler/evaluator/core/Communicator.h"
#include "compiler/hlo/PeerPairs.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::evaluator {

static Array makeU32(uint64_t value) {
  Array result(ElementType::U32, {});
  result.set(0, Scalar::ofInt(int64_t(value)));
  return result;
}

static FailureOr<Values> partitionId(Call &call) {
  return Values{makeU32(call.interpreter.getPartition())};
}
static FailureOr<Values> replicaId(Call &call) {
  return Values{makeU32(call.interpreter.getReplica())};
}
static FailureOr<Values> token(Call &) { return Values{Value()}; }

/// Data from the host, of the first type in a tuple that `waiting` results in.
static FailureOr<Value> takeFromHost(Interpreter &me, Operation *waiting) {
  Type type = waiting->getResult(0).getType();
  if (auto tuple = dyn_cast<TupleType>(type))
    type = tuple.getType(0);
  StringRef opcode = isa<InfeedOp>(waiting) ? "infeed" : "recv-done";
  if (!me.participant.feed)
    return me.fail(waiting, opcode + " waits for data that the host has not given");
  llvm::Expected<Value> data = me.participant.feed(type);
  if (!data)
    return me.fail(waiting, opcode + " waits for data that the host has not given: " +
                                llvm::toString(data.takeError()));
  return *data;
}

/// (data, token).
static FailureOr<Values> infeed(Call &call) {
  FailureOr<Value> data = takeFromHost(call.interpreter, call.op);
  if (failed(data))
    return failure();
  return Values{*data, Value()};
}

static FailureOr<Values> outfeed(Call &call) {
  for (Value &operand : call.operands.drop_back())
    call.interpreter.participant.outfeed.push_back(operand);
  return Values{Value()};
}

//===- send and recv -------------------------------------------------------===//

/// The partners of a transfer: this participant itself, or those in the pairs that it names.
static FailureOr<SmallVector<int64_t>> partners(Call &call, bool ofSender) {
  StringRef text = findPeerPairs(call.op);
  if (!text.data())
    return SmallVector<int64_t>{call.interpreter.id};
  llvm::Expected<SmallVector<int64_t>> numbers = parsePeerPairs(text);
  if (!numbers)
    return call.fail(llvm::toString(numbers.takeError()));
  // The numbers are those of partitions, or of replicas if there is one partition.
  const Options &options = call.interpreter.evaluation.options;
  bool ofPartitions = options.partitions > 1;
  int64_t me = ofPartitions ? call.interpreter.getPartition() : call.interpreter.getReplica();
  SmallVector<int64_t> found;
  for (size_t i = 0; i < numbers->size(); i += 2)
    if ((*numbers)[i + !ofSender] == me)
      found.push_back(ofPartitions ? call.interpreter.getReplica() * options.partitions +
                                         (*numbers)[i + ofSender]
                                   : (*numbers)[i + ofSender]);
  return found;
}

/// (data, context, token). Sending does not wait for the receiver.
static FailureOr<Values> send(Call &call) {
  auto op = cast<SendOp>(call.op);
  if (op.getIsHostTransfer())
    call.interpreter.participant.outfeed.push_back(call.operands[0]);
  else {
    FailureOr<SmallVector<int64_t>> targets = partners(call, /*ofSender=*/true);
    if (failed(targets))
      return failure();
    for (int64_t to : *targets)
      call.interpreter.evaluation.communicator->send(op.getChannelId().value_or(0),
                                                     call.interpreter.id, to, call.operands[0]);
  }
  return Values{Value::makeTuple({call.operands[0], makeU32(0), Value()})};
}

/// (data, context, token), of which recv_done waits for the data. A participant that no pair names
/// as a target receives zeros.
static FailureOr<Values> recv(Call &call) {
  auto op = cast<RecvOp>(call.op);
  SmallVector<Type> types(op->getResultTypes());
  if (types.size() == 1 && isa<TupleType>(types[0]))
    types.assign(cast<TupleType>(types[0]).begin(), cast<TupleType>(types[0]).end());
  Value zero = makeZero(types[0]);
  Value result = Value::makeTuple({zero, makeU32(0), Value()});
  FailureOr<SmallVector<int64_t>> sources = SmallVector<int64_t>();
  if (!op.getIsHostTransfer())
    sources = partners(call, /*ofSender=*/false);
  if (failed(sources))
    return failure();
  result.setPending([&interpreter = call.interpreter, op, sources = *sources,
                     zero](Operation *done) mutable -> FailureOr<Value> {
    if (op.getIsHostTransfer())
      return takeFromHost(interpreter, done);
    if (sources.empty())
      return zero;
    return interpreter.evaluation.communicator->receive(
        interpreter, done, op.getChannelId().value_or(0), sources.front());
  });
  return Values{result};
}

/// (data, token).
static FailureOr<Values> recvDone(Call &call) {
  std::shared_ptr<Pending> pending = call.operands[0].getPending();
  if (!pending)
    return call.fail("the operand is not a receive in flight");
  FailureOr<Value> data = (*pending)(call.op);
  if (failed(data))
    return failure();
  return Values{*data, Value()};
}

void addHostOps(HandlerTable &table) {
  table["hlo.partition_id"] = partitionId;
  table["hlo.replica_id"] = replicaId;
  table["hlo.after_all"] = token;
  table["hlo.infeed"] = infeed;
  table["hlo.outfeed"] = outfeed;
  table["hlo.send"] = send;
  table["hlo.send_done"] = token;
  table["hlo.recv"] = recv;
  table["hlo.recv_done"] = recvDone;
}

} // namespace hloc::evaluator
