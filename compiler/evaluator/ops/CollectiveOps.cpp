// SPDX-License-Identifier: Apache-2.0
// Collectives. The members of a group come together, each takes everyone's operands and computes
// its own part, in the order of the group's members. Start operations do the work, done operations
// hand the result on.
#include "compiler/evaluator/core/Communicator.h"
#include "compiler/evaluator/core/Strided.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::evaluator {

namespace {
/// A group as this participant sees it.
struct Group {
  SmallVector<int64_t> members; // participants, replica-major; empty if this one is in no group
  size_t place = 0;             // of this participant
};

/// What the numbers in replica groups count.
enum class Mode { Replicas, Partitions, ReplicasAndPartitions, Flattened };
} // namespace

static Group findGroup(Call &call, ReplicaGroupsAttr groups, Mode mode) {
  const Interpreter &me = call.interpreter;
  int64_t replicas = me.evaluation.options.replicas, partitions = me.evaluation.options.partitions;
  int64_t self = mode == Mode::Flattened    ? me.id
                 : mode == Mode::Partitions ? me.getPartition()
                                            : me.getReplica();
  SmallVector<int64_t> numbers;
  if (!groups || groups.getSizes().empty()) {
    int64_t count = mode == Mode::Flattened    ? replicas * partitions
                    : mode == Mode::Partitions ? partitions
                                               : replicas;
    for (int64_t i = 0; i < count; ++i)
      numbers.push_back(i);
  } else {
    ArrayRef<int64_t> ids = groups.getIds();
    for (int64_t size : groups.getSizes()) {
      ArrayRef<int64_t> group = ids.take_front(size);
      ids = ids.drop_front(group.size());
      if (llvm::is_contained(group, self))
        numbers.assign(group.begin(), group.end());
    }
  }
  Group group;
  for (int64_t number : numbers) {
    if (mode == Mode::Flattened)
      group.members.push_back(number);
    else if (mode == Mode::Partitions)
      group.members.push_back(me.getReplica() * partitions + number);
    else if (mode == Mode::Replicas)
      group.members.push_back(number * partitions + me.getPartition());
    else
      for (int64_t partition = 0; partition < partitions; ++partition)
        group.members.push_back(number * partitions + partition);
  }
  group.place = llvm::find(group.members, me.id) - group.members.begin();
  return group;
}

/// The mode of operations that may use global device ids.
template <class Op> static Mode reducingMode(Op op) {
  if (op.getUseGlobalDeviceIds())
    return Mode::Flattened;
  return op.getChannelId() ? Mode::ReplicasAndPartitions : Mode::Replicas;
}

/// The mode of all others.
template <class Op> static Mode exchangingMode(Op op) {
  return op.getChannelId() ? Mode::Partitions : Mode::Replicas;
}

/// Everyone's operands, in the order of the group's members.
static FailureOr<std::shared_ptr<Meeting>> meet(Call &call, const Group &group) {
  const Options &options = call.interpreter.evaluation.options;
  if (group.members.empty())
    return call.fail("participant " + Twine(call.interpreter.id) + " is in no replica group");
  for (int64_t member : group.members)
    if (member < 0 || member >= options.replicas * options.partitions)
      return call.fail("a replica group names a participant beyond the " +
                       Twine(options.replicas * options.partitions) + " that there are");
  Values operands(call.operands.begin(), call.operands.end());
  auto meeting = call.interpreter.evaluation.communicator->arrive(call.interpreter, call.op,
                                                                  group.members, operands);
  if (failed(call.interpreter.evaluation.communicator->wait(call.interpreter, call.op, meeting)))
    return failure();
  return meeting;
}

/// Operand `index` of everyone.
static SmallVector<Array> everyones(const Meeting &meeting, unsigned index) {
  SmallVector<Array> arrays;
  for (const Values &values : meeting.contributions)
    arrays.push_back(values[index].getArray());
  return arrays;
}

static Array concatenate(ArrayRef<Array> parts, int64_t d) {
  Shape shape = parts[0].shape, zeros(shape.size(), 0), target(shape.size(), 0);
  shape[d] = 0;
  for (const Array &part : parts)
    shape[d] += part.shape[d];
  Array result(parts[0].type, shape);
  for (const Array &part : parts) {
    copyBox(part, zeros, result, target, part.shape);
    target[d] += part.shape[d];
  }
  return result;
}

/// Part `number` of `count` equal parts along dimension d.
static Array partOf(const Array &array, int64_t d, int64_t count, int64_t number) {
  Shape shape = array.shape, start(shape.size(), 0);
  shape[d] /= count;
  start[d] = number * shape[d];
  Array result(array.type, shape);
  copyBox(array, start, result, Shape(shape.size(), 0), shape);
  return result;
}

//===- all_gather, all_reduce, reduce_scatter ------------------------------===//

template <class Op> static FailureOr<Values> gatherAll(Call &call, Op op) {
  FailureOr<std::shared_ptr<Meeting>> meeting =
      meet(call, findGroup(call, op.getReplicaGroupsAttr(), reducingMode(op)));
  if (failed(meeting))
    return failure();
  Values results;
  for (unsigned i = 0; i < call.operands.size(); ++i)
    results.push_back(concatenate(everyones(**meeting, i), op.getDimensions()[0]));
  return results;
}

/// The arrays folded element by element, in order.
static FailureOr<Array> fold(Call &call, FlatSymbolRefAttr symbol, ArrayRef<Array> arrays) {
  Array result = arrays[0];
  ElementType type = result.type;
  FailureOr<Applier> apply = Applier::get(call, symbol, {type, type}, /*accumulates=*/true);
  if (failed(apply))
    return failure();
  char *data = result.mutableData();
  Scalar sum[kColumn], next[kColumn];
  int bytes = getBytes(type);
  for (int64_t first = 0, count = result.getCount(); first < count; first += kColumn) {
    int64_t size = std::min(kColumn, count - first);
    load(type, arrays[0].data() + first * bytes, size, sum);
    for (const Array &array : arrays.drop_front()) {
      load(type, array.data() + first * bytes, size, next);
      if (failed((*apply)({sum, next}, {sum}, size)))
        return failure();
    }
    wrap(type, sum, size);
    store(type, sum, size, data + first * bytes);
  }
  return result;
}

template <class Op> static FailureOr<Values> reduceAll(Call &call, Op op, const Group &group) {
  FailureOr<std::shared_ptr<Meeting>> meeting = meet(call, group);
  if (failed(meeting))
    return failure();
  Values results;
  for (unsigned i = 0; i < call.operands.size(); ++i) {
    FailureOr<Array> result = fold(call, op.getToApplyAttr(), everyones(**meeting, i));
    if (failed(result))
      return failure();
    results.push_back(*result);
  }
  return results;
}

static FailureOr<Values> allGather(Call &call) {
  return gatherAll(call, cast<AllGatherOp>(call.op));
}

static Value packed(Values &values) {
  return values.size() == 1 ? values[0]
                            : Value::makeTuple(std::vector<Value>(values.begin(), values.end()));
}

/// (operands, results).
static FailureOr<Values> allGatherStart(Call &call) {
  Values operands(call.operands.begin(), call.operands.end());
  FailureOr<Values> results = gatherAll(call, cast<AllGatherStartOp>(call.op));
  if (failed(results))
    return failure();
  return Values{Value::makeTuple({packed(operands), packed(*results)})};
}

static FailureOr<Values> allReduce(Call &call) {
  auto op = cast<AllReduceOp>(call.op);
  return reduceAll(call, op, findGroup(call, op.getReplicaGroupsAttr(), reducingMode(op)));
}

/// The result itself.
static FailureOr<Values> allReduceStart(Call &call) {
  auto op = cast<AllReduceStartOp>(call.op);
  return reduceAll(call, op, findGroup(call, op.getReplicaGroupsAttr(), reducingMode(op)));
}

static FailureOr<Values> reduceScatter(Call &call) {
  auto op = cast<ReduceScatterOp>(call.op);
  Group group = findGroup(call, op.getReplicaGroupsAttr(), reducingMode(op));
  FailureOr<Values> results = reduceAll(call, op, group);
  if (failed(results))
    return failure();
  for (Value &result : *results)
    result = partOf(result.getArray(), op.getDimensions()[0], group.members.size(), group.place);
  return results;
}

static FailureOr<Values> identity(Call &call) { return Values{call.operands[0]}; }
static FailureOr<Values> secondElement(Call &call) {
  if (!call.operands[0].isTuple() || call.operands[0].getTupleSize() < 2)
    return call.fail("the operand is no collective under way");
  return Values{call.operands[0].getElement(1)};
}

//===- Exchanges -----------------------------------------------------------===//

/// With a dimension: parts along it; without: operand i goes to member i.
static FailureOr<Values> allToAll(Call &call) {
  auto op = cast<AllToAllOp>(call.op);
  Group group = findGroup(call, op.getReplicaGroupsAttr(), exchangingMode(op));
  FailureOr<std::shared_ptr<Meeting>> meeting = meet(call, group);
  if (failed(meeting))
    return failure();
  size_t count = group.members.size();
  Values results;
  if (std::optional<ArrayRef<int64_t>> dimensions = op.getDimensions()) {
    int64_t d = dimensions->front();
    for (unsigned i = 0; i < call.operands.size(); ++i) {
      SmallVector<Array> parts;
      for (const Array &array : everyones(**meeting, i))
        parts.push_back(partOf(array, d, count, group.place));
      results.push_back(concatenate(parts, d));
    }
    return results;
  }
  if (call.operands.size() != count)
    return call.fail("expected one operand for each of the " + Twine(count) +
                     " members of the group");
  for (const Values &values : (*meeting)->contributions)
    results.push_back(values[group.place]);
  return results;
}

/// Each member sends rows of its input to each other; the sender says where in the receiver's
/// output they go.
static FailureOr<Values> raggedAllToAll(Call &call) {
  auto op = cast<RaggedAllToAllOp>(call.op);
  if (call.operands.size() != 6)
    return call.fail(
        "expected input, output, input_offsets, send_sizes, output_offsets and recv_sizes");
  Group group = findGroup(call, op.getReplicaGroupsAttr(), exchangingMode(op));
  FailureOr<std::shared_ptr<Meeting>> meeting = meet(call, group);
  if (failed(meeting))
    return failure();
  Array output = call.array(1);
  for (const Values &sender : (*meeting)->contributions) {
    const Array &input = sender[0].getArray(), &sizes = sender[3].getArray();
    int64_t updates = sizes.getCount() / int64_t(group.members.size());
    for (int64_t u = 0; u < updates; ++u) {
      int64_t at = int64_t(group.place) * updates + u;
      Shape start(input.shape.size(), 0), target = start, shape = input.shape;
      start[0] = sender[2].getArray().getIndex(at);
      target[0] = sender[4].getArray().getIndex(at);
      shape[0] = sizes.getIndex(at);
      if (shape[0] < 0 || start[0] < 0 || target[0] < 0 || start[0] > input.shape[0] - shape[0] ||
          target[0] > output.shape[0] - shape[0])
        return call.fail("a part of " + Twine(shape[0]) + " rows lies outside the input or output");
      copyBox(input, start, output, target, shape);
    }
  }
  return Values{output};
}

static FailureOr<Values> collectiveBroadcast(Call &call) {
  auto op = cast<CollectiveBroadcastOp>(call.op);
  Group group = findGroup(call, op.getReplicaGroupsAttr(), exchangingMode(op));
  unsigned count = call.operands.size() - op.getHasDynamicRoot();
  Values results;
  if (group.members.empty()) {
    for (unsigned i = 0; i < count; ++i)
      results.push_back(Array(call.array(i).type, call.array(i).shape));
    return results;
  }
  FailureOr<std::shared_ptr<Meeting>> meeting = meet(call, group);
  if (failed(meeting))
    return failure();
  int64_t root = op.getHasDynamicRoot() ? call.array(count).getIndex(0) : 0;
  if (root < 0 || root >= int64_t(group.members.size()))
    return call.fail("the root is no member of the group");
  for (unsigned i = 0; i < count; ++i)
    results.push_back((*meeting)->contributions[root][i]);
  return results;
}

//===- collective_permute --------------------------------------------------===//

/// Index numbers in a value: a vector, a scalar or a tuple of them.
static Shape indicesOf(const Value &value) {
  Shape indices;
  SmallVector<Value> leaves;
  value.flatten(leaves);
  for (const Value &leaf : leaves)
    for (int64_t i = 0; i < leaf.getArray().getCount(); ++i)
      indices.push_back(leaf.getArray().getIndex(i));
  return indices;
}

/// One slice after the other of the sender's input, copied to where the sender says in `output`.
/// Takes the sizes from the front of `sizes`, and leaves out slices that `isMine` does not name.
static LogicalResult copySlices(Call &call, const Array &input, Array &output,
                                ArrayRef<int64_t> starts, ArrayRef<int64_t> targets,
                                ArrayRef<Attribute> &sizes, function_ref<bool(size_t)> isMine) {
  size_t rank = input.shape.size();
  if (input.type != output.type || rank != output.shape.size())
    return call.fail("input and output differ in their element types or numbers of dimensions");
  if (rank == 0 || starts.size() % rank || starts.size() != targets.size() ||
      starts.size() / rank > sizes.size())
    return call.fail("slice_sizes and the start indices do not match the operand");
  for (size_t slice = 0; slice < starts.size() / rank; ++slice) {
    Shape shape;
    if (auto list = dyn_cast<DenseI64ArrayAttr>(sizes.front()))
      shape.assign(list.asArrayRef().begin(), list.asArrayRef().end());
    else
      for (Attribute size : cast<ArrayAttr>(sizes.front()))
        shape.push_back(cast<IntegerAttr>(size).getInt());
    sizes = sizes.drop_front();
    if (shape.size() != rank)
      return call.fail("slice_sizes and the start indices do not match the operand");
    if (!isMine(slice))
      continue;
    ArrayRef<int64_t> start = starts.slice(slice * rank, rank),
                      target = targets.slice(slice * rank, rank);
    for (size_t d = 0; d < rank; ++d)
      if (shape[d] < 0 || start[d] < 0 || target[d] < 0 || start[d] > input.shape[d] - shape[d] ||
          target[d] > output.shape[d] - shape[d])
        return call.fail("a slice lies outside the operand");
    copyBox(input, start, output, target, shape);
  }
  return success();
}

/// Slices between buffers: (input, output, where in the input, where in the output), each an array
/// with its indices or a tuple of those. `sources` are the members that send to this one: one sends
/// all slices, of several each one slice of each array, in order.
static FailureOr<Values> permuteSlices(Call &call, const Meeting &meeting,
                                       ArrayRef<Attribute> sizes, ArrayRef<int64_t> sources) {
  if (call.operands.size() != 4)
    return call.fail("expected input, output and where slices lie in them");
  auto count = [](const Value &value) { return value.isTuple() ? value.getTupleSize() : 1; };
  auto part = [](const Value &value, size_t i) {
    return value.isTuple() ? value.getElement(i) : value;
  };
  size_t arrays = count(call.operands[1]);
  bool isTuple = call.operands[1].isTuple();
  std::vector<Value> outputs;
  for (size_t i = 0; i < arrays; ++i)
    outputs.push_back(part(call.operands[1], i));
  for (auto [number, source] : llvm::enumerate(sources)) {
    const Values &sender = meeting.contributions[source];
    auto isMine = [&, number = number](size_t slice) {
      return sources.size() == 1 || slice == number;
    };
    ArrayRef<Attribute> rest = sizes;
    for (size_t i = 0; i < arrays; ++i) {
      if (isTuple &&
          (count(sender[0]) != arrays || count(sender[2]) != arrays || count(sender[3]) != arrays))
        return call.fail("slice_sizes and the start indices do not match the operand");
      Value input = part(sender[0], i);
      if (!input.isArray() || !outputs[i].isArray())
        return call.fail("slices are exchanged between arrays and tuples of arrays");
      Shape starts = indicesOf(isTuple ? part(sender[2], i) : sender[2]),
            targets = indicesOf(isTuple ? part(sender[3], i) : sender[3]);
      if (failed(copySlices(call, input.getArray(), outputs[i].getArray(), starts, targets, rest,
                            isMine)))
        return failure();
    }
  }
  return Values{isTuple ? Value::makeTuple(std::move(outputs)) : outputs.front()};
}

template <class Op> static FailureOr<Values> permute(Call &call, Op op) {
  Mode mode = exchangingMode(op);
  Group all = findGroup(call, nullptr, mode);
  FailureOr<std::shared_ptr<Meeting>> meeting = meet(call, all);
  if (failed(meeting))
    return failure();
  int64_t self =
      mode == Mode::Partitions ? call.interpreter.getPartition() : call.interpreter.getReplica();
  SmallVector<int64_t> sources;
  ArrayRef<int64_t> pairs = op.getSourceTargetPairs();
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    if (pairs[i + 1] != self)
      continue;
    if (pairs[i] >= int64_t(all.members.size()))
      return call.fail("source " + Twine(pairs[i]) + " is not among the participants");
    sources.push_back(pairs[i]);
  }
  if (op.getSliceSizes())
    return permuteSlices(call, **meeting, op.getSliceSizes()->getValue(), sources);
  Values results;
  for (auto [i, operand] : llvm::enumerate(call.operands)) {
    if (!sources.empty())
      results.push_back((*meeting)->contributions[sources.back()][i]);
    else if (operand.isArray())
      results.push_back(Array(operand.getArray().type, operand.getArray().shape));
    else
      results.push_back(makeZero(op->getOperand(i).getType()));
  }
  return results;
}

static FailureOr<Values> collectivePermute(Call &call) {
  return permute(call, cast<CollectivePermuteOp>(call.op));
}

/// (operands, results, contexts).
static FailureOr<Values> collectivePermuteStart(Call &call) {
  Values operands(call.operands.begin(), call.operands.end());
  FailureOr<Values> results = permute(call, cast<CollectivePermuteStartOp>(call.op));
  if (failed(results))
    return failure();
  std::vector<Value> elements{packed(operands), packed(*results)};
  if (auto type = dyn_cast<TupleType>(call.op->getResult(0).getType()))
    for (Type context : llvm::drop_begin(type.getTypes(), std::min<size_t>(2, type.size())))
      elements.push_back(makeZero(context));
  return Values{Value::makeTuple(std::move(elements))};
}

void addCollectiveOps(HandlerTable &table) {
  table["hlo.all_gather"] = allGather;
  table["hlo.all_gather_start"] = allGatherStart;
  table["hlo.all_gather_done"] = secondElement;
  table["hlo.all_reduce"] = allReduce;
  table["hlo.all_reduce_start"] = allReduceStart;
  table["hlo.all_reduce_done"] = identity;
  table["hlo.reduce_scatter"] = reduceScatter;
  table["hlo.all_to_all"] = allToAll;
  table["hlo.ragged_all_to_all"] = raggedAllToAll;
  table["hlo.collective_broadcast"] = collectiveBroadcast;
  table["hlo.collective_permute"] = collectivePermute;
  table["hlo.collective_permute_start"] = collectivePermuteStart;
  table["hlo.collective_permute_done"] = secondElement;
}

} // namespace hloc::evaluator
