// SPDX-License-Identifier: Apache-2.0
// reduce_window and select_and_scatter.
#include "compiler/evaluator/core/Interpreter.h"
#include "compiler/evaluator/core/Strided.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::evaluator {

namespace {
/// The windows over an array. Lists that an attribute omits have their defaults.
struct Windows {
  Shape sizes, strides, low, high, baseDilations, windowDilations;
  Shape operandShape, shape; // of the operand, of the result

  Windows(WindowAttr window, ArrayRef<int64_t> operandShape) : operandShape(operandShape) {
    size_t rank = operandShape.size();
    auto orElse = [rank](ArrayRef<int64_t> list, int64_t value) {
      return list.size() == rank ? Shape(list) : Shape(rank, value);
    };
    sizes = orElse(window.getSizes(), 1);
    strides = orElse(window.getStrides(), 1);
    low = orElse(window.getPaddingLow(), 0);
    high = orElse(window.getPaddingHigh(), 0);
    baseDilations = orElse(window.getBaseDilations(), 1);
    windowDilations = orElse(window.getWindowDilations(), 1);
    for (size_t d = 0; d < rank; ++d) {
      int64_t dilated = operandShape[d] ? (operandShape[d] - 1) * baseDilations[d] + 1 : 0;
      int64_t extent = (sizes[d] - 1) * windowDilations[d] + 1;
      int64_t room = dilated + low[d] + high[d] - extent;
      shape.push_back(room < 0 ? 0 : room / strides[d] + 1);
    }
  }

  /// Offset of the operand element at position `inWindow` of the window at `index`; -1 for padding
  /// and the holes of dilation.
  int64_t offset(ArrayRef<int64_t> index, ArrayRef<int64_t> inWindow,
                 ArrayRef<int64_t> operandStrides) const {
    int64_t result = 0;
    for (size_t d = 0; d < index.size(); ++d) {
      int64_t place = index[d] * strides[d] + inWindow[d] * windowDilations[d] - low[d];
      if (place < 0 || place % baseDilations[d] != 0 || place / baseDilations[d] >= operandShape[d])
        return -1;
      result += place / baseDilations[d] * operandStrides[d];
    }
    return result;
  }
};
} // namespace

/// Reduces each window in row-major order; positions outside the operand count as the initial
/// value.
static FailureOr<Values> reduceWindow(Call &call) {
  auto op = cast<ReduceWindowOp>(call.op);
  unsigned count = op.getCount();
  SmallVector<ElementType, 4> types;
  for (unsigned half = 0; half < 2; ++half)
    for (unsigned i = 0; i < count; ++i)
      types.push_back(call.array(i).type);
  FailureOr<Applier> apply = Applier::get(call, op.getToApplyAttr(), types, /*accumulates=*/true);
  if (failed(apply))
    return failure();
  Windows windows(op.getWindow(), call.array(0).shape);
  Shape strides = rowMajorStrides(call.array(0).shape);
  SmallVector<Array, 2> results;
  SmallVector<char *, 2> data;
  for (unsigned i = 0; i < count; ++i)
    results.emplace_back(types[i], windows.shape);
  for (Array &result : results)
    data.push_back(result.mutableData());

  std::vector<Scalar> columns(2 * count * kColumn);
  SmallVector<const Scalar *> arguments;
  SmallVector<Scalar *> accumulators;
  for (unsigned i = 0; i < 2 * count; ++i)
    arguments.push_back(columns.data() + i * kColumn);
  for (unsigned i = 0; i < count; ++i)
    accumulators.push_back(columns.data() + i * kColumn);
  int64_t total = countElements(windows.shape), places = countElements(windows.sizes);
  std::vector<Shape> indices;
  Shape index(windows.shape.size(), 0);
  int64_t offsets[kColumn], rows[kColumn];
  Scalar loaded[kColumn];
  for (int64_t first = 0; first < total; first += kColumn) {
    int64_t size = std::min(kColumn, total - first);
    indices.clear();
    for (int64_t i = 0; i < size; ++i) {
      indices.push_back(index);
      nextIndex(index, windows.shape);
    }
    for (unsigned i = 0; i < count; ++i)
      std::fill_n(accumulators[i], size, call.array(count + i).get(0));
    Shape inWindow(windows.sizes.size(), 0);
    for (int64_t place = 0; place < places; ++place, nextIndex(inWindow, windows.sizes)) {
      if (failed(call.interpreter.work(op, size)))
        return failure();
      int64_t inside = 0;
      for (int64_t i = 0; i < size; ++i)
        if (int64_t offset = windows.offset(indices[i], inWindow, strides); offset >= 0) {
          rows[inside] = i;
          offsets[inside++] = offset;
        }
      for (unsigned i = 0; i < count; ++i) {
        Scalar *elements = columns.data() + (count + i) * kColumn;
        std::fill_n(elements, size, call.array(count + i).get(0));
        loadAt(types[i], call.array(i).data(), offsets, inside, loaded);
        for (int64_t k = 0; k < inside; ++k)
          elements[rows[k]] = loaded[k];
      }
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

/// Each window selects the first element that `select` never rejects for a later one; the source's
/// element is combined into it. Padding is never selected.
static FailureOr<Values> selectAndScatter(Call &call) {
  auto op = cast<SelectAndScatterOp>(call.op);
  const Array &operand = call.array(0), &source = call.array(1);
  ElementType type = operand.type;
  FailureOr<Applier> select = Applier::get(call, op.getSelectAttr(), {type, type});
  FailureOr<Applier> scatter =
      Applier::get(call, op.getScatterAttr(), {source.type, source.type}, /*accumulates=*/true);
  if (failed(select) || failed(scatter))
    return failure();
  Windows windows(op.getWindow(), operand.shape);
  if (ArrayRef<int64_t>(windows.shape) != ArrayRef<int64_t>(source.shape))
    return call.fail("the source does not have one element for each window");
  Array result(getArrayAccumulationType(source.type), operand.shape);
  fill(result, call.array(2).get(0));
  if (source.getCount() == 0)
    return Values{convertArray(result, source.type)};
  char *data = result.mutableData();
  Shape strides = rowMajorStrides(operand.shape), index(source.shape.size(), 0);
  int64_t linear = 0;
  do {
    int64_t chosen = -1;
    Scalar best;
    Shape inWindow(windows.sizes.size(), 0);
    if (failed(call.interpreter.work(op, countElements(windows.sizes))))
      return failure();
    do {
      int64_t offset = windows.offset(index, inWindow, strides);
      if (offset < 0)
        continue;
      Scalar candidate = loadOne(type, operand.data(), offset), keeps = Scalar::ofInt(0);
      if (chosen >= 0 && failed((*select)({&best, &candidate}, {&keeps}, 1)))
        return failure();
      if (!keeps.i) {
        chosen = offset;
        best = candidate;
      }
    } while (nextIndex(inWindow, windows.sizes));
    Scalar update = source.get(linear++);
    if (chosen < 0)
      continue;
    Scalar old = loadOne(result.type, data, chosen), combined;
    if (failed((*scatter)({&old, &update}, {&combined}, 1)))
      return failure();
    storeOne(result.type, combined, data, chosen);
  } while (nextIndex(index, source.shape));
  return Values{convertArray(result, source.type)};
}

void addWindowOps(HandlerTable &table) {
  table["hlo.reduce_window"] = reduceWindow;
  table["hlo.select_and_scatter"] = selectAndScatter;
}

} // namespace hloc::evaluator
