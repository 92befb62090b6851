// SPDX-License-Identifier: Apache-2.0
// sort and topk, both stable.
#include "compiler/evaluator/core/Interpreter.h"
#include "compiler/evaluator/core/Strided.h"
#include "compiler/evaluator/ops/Sort.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::evaluator {

void mergeSort(MutableArrayRef<int64_t> items, llvm::function_ref<bool(int64_t, int64_t)> less) {
  std::vector<int64_t> from(items.begin(), items.end()), to(items.size());
  size_t count = items.size();
  for (size_t width = 1; width < count; width *= 2) {
    for (size_t begin = 0; begin < count; begin += 2 * width) {
      size_t middle = std::min(begin + width, count), end = std::min(begin + 2 * width, count);
      size_t left = begin, right = middle;
      for (size_t out = begin; out < end; ++out) {
        bool takeRight = left == middle || (right < end && less(from[right], from[left]));
        to[out] = from[takeRight ? right++ : left++];
      }
    }
    std::swap(from, to);
  }
  std::copy(from.begin(), from.end(), items.begin());
}

static FailureOr<Values> sort(Call &call) {
  auto op = cast<SortOp>(call.op);
  unsigned count = call.operands.size();
  if (count == 0)
    return call.fail("sort of no operands");
  // Parameters: left and right element of the first operand, of the second, ...
  SmallVector<ElementType, 4> types;
  for (unsigned i = 0; i < 2 * count; ++i)
    types.push_back(call.array(i / 2).type);
  FailureOr<Applier> compare = Applier::get(call, op.getToApplyAttr(), types);
  if (failed(compare))
    return failure();
  Shape shape = call.array(0).shape;
  int64_t d = op.getDimension(), size = shape.empty() ? 1 : shape[d];
  SmallVector<Array, 2> results;
  for (unsigned i = 0; i < count; ++i)
    results.emplace_back(call.array(i).type, shape);
  if (countElements(shape) == 0)
    return Values(results.begin(), results.end());
  SmallVector<char *, 2> data;
  for (Array &result : results)
    data.push_back(result.mutableData());

  Shape rows = shape;
  if (!rows.empty())
    rows[d] = 1;
  Shape strides = rowMajorStrides(shape), row(shape.size(), 0);
  int64_t step = shape.empty() ? 0 : strides[d];
  std::vector<int64_t> order(size), offsets(size);
  std::vector<std::vector<Scalar>> columns(count, std::vector<Scalar>(size));
  SmallVector<const Scalar *> arguments(2 * count);
  Scalar verdict;
  bool fails = false;
  do {
    int64_t base = linearize(row, strides);
    for (int64_t i = 0; i < size; ++i) {
      order[i] = i;
      offsets[i] = base + i * step;
    }
    for (unsigned i = 0; i < count; ++i)
      loadAt(results[i].type, call.array(i).data(), offsets.data(), size, columns[i].data());
    if (failed(call.interpreter.work(op, size)))
      return failure();
    mergeSort(order, [&](int64_t a, int64_t b) {
      for (unsigned i = 0; i < count; ++i) {
        arguments[2 * i] = &columns[i][a];
        arguments[2 * i + 1] = &columns[i][b];
      }
      fails = fails || failed((*compare)(arguments, {&verdict}, 1));
      return !fails && verdict.i;
    });
    if (fails)
      return failure();
    for (unsigned i = 0; i < count; ++i)
      for (int64_t k = 0; k < size; ++k)
        storeOne(results[i].type, columns[i][order[k]], data[i], offsets[k]);
  } while (nextIndex(row, rows));
  return Values(results.begin(), results.end());
}

/// True if a comes before b in descending (or ascending) order; floats in total order.
static bool before(ElementType type, bool largest, Scalar a, Scalar b) {
  if (!largest)
    std::swap(a, b);
  switch (getDomain(type)) {
  case Domain::Float:
    return totalOrderKey(a.f) > totalOrderKey(b.f);
  case Domain::Signed:
    return a.i > b.i;
  default:
    return a.u > b.u;
  }
}

std::pair<Array, Array> topK(const Array &operand, int64_t k, bool largest) {
  Shape shape = operand.shape;
  int64_t size = shape.back();
  k = std::min(k, size);
  shape.back() = k;
  Array values(operand.type, shape), indices(ElementType::S32, shape);
  char *valueData = values.mutableData(), *indexData = indices.mutableData();
  std::vector<Scalar> row(size);
  std::vector<int64_t> order(size);
  int64_t rows = size ? operand.getCount() / size : 0;
  for (int64_t r = 0; r < rows; ++r) {
    load(operand.type, operand.data() + r * size * getBytes(operand.type), size, row.data());
    for (int64_t i = 0; i < size; ++i)
      order[i] = i;
    mergeSort(order,
              [&](int64_t a, int64_t b) { return before(operand.type, largest, row[a], row[b]); });
    for (int64_t i = 0; i < k; ++i) {
      storeOne(operand.type, row[order[i]], valueData, r * k + i);
      storeOne(ElementType::S32, Scalar::ofInt(order[i]), indexData, r * k + i);
    }
  }
  return {values, indices};
}

static FailureOr<Values> topk(Call &call) {
  auto op = cast<TopkOp>(call.op);
  if (call.array(0).shape.empty())
    return call.fail("topk of a scalar");
  auto [values, indices] = topK(call.array(0), op.getK(), op.getLargest());
  return Values{values, indices};
}

void addSortOps(HandlerTable &table) {
  table["hlo.sort"] = sort;
  table["hlo.topk"] = topk;
}

} // namespace hloc::evaluator
