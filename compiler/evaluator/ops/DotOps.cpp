// SPDX-License-Identifier: Apache-2.0
// dot, ragged_dot, scaled_dot.
#include "compiler/evaluator/core/Interpreter.h"
#include "compiler/evaluator/core/Strided.h"
#include "compiler/evaluator/linalg/Columns.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::evaluator {

namespace {
struct DotDimensions {
  Shape lhsBatch, rhsBatch, lhsContracting, rhsContracting;

  template <class Op>
  explicit DotDimensions(Op op)
      : lhsBatch(op.getLhsBatchDims()), rhsBatch(op.getRhsBatchDims()),
        lhsContracting(op.getLhsContractingDims()), rhsContracting(op.getRhsContractingDims()) {}
};

/// Dimensions in three groups, and how many elements each group has.
struct Grouped {
  Shape batch, free, contracting;

  Grouped(const Array &array, ArrayRef<int64_t> batch, ArrayRef<int64_t> contracting)
      : batch(batch), contracting(contracting) {
    for (int64_t d = 0; d < int64_t(array.shape.size()); ++d)
      if (!llvm::is_contained(batch, d) && !llvm::is_contained(contracting, d))
        free.push_back(d);
  }
  static int64_t count(const Array &array, ArrayRef<int64_t> dims) {
    int64_t result = 1;
    for (int64_t d : dims)
      result *= array.shape[d];
    return result;
  }
};
} // namespace

/// Adds a product and rounds to f32, as a processor's fused multiply-add does.
template <class T> static void multiplyAddRounded(T &sum, T a, T b) { multiplyAdd(sum, a, b); }
template <> void multiplyAddRounded(double &sum, double a, double b) { sum = float(sum + a * b); }

/// For complex numbers, product and sum are rounded separately.
template <>
void multiplyAddRounded(std::complex<double> &sum, std::complex<double> a, std::complex<double> b) {
  float ar = float(a.real()), ai = float(a.imag()), br = float(b.real()), bi = float(b.imag());
  sum = {float(sum.real()) + (ar * br - ai * bi), float(sum.imag()) + (ar * bi + ai * br)};
}

/// Shorter sums of products are rounded at every step, so that they agree to the bit with machines
/// that compute in the type itself; longer ones, whose order machines choose, are rounded once.
static constexpr int64_t kShortSum = 16;

/// Result dimensions: batch, free ones of lhs, free ones of rhs. Products are summed in the order
/// of the contracting index.
static FailureOr<Array> computeDot(Call &call, const Array &lhs, const Array &rhs,
                                   const DotDimensions &dims, ElementType result) {
  ElementType type = getSumType(lhs.type, rhs.type, result);
  Grouped left(lhs, dims.lhsBatch, dims.lhsContracting),
      right(rhs, dims.rhsBatch, dims.rhsContracting);
  int64_t batches = Grouped::count(lhs, left.batch), m = Grouped::count(lhs, left.free),
          n = Grouped::count(rhs, right.free), k = Grouped::count(lhs, left.contracting);
  Shape shape, leftOrder, rightOrder;
  for (int64_t d : left.batch)
    shape.push_back(lhs.shape[d]);
  for (int64_t d : left.free)
    shape.push_back(lhs.shape[d]);
  for (int64_t d : right.free)
    shape.push_back(rhs.shape[d]);
  for (auto *part : {&left.batch, &left.free, &left.contracting})
    llvm::append_range(leftOrder, *part);
  for (auto *part : {&right.batch, &right.contracting, &right.free})
    llvm::append_range(rightOrder, *part);
  Array a = transpose(lhs, leftOrder), b = transpose(rhs, rightOrder);

  bool stepwise = k <= kShortSum && getBits(getReal(type)) <= 32;
  return withNumber(type, [&](auto sample) -> FailureOr<Array> {
    using T = decltype(sample);
    auto add = stepwise ? multiplyAddRounded<T> : static_cast<void (*)(T &, T, T)>(multiplyAdd);
    std::vector<T> x = toNumbers<T>(a, type), y = toNumbers<T>(b, type), out(batches * m * n);
    for (int64_t row = 0; row < batches * m; ++row) {
      if (failed(call.interpreter.work(call.op, n * k)))
        return failure();
      T *sums = out.data() + row * n;
      const T *left = x.data() + row * k, *right = y.data() + row / m * k * n;
      for (int64_t i = 0; i < k; ++i)
        for (int64_t j = 0; j < n; ++j)
          add(sums[j], left[i], right[i * n + j]);
    }
    Array sums = fromNumbers(out, type, shape);
    return type == result ? sums : convertArray(sums, result);
  });
}

static ElementType resultType(Call &call) {
  return getElementType(getElementTypeOrSelf(call.op->getResult(0))).value_or(ElementType::F32);
}

/// If only one of two paired dimensions is bounded, the other is cut to its run-time size.
static void cutToPairs(Call &call, ArrayRef<int64_t> left, ArrayRef<int64_t> right) {
  Shape lhs = call.array(0).shape, rhs = call.array(1).shape;
  for (auto [l, r] : llvm::zip(left, right))
    lhs[l] = rhs[r] = std::min(lhs[l], rhs[r]);
  call.array(0) = cut(call.array(0), lhs);
  call.array(1) = cut(call.array(1), rhs);
}

static FailureOr<Values> dot(Call &call) {
  auto op = cast<DotOp>(call.op);
  cutToPairs(call, op.getLhsBatchDims(), op.getRhsBatchDims());
  cutToPairs(call, op.getLhsContractingDims(), op.getRhsContractingDims());
  FailureOr<Array> result =
      computeDot(call, call.array(0), call.array(1), DotDimensions(op), resultType(call));
  if (failed(result))
    return failure();
  return Values{*result};
}

/// Each element of a scale applies to a block of the operand: along every dimension, the block size
/// is the ratio of the sizes. A scalar scales everything.
static FailureOr<Array> scaled(Call &call, const Array &operand, const Array &scale) {
  if (!scale.shape.empty() && scale.shape.size() != operand.shape.size())
    return call.fail("the scale's rank differs from the operand's");
  std::vector<double> values = toNumbers<double>(operand, ElementType::F64),
                      scales = toNumbers<double>(scale, ElementType::F64);
  if (values.empty())
    return operand;
  Shape strides = rowMajorStrides(scale.shape), index(operand.shape.size(), 0);
  for (double &value : values) {
    int64_t at = 0;
    for (size_t d = 0; d < scale.shape.size(); ++d)
      at += index[d] * scale.shape[d] / operand.shape[d] * strides[d];
    value *= scales[at];
    nextIndex(index, operand.shape);
  }
  return fromNumbers(values, ElementType::F64, operand.shape);
}

static FailureOr<Values> scaledDot(Call &call) {
  auto op = cast<ScaledDotOp>(call.op);
  FailureOr<Array> lhs = scaled(call, call.array(0), call.array(2));
  FailureOr<Array> rhs = scaled(call, call.array(1), call.array(3));
  if (failed(lhs) || failed(rhs))
    return failure();
  FailureOr<Array> result = computeDot(call, *lhs, *rhs, DotDimensions(op), resultType(call));
  if (failed(result))
    return failure();
  return Values{*result};
}

//===- ragged_dot ----------------------------------------------------------===//

namespace {
/// The groups that a dimension is divided into. `group_sizes` is one list of sizes for all, or one
/// for each position along the dimensions before the ragged one.
struct Groups {
  const Array &sizes;
  int64_t count;
  Shape outerDims; // of lhs, one for each but the last dimension of the sizes

  Groups(const Array &sizes, ArrayRef<int64_t> outer) : sizes(sizes), count(sizes.shape.back()) {
    outerDims.assign(outer.begin(), outer.end());
    outerDims.resize(std::min(outerDims.size(), sizes.shape.size() - 1));
  }

  /// More than an array has positions: larger sizes mean no more, and sums of these do not
  /// overflow.
  static constexpr int64_t most = int64_t(1) << 40;

  /// Group of `position`, given the indices `outer` of the outer dimensions; -1 after the last
  /// group.
  int64_t find(ArrayRef<int64_t> outer, int64_t position) const {
    int64_t base = 0, end = 0;
    for (auto [d, at] : llvm::enumerate(outer))
      base = base * sizes.shape[d] + at;
    for (int64_t g = 0; g < count; ++g) {
      end += std::clamp(sizes.getIndex(base * count + g), -most, most);
      if (position < end)
        return g;
    }
    return -1;
  }
};
} // namespace

/// The operand with zeros where `keep` is false.
static Array masked(const Array &operand, llvm::function_ref<bool(ArrayRef<int64_t>)> keep) {
  Array result = operand;
  char *data = result.mutableData();
  int bytes = getBytes(operand.type);
  if (operand.getCount() == 0)
    return result;
  Shape index(operand.shape.size(), 0);
  int64_t at = 0;
  do {
    if (!keep(index))
      std::fill_n(data + at * bytes, bytes, 0);
    ++at;
  } while (nextIndex(index, operand.shape));
  return result;
}

static FailureOr<Values> raggedDot(Call &call) {
  auto op = cast<RaggedDotOp>(call.op);
  const Array &lhs = call.array(0), &rhs = call.array(1), &sizes = call.array(2);
  if (op.getLhsRaggedDims().size() != 1 || sizes.shape.empty())
    return call.fail("expected one ragged dimension and sizes of its groups");
  int64_t ragged = op.getLhsRaggedDims()[0];
  DotDimensions dims(op);
  ElementType type = resultType(call);
  auto pick = [](ArrayRef<int64_t> index, ArrayRef<int64_t> dims) {
    Shape picked;
    for (int64_t d : dims)
      picked.push_back(index[d]);
    return picked;
  };
  // The outer dimensions: batch, then those of the ragged one's kind before it.
  bool contracts = llvm::is_contained(dims.lhsContracting, ragged);
  bool isBatch = llvm::is_contained(dims.lhsBatch, ragged);
  Grouped left(lhs, dims.lhsBatch, dims.lhsContracting);
  Shape outer, rhsOuter;
  if (!isBatch)
    outer = dims.lhsBatch, rhsOuter = dims.rhsBatch;
  const Shape &kind = isBatch ? dims.lhsBatch : contracts ? dims.lhsContracting : left.free;
  const Shape &rhsKind = isBatch ? dims.rhsBatch : dims.rhsContracting;
  size_t place = llvm::find(kind, ragged) - kind.begin();
  outer.append(kind.begin(), kind.begin() + place);
  if (isBatch || contracts)
    rhsOuter.append(rhsKind.begin(), rhsKind.begin() + place);
  Groups groups(sizes, outer);
  outer.resize(groups.outerDims.size());
  rhsOuter.resize(std::min(rhsOuter.size(), outer.size()));

  if (isBatch) { // groups of batches: each batch has its own product anyway
    FailureOr<Array> result = computeDot(call, lhs, rhs, dims, type);
    if (failed(result))
      return failure();
    return Values{*result};
  }
  if (contracts) { // result dimension 0: the groups, each the sum over its own part
    int64_t rhsRagged = dims.rhsContracting[place];
    Array result;
    for (int64_t g = 0; g < groups.count; ++g) {
      Array a = masked(
          lhs, [&](ArrayRef<int64_t> i) { return groups.find(pick(i, outer), i[ragged]) == g; });
      Array b = masked(rhs, [&](ArrayRef<int64_t> i) {
        return groups.find(pick(i, rhsOuter), i[rhsRagged]) == g;
      });
      FailureOr<Array> part = computeDot(call, a, b, dims, type);
      if (failed(part))
        return failure();
      Shape shape(part->shape), target(shape.size() + 1, 0), one(shape);
      shape.insert(shape.begin(), groups.count);
      one.insert(one.begin(), 1);
      if (g == 0)
        result = Array(type, shape);
      target[0] = g;
      copyBox(part->reshaped(one), Shape(one.size(), 0), result, target, one);
    }
    return Values{result};
  }

  // Rows of lhs, each with the right operand of its group; rows after the last group give zeros.
  if (op.getRhsGroupDims().size() != 1)
    return call.fail("expected one group dimension of the right operand");
  int64_t groupDim = op.getRhsGroupDims()[0];
  auto withoutGroup = [&](Shape list) {
    for (int64_t &d : list)
      d -= d > groupDim;
    return list;
  };
  DotDimensions inner = dims;
  inner.rhsBatch = withoutGroup(dims.rhsBatch);
  inner.rhsContracting = withoutGroup(dims.rhsContracting);
  Array result;
  for (int64_t g = 0; g < groups.count; ++g) {
    Shape start(rhs.shape.size(), 0), shape = rhs.shape;
    start[groupDim] = g;
    shape[groupDim] = 1;
    Array own(rhs.type, shape);
    copyBox(rhs, start, own, Shape(shape.size(), 0), shape);
    shape.erase(shape.begin() + groupDim);
    FailureOr<Array> part = computeDot(call, lhs, own.reshaped(shape), inner, type);
    if (failed(part))
      return failure();
    if (g == 0)
      result = Array(type, part->shape);
    if (part->getCount() == 0)
      break;
    // The positions of the batch and free dimensions of lhs in the result.
    Shape places = dims.lhsBatch;
    llvm::append_range(places, left.free);
    auto inResult = [&](int64_t d) { return llvm::find(places, d) - places.begin(); };
    Shape index(part->shape.size(), 0);
    int64_t at = 0;
    do {
      Shape outerIndex;
      for (int64_t d : outer)
        outerIndex.push_back(index[inResult(d)]);
      if (groups.find(outerIndex, index[inResult(ragged)]) == g)
        result.set(at, part->get(at));
      ++at;
    } while (nextIndex(index, part->shape));
  }
  return Values{result};
}

void addDotOps(HandlerTable &table) {
  table["hlo.dot"] = dot;
  table["hlo.ragged_dot"] = raggedDot;
  table["hlo.scaled_dot"] = scaledDot;
}

} // namespace hloc::evaluator
