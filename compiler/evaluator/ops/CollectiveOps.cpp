// SPDX-License-Identifier: Apache-2.0
// Collectives. The members of a group exchange their operands, and each computes its own part of
// the result, in the order of the group's members. Start operations do the work, done operations
// return the result.
#include "compiler/evaluator/core/Strided.h"
#include "compiler/evaluator/ops/CollectiveGroups.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::evaluator {

/// Operand `index` of every member.
static SmallVector<Array> everyones(const Meeting &meeting, unsigned index) {
  SmallVector<Array> arrays;
  for (const Values &values : meeting.contributions)
    arrays.push_back(values[index].getArray());
  return arrays;
}

/// Arrays of bounded size may differ between participants only along the dimension in which a
/// collective concatenates them.
static LogicalResult expectSameSizes(Call &call, ArrayRef<Array> arrays, int64_t without = -1) {
  for (const Array &array : arrays)
    for (auto [d, size] : llvm::enumerate(array.shape))
      if (int64_t(d) != without && size != arrays[0].shape[d])
        return call.fail("expected arrays of the same sizes on all members of a group, but "
                         "dimension " +
                         Twine(d) + " has " + Twine(arrays[0].shape[d]) + " elements on one and " +
                         Twine(size) + " on another");
  return success();
}

/// Checks that a dimension can be divided into one part per member.
static LogicalResult expectParts(Call &call, const Array &array, int64_t d, int64_t members) {
  if (array.shape[d] % members == 0)
    return success();
  return call.fail("expected a size of dimension " + Twine(d) + " that is a multiple of the " +
                   Twine(members) + " members of a group but got " + Twine(array.shape[d]));
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
  int64_t d = op.getDimensions()[0];
  for (unsigned i = 0; i < call.operands.size(); ++i) {
    SmallVector<Array> parts = everyones(**meeting, i);
    if (failed(expectSameSizes(call, parts, d)))
      return failure();
    results.push_back(concatenate(parts, d));
  }
  return results;
}

/// Combines the arrays element by element, in order. The computation determines the operation,
/// which is executed on the elements' own type (`element`), whatever the parameters' is.
static FailureOr<Array> fold(Call &call, FlatSymbolRefAttr symbol, Type element,
                             ArrayRef<Array> arrays) {
  Array result = arrays[0];
  ElementType type = result.type;
  Operation *computation = call.interpreter.lookup(call.op, symbol);
  auto hasType = [&](BlockArgument parameter) {
    return getElementTypeOrSelf(parameter.getType()) == element;
  };
  if (computation && llvm::all_of(computation->getRegion(0).getArguments(), hasType))
    element = {};
  FailureOr<Applier> apply =
      Applier::get(call, symbol, {type, type}, /*accumulates=*/true, element);
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
    SmallVector<Array> arrays = everyones(**meeting, i);
    if (failed(expectSameSizes(call, arrays)))
      return failure();
    Type element = getElementTypeOrSelf(op->getOperand(i).getType());
    FailureOr<Array> result = fold(call, op.getToApplyAttr(), element, arrays);
    if (failed(result))
      return failure();
    results.push_back(*result);
  }
  return results;
}

static FailureOr<Values> allGather(Call &call) {
  return gatherAll(call, cast<AllGatherOp>(call.op));
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

/// Returns the result itself.
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
  int64_t d = op.getDimensions()[0];
  for (Value &result : *results) {
    if (failed(expectParts(call, result.getArray(), d, group.members.size())))
      return failure();
    result = partOf(result.getArray(), d, group.members.size(), group.place);
  }
  return results;
}

static FailureOr<Values> onlyOperand(Call &call) { return Values{call.operands[0]}; }
static FailureOr<Values> secondElement(Call &call) {
  if (!call.operands[0].isTuple() || call.operands[0].getTupleSize() < 2)
    return call.fail("the operand is not a collective in flight");
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
      SmallVector<Array> parts = everyones(**meeting, i);
      if (failed(expectSameSizes(call, parts, d)))
        return failure();
      for (Array &array : parts) {
        if (failed(expectParts(call, array, d, count)))
          return failure();
        array = partOf(array, d, count, group.place);
      }
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

/// Each member sends rows of its input to every other; the sender determines their offset in the
/// receiver's output.
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
    if (failed(expectSameSizes(call, {input, output}, /*without=*/0)))
      return failure();
    int64_t updates = sizes.getCount() / int64_t(group.members.size());
    for (int64_t u = 0; u < updates; ++u) {
      int64_t at = int64_t(group.place) * updates + u;
      Shape start(input.shape.size(), 0), target = start, shape = input.shape;
      start[0] = sender[2].getArray().getIndex(at);
      target[0] = sender[4].getArray().getIndex(at);
      shape[0] = sizes.getIndex(at);
      if (shape[0] < 0 || start[0] < 0 || target[0] < 0 || start[0] > input.shape[0] - shape[0] ||
          target[0] > output.shape[0] - shape[0])
        return call.fail("a part of " + Twine(shape[0]) + " rows is outside the input or output");
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
    return call.fail("the root is not a member of the group");
  for (unsigned i = 0; i < count; ++i)
    results.push_back((*meeting)->contributions[root][i]);
  return results;
}

void addCollectiveOps(HandlerTable &table) {
  table["hlo.all_gather"] = allGather;
  table["hlo.all_gather_start"] = allGatherStart;
  table["hlo.all_gather_done"] = secondElement;
  table["hlo.all_reduce"] = allReduce;
  table["hlo.all_reduce_start"] = allReduceStart;
  table["hlo.all_reduce_done"] = onlyOperand;
  table["hlo.reduce_scatter"] = reduceScatter;
  table["hlo.all_to_all"] = allToAll;
  table["hlo.ragged_all_to_all"] = raggedAllToAll;
  table["hlo.collective_broadcast"] = collectiveBroadcast;
  table["hlo.collective_permute_done"] = secondElement;
  addPermuteOps(table);
}

} // namespace hloc::evaluator
