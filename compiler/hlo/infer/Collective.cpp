// SPDX-License-Identifier: Apache-2.0
// Operations that several replicas or partitions take part in. Checks that depend on the module's
// numbers of these are in CheckCollectives.cpp.
#include "compiler/hlo/infer/Rules.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace hloc::hlo {

/// C1: at least one operand, all arrays.
static LogicalResult expectArrays(const Rule &rule, TypeRange inputs) {
  if (inputs.empty())
    return rule.fail(Error::OperandCount) << "expected at least one operand but got none";
  for (auto [i, type] : llvm::enumerate(inputs))
    if (failed(expectArray(rule, type, "operand " + Twine(i))))
      return failure();
  return success();
}

/// Element types of the results that the text states, in operand order; empty if their number is
/// not `count`.
static SmallVector<Type> getStated(const Rule &rule, size_t count, bool start) {
  TypeRange results = rule.getDeclaredTypes();
  auto open = [&] {
    if (auto tuple = results.size() == 1 ? dyn_cast<TupleType>(results[0]) : TupleType())
      results = tuple.getTypes();
  };
  if (start) {
    open();
    results = results.size() >= 2 ? results.slice(1, 1) : TypeRange();
  }
  if (count > 1 || results.size() != 1 || !isa<RankedTensorType>(results[0]))
    open();
  return results.size() == count ? SmallVector<Type>(results) : SmallVector<Type>();
}

namespace {
enum class Resize { Multiply, Divide };
} // namespace

/// Results of all-gather and reduce-scatter: the operands with one dimension multiplied or divided
/// by the number of participants, which is derived from the first stated result.
static FailureOr<SmallVector<Type>> resize(const Rule &rule, TypeRange inputs, Sizes dimensions,
                                           bool start, Resize way) {
  if (failed(expectArrays(rule, inputs)) ||
      failed(expectCount(rule, dimensions.size(), 1, "dimensions"))) // C2
    return failure();
  int64_t d = dimensions[0];
  SmallVector<Type> stated = getStated(rule, inputs.size(), start);
  std::optional<int64_t> parts;
  SmallVector<Type> results;
  for (auto [i, type] : llvm::enumerate(inputs)) {
    Shape shape(cast<RankedTensorType>(type));
    if (failed(expectDimension(rule, d, shape.getRank(), "dimensions"))) // C3
      return failure();
    auto result = dyn_cast_or_null<RankedTensorType>(i < stated.size() ? stated[i] : Type());
    if (!result || result.getRank() != shape.getRank()) // C4
      return rule.fail(Error::ResultShape)
             << "expected one result of as many dimensions for each operand (" << toText(inputs)
             << ") but got " << toText(rule.getDeclaredTypes());
    int64_t from = shape.sizes[d], to = getBounds(result)[d];
    int64_t small = way == Resize::Multiply ? from : to,
            large = way == Resize::Multiply ? to : from;
    if (small == kUnbounded || large == kUnbounded) {
      shape.sizes[d] = to;
    } else {
      if (small == 0 ? large != 0 : large % small != 0) // C5
        return rule.fail(Error::SizesDiffer)
               << "expected dimension " << d
               << " of operand and result to be a multiple one of the other but got "
               << toText(type) << " and " << toText(Type(result));
      if (small != 0 && !parts)
        parts = large / small;
      if (small != 0 && *parts != large / small) // C6
        return rule.fail(Error::SizesDiffer)
               << "expected all operands to be " << *parts << " parts of the result but operand "
               << i << ", " << toText(type) << ", is one of " << large / small;
      shape.sizes[d] = to;
    }
    results.push_back(shape.getType());
  }
  return results;
}

FailureOr<Type> infer(AllGatherOp::Adaptor op, const Rule &rule) {
  auto results =
      resize(rule, op.getInputs().getTypes(), op.getDimensions(), false, Resize::Multiply);
  if (failed(results))
    return failure();
  return packTypes(rule.getContext(), *results);
}

FailureOr<Type> infer(AllGatherStartOp::Adaptor op, const Rule &rule) {
  auto results =
      resize(rule, op.getInputs().getTypes(), op.getDimensions(), true, Resize::Multiply);
  if (failed(results))
    return failure();
  Type operands = packTypes(rule.getContext(), op.getInputs().getTypes());
  return Type(
      TupleType::get(rule.getContext(), {operands, packTypes(rule.getContext(), *results)}));
}

/// C7: a computation of two scalars.
static LogicalResult expectFold(const Rule &rule, FlatSymbolRefAttr computation) {
  if (!rule.knowsSignatures())
    return success();
  auto signature = rule.getSignature(computation);
  if (failed(signature))
    return failure();
  auto isScalar = [](Type type) {
    auto array = dyn_cast<RankedTensorType>(type);
    return array && array.getRank() == 0;
  };
  if (signature->getNumInputs() == 2 && llvm::all_of(signature->getInputs(), isScalar) &&
      signature->getNumResults() == 1 && isScalar(signature->getResult(0)))
    return success();
  return rule.fail(Error::Reducer) << "expected computation " << computation.getValue()
                                   << " to fold two scalars into one but it takes ("
                                   << toText(TypeRange(signature->getInputs())) << ") and returns "
                                   << toText(TypeRange(signature->getResults()));
}

FailureOr<Type> infer(ReduceScatterOp::Adaptor op, const Rule &rule) {
  auto results = resize(rule, op.getInputs().getTypes(), op.getDimensions(), false, Resize::Divide);
  if (failed(results) || failed(expectFold(rule, op.getToApplyAttr())))
    return failure();
  return packTypes(rule.getContext(), *results);
}

template <typename Adaptor> static FailureOr<Type> inferAllReduce(Adaptor op, const Rule &rule) {
  if (failed(expectArrays(rule, op.getInputs().getTypes())) ||
      failed(expectFold(rule, op.getToApplyAttr())))
    return failure();
  return packTypes(rule.getContext(), op.getInputs().getTypes());
}

FailureOr<Type> infer(AllReduceOp::Adaptor op, const Rule &rule) {
  return inferAllReduce(op, rule);
}
FailureOr<Type> infer(AllReduceStartOp::Adaptor op, const Rule &rule) {
  return inferAllReduce(op, rule);
}

FailureOr<Type> infer(AllToAllOp::Adaptor op, const Rule &rule) {
  TypeRange inputs = op.getInputs().getTypes();
  if (failed(expectArrays(rule, inputs)))
    return failure();
  if (std::optional<Sizes> dimensions = op.getDimensions()) {
    if (failed(expectCount(rule, dimensions->size(), 1, "dimensions")) || // C2
        failed(expectCount(rule, inputs.size(), 1, "operands")) ||        // C3
        failed(expectDimension(rule, (*dimensions)[0], cast<RankedTensorType>(inputs[0]).getRank(),
                               "dimensions")))
      return failure();
    return inputs[0];
  }
  for (Type type : inputs)
    if (!typesAgree(type, inputs[0])) // C4
      return rule.fail(Error::ShapesDiffer)
             << "expected all operands to be " << toText(inputs[0]) << " but got " << toText(type);
  return Type(TupleType::get(rule.getContext(), SmallVector<Type>(inputs)));
}

FailureOr<Type> infer(RaggedAllToAllOp::Adaptor op, const Rule &rule) {
  TypeRange inputs = op.getInputs().getTypes();
  if (failed(expectCount(rule, inputs.size(), 6, "operands")) ||
      failed(expectArrays(rule, inputs))) // C1
    return failure();
  auto input = cast<RankedTensorType>(inputs[0]), output = cast<RankedTensorType>(inputs[1]);
  if (failed(expectSameElement(rule, input.getElementType(), output.getElementType(),
                               "output")) || // C2
      failed(expectRank(rule, output, input.getRank(), "output")))
    return failure();
  if (input.getRank() > 0 && !sizesAgree(Sizes(getBounds(input)).drop_front(),
                                         Sizes(getBounds(output)).drop_front())) // C5
    return rule.fail(Error::ShapesDiffer)
           << "expected rows of the output to have the dimensions of those of the input, "
           << toText(inputs[0]) << ", but got " << toText(inputs[1]);
  for (size_t i = 2; i < 6; ++i) {
    auto array = cast<RankedTensorType>(inputs[i]);
    if (!isInteger(array.getElementType())) // C3
      return rule.fail(Error::ElementType)
             << "expected operand " << i << " to be integers but got " << toText(inputs[i]);
    if (!shapesAgree(array, cast<RankedTensorType>(inputs[2]))) // C4
      return rule.fail(Error::ShapesDiffer)
             << "expected operand " << i << " to have the dimensions of the input offsets, "
             << toText(inputs[2]) << ", but got " << toText(inputs[i]);
  }
  return inputs[1];
}

FailureOr<Type> infer(CollectiveBroadcastOp::Adaptor op, const Rule &rule) {
  TypeRange inputs = op.getInputs().getTypes();
  if (failed(expectArrays(rule, inputs)))
    return failure();
  return packTypes(rule.getContext(), op.getHasDynamicRoot() ? inputs.take_front(1) : inputs);
}

/// The result of a collective-permute: its operands, or, with slices (C2), its second operand after
/// the slices are written into it. Flattened, the latter has more than four operands.
template <typename Adaptor> static FailureOr<Type> inferPermuted(Adaptor op, const Rule &rule) {
  TypeRange inputs = op.getInputs().getTypes();
  if (inputs.empty()) // C1
    return rule.fail(Error::OperandCount) << "expected at least one operand but got none";
  std::optional<ArrayAttr> slices = op.getSliceSizes();
  if (!slices || slices->empty())
    return packTypes(rule.getContext(), inputs);
  if (inputs.size() > 4)
    return packTypes(rule.getContext(), rule.getDeclaredTypes());
  if (failed(expectCount(rule, inputs.size(), 4, "operands, since slice_sizes are given"))) // C2
    return failure();
  return inputs[1];
}

FailureOr<Type> infer(CollectivePermuteOp::Adaptor op, const Rule &rule) {
  return inferPermuted(op, rule);
}

FailureOr<Type> infer(CollectivePermuteStartOp::Adaptor op, const Rule &rule) {
  auto permuted = inferPermuted(op, rule);
  if (failed(permuted))
    return failure();
  TypeRange inputs = op.getInputs().getTypes();
  bool inPlace = *permuted != packTypes(rule.getContext(), inputs);
  SmallVector<Type> state = {inPlace ? inputs[0] : *permuted, *permuted};
  if (auto declared = dyn_cast_or_null<TupleType>(rule.getDeclared());
      declared && declared.size() > 2)
    llvm::append_range(state, declared.getTypes().drop_front(2)); // contexts
  return Type(TupleType::get(rule.getContext(), state));
}

/// C1: the state of the operation's first half, (operands, results, ...).
static FailureOr<Type> getResults(const Rule &rule, Type state) {
  auto tuple = dyn_cast<TupleType>(state);
  if (tuple && tuple.size() >= 2)
    return tuple.getType(1);
  return rule.fail(Error::Async) << "expected a state (operands, results, ...) but got "
                                 << toText(state);
}

FailureOr<Type> infer(AllGatherDoneOp::Adaptor op, const Rule &rule) {
  return getResults(rule, op.getOperand().getType());
}
FailureOr<Type> infer(AllReduceDoneOp::Adaptor op, const Rule &rule) {
  return op.getOperand().getType();
}
FailureOr<Type> infer(CollectivePermuteDoneOp::Adaptor op, const Rule &rule) {
  return getResults(rule, op.getOperand().getType());
}

} // namespace hloc::hlo
