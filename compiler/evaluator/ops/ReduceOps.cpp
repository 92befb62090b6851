// SPDX-License-Identifier: Apache-2.0
// reduce, map and scan.
#include "compiler/evaluator/core/Interpreter.h"
#include "compiler/evaluator/core/Plan.h"
#include "compiler/evaluator/core/Strided.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::evaluator {

static SmallVector<ElementType, 4> typesOf(Call &call) {
  SmallVector<ElementType, 4> types;
  for (size_t i = 0; i < call.operands.size(); ++i)
    types.push_back(call.array(i).type);
  return types;
}

/// Reduces in row-major order, each result from its initial value: f(accumulated..., element...).
static FailureOr<Values> reduce(Call &call) {
  auto op = cast<ReduceOp>(call.op);
  unsigned count = op.getCount();
  SmallVector<ElementType, 4> types = typesOf(call);
  // Parameters are the accumulators and the elements, of the same types.
  std::copy(types.begin() + count, types.end(), types.begin());
  SmallVector<ElementType, 4> inputs(types);
  for (unsigned i = 0; i < count; ++i)
    inputs[count + i] = call.array(i).type;
  FailureOr<Applier> apply = Applier::get(call, op.getToApplyAttr(), inputs, /*accumulates=*/true);
  if (failed(apply))
    return failure();

  ArrayRef<int64_t> operandShape = call.array(0).shape;
  Shape strides = rowMajorStrides(operandShape), shape, keptStrides, foldedShape, foldedStrides;
  for (int64_t d = 0; d < int64_t(operandShape.size()); ++d) {
    bool folded = llvm::is_contained(op.getDimensions(), d);
    (folded ? foldedShape : shape).push_back(operandShape[d]);
    (folded ? foldedStrides : keptStrides).push_back(strides[d]);
  }
  SmallVector<Array, 2> results;
  SmallVector<char *, 2> data;
  for (unsigned i = 0; i < count; ++i)
    results.emplace_back(types[i], shape);
  for (Array &result : results)
    data.push_back(result.mutableData());
  int64_t outputs = countElements(shape), folds = countElements(foldedShape);

  std::vector<Scalar> columns(2 * count * kColumn);
  SmallVector<const Scalar *> arguments;
  SmallVector<Scalar *> accumulators;
  for (unsigned i = 0; i < 2 * count; ++i)
    arguments.push_back(columns.data() + i * kColumn);
  for (unsigned i = 0; i < count; ++i)
    accumulators.push_back(columns.data() + i * kColumn);
  int64_t kept[kColumn], offsets[kColumn];
  Shape index(shape.size(), 0);
  for (int64_t first = 0; first < outputs; first += kColumn) {
    int64_t size = std::min(kColumn, outputs - first);
    for (int64_t i = 0; i < size; ++i) {
      kept[i] = linearize(index, keptStrides);
      nextIndex(index, shape);
    }
    for (unsigned i = 0; i < count; ++i)
      std::fill_n(accumulators[i], size, call.array(count + i).get(0));
    Shape folded(foldedShape.size(), 0);
    for (int64_t fold = 0; fold < folds; ++fold, nextIndex(folded, foldedShape)) {
      if (fold % 4096 == 0 &&
          failed(call.interpreter.work(op, std::min<int64_t>(4096, folds - fold) * size)))
        return failure();
      int64_t base = linearize(folded, foldedStrides);
      for (int64_t i = 0; i < size; ++i)
        offsets[i] = kept[i] + base;
      for (unsigned i = 0; i < count; ++i)
        loadAt(inputs[count + i], call.array(i).data(), offsets, size,
               columns.data() + (count + i) * kColumn);
      if (failed((*apply)(arguments, accumulators, size)))
        return failure();
    }
    for (unsigned i = 0; i < count; ++i) {
      wrap(types[i], accumulators[i], size);
      store(types[i], accumulators[i], size, data[i] + first * getBytes(types[i]));
    }
  }
  return Values(results.begin(), results.end());
}

static FailureOr<Values> map(Call &call) {
  auto op = cast<MapOp>(call.op);
  FailureOr<Applier> apply = Applier::get(call, op.getToApplyAttr(), typesOf(call));
  auto type = getElementType(getElementTypeOrSelf(op.getType()));
  if (failed(apply) || !type)
    return failure();
  unsigned count = call.operands.size();
  if (count == 0)
    return call.fail("map of no operands");
  Array result(*type, call.array(0).shape);
  char *data = result.mutableData();
  std::vector<Scalar> columns((count + 1) * kColumn);
  SmallVector<const Scalar *> arguments;
  for (unsigned i = 0; i < count; ++i)
    arguments.push_back(columns.data() + i * kColumn);
  Scalar *out = columns.data() + count * kColumn;
  for (int64_t first = 0, total = result.getCount(); first < total; first += kColumn) {
    int64_t size = std::min(kColumn, total - first);
    for (unsigned i = 0; i < count; ++i) {
      const Array &operand = call.array(i);
      load(operand.type, operand.data() + first * getBytes(operand.type), size,
           columns.data() + i * kColumn);
    }
    if (failed(call.interpreter.work(op, size)) || failed((*apply)(arguments, {out}, size)))
      return failure();
    store(*type, out, size, data + first * getBytes(*type));
  }
  return Values{result};
}

/// The slice at `position` of dimension `d`, without that dimension.
static Array sliceAt(const Array &array, int64_t d, int64_t position) {
  Shape start(array.shape.size(), 0), sizes = array.shape;
  start[d] = position;
  sizes[d] = 1;
  Array result(array.type, sizes);
  copyBox(array, start, result, Shape(sizes.size(), 0), sizes);
  sizes.erase(sizes.begin() + d);
  return result.reshaped(sizes);
}

/// Step by step: (inputs' slices, carries) -> (outputs' slices, carries).
static FailureOr<Values> scan(Call &call) {
  auto op = cast<ScanOp>(call.op);
  Operation *computation = call.interpreter.lookup(op, op.getToApplyAttr());
  if (!computation)
    return call.fail("no computation is named @" + op.getToApply());
  int64_t d = op.getDimensions()[0], carryCount = op.getNumCarries();
  int64_t inputCount = int64_t(call.operands.size()) - carryCount;
  if (inputCount < 1)
    return call.fail("scan of no inputs");
  int64_t steps = call.array(0).shape[d];
  Values carries(call.operands.begin() + inputCount, call.operands.end()), outputs;

  // The stacked outputs' types; the results are a tuple in text and several values in flattened
  // modules.
  SmallVector<Type> types(op->getResultTypes());
  if (types.size() == 1 && isa<TupleType>(types[0]))
    types.assign(cast<TupleType>(types[0]).begin(), cast<TupleType>(types[0]).end());
  for (Type type : ArrayRef<Type>(types).drop_back(carryCount)) {
    Value zero = makeZero(type);
    if (!zero.isArray())
      return call.fail("scan's outputs must be arrays");
    if (Shape shape = zero.getArray().shape; shape[d] != steps) { // of a bounded dimension
      shape[d] = steps;
      zero = Array(zero.getArray().type, shape);
    }
    outputs.push_back(zero);
  }
  std::vector<Shape> used(outputs.size());
  for (int64_t step = 0; step < steps; ++step) {
    int64_t position = op.getIsReverse() ? steps - 1 - step : step;
    SmallVector<Value> arguments;
    for (int64_t i = 0; i < inputCount; ++i)
      arguments.push_back(sliceAt(call.array(i), d, position));
    for (Value &carry : carries)
      arguments.push_back(std::move(carry));
    FailureOr<Values> results = call.interpreter.run(computation, arguments);
    if (failed(results))
      return failure();
    SmallVector<Value> leaves;
    for (Value &value : *results)
      value.flatten(leaves);
    if (leaves.size() != outputs.size() + carries.size())
      return call.fail("@" + op.getToApply() + " gives " + Twine(leaves.size()) +
                       " values, expected " + Twine(outputs.size() + carries.size()));
    for (size_t i = 0; i < outputs.size(); ++i) {
      Array &output = outputs[i].getArray();
      Shape sizes = leaves[i].getArray().shape; // within the bounds, which the output has
      sizes.insert(sizes.begin() + d, 1);
      Shape target(sizes.size(), 0);
      target[d] = position;
      copyBox(leaves[i].getArray().reshaped(sizes), Shape(sizes.size(), 0), output, target, sizes);
      sizes[d] = steps;
      used[i] = sizes;
    }
    std::move(leaves.begin() + outputs.size(), leaves.end(), carries.begin());
  }
  for (auto [value, shape] : llvm::zip(outputs, used)) {
    Array &output = value.getArray();
    if (shape.empty() || output.shape == shape)
      continue;
    Array part(output.type, shape); // of the size of the last step's result
    copyBox(output, Shape(shape.size(), 0), part, Shape(shape.size(), 0), shape);
    value = part;
  }
  llvm::append_range(outputs, carries);
  return outputs;
}

void addReduceOps(HandlerTable &table) {
  table["hlo.reduce"] = reduce;
  table["hlo.map"] = map;
  table["hlo.scan"] = scan;
}

} // namespace hloc::evaluator
