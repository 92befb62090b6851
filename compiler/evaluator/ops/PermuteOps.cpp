// SPDX-License-Identifier: Apache-2.0
// collective_permute, of whole arrays and of slices. The start does the work, the done returns the
// result.
#include "compiler/evaluator/core/Strided.h"
#include "compiler/evaluator/ops/CollectiveGroups.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::evaluator {

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

/// Copies slices of the sender's input one after the other to the sender's positions in `output`.
/// Takes the sizes from the front of `sizes`, and skips slices for which `isMine` is false.
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
        return call.fail("a slice is outside the operand");
    copyBox(input, start, output, target, shape);
  }
  return success();
}

/// Slices between buffers: (input, output, indices in the input, indices in the output), each an
/// array with its indices or a tuple of those. `sources` are the members that send to this one: a
/// single one sends all slices, each of several sends one slice of each array, in order.
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

void addPermuteOps(HandlerTable &table) {
  table["hlo.collective_permute"] = collectivePermute;
  table["hlo.collective_permute_start"] = collectivePermuteStart;
}

} // namespace hloc::evaluator
