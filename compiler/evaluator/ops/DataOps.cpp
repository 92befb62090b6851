// SPDX-License-Identifier: Apache-2.0
// Operations that create, move and reshape data.
#include "compiler/evaluator/core/Interpreter.h"
#include "compiler/evaluator/core/Plan.h"
#include "compiler/evaluator/core/Strided.h"
#include "compiler/hlo/ElementType.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::evaluator {

static FailureOr<Values> identity(Call &call) { return Values{std::move(call.operands[0])}; }

FailureOr<Values> passOperands(Call &call) {
  return Values(std::make_move_iterator(call.operands.begin()),
                std::make_move_iterator(call.operands.end()));
}

static FailureOr<Values> tuple(Call &call) {
  return Values{Value::makeTuple(std::vector<Value>(std::make_move_iterator(call.operands.begin()),
                                                    std::make_move_iterator(call.operands.end())))};
}

static FailureOr<Values> constant(Call &call) {
  return Values{fromAttribute(cast<ConstantOp>(call.op).getValue())};
}

static FailureOr<Values> iota(Call &call) {
  auto op = cast<IotaOp>(call.op);
  auto type = getArrayType(op.getType());
  if (!type)
    return call.fail("the result has no size");
  Array result(type->first, type->second);
  if (result.getCount() == 0)
    return Values{result};
  // One run along the dimension, then copies of it.
  int64_t dimension = op.getIotaDimension(), size = result.shape[dimension];
  Array run(result.type, {size});
  char *data = run.mutableData();
  for (int64_t i = 0; i < size; ++i)
    storeOne(result.type, convert(ElementType::S64, result.type, Scalar::ofInt(i)), data, i);
  Shape strides(result.shape.size(), 0);
  strides[dimension] = 1;
  copyBox({data, strides}, {result.mutableData(), rowMajorStrides(result.shape)}, result.shape,
          getBytes(result.type));
  return Values{result};
}

static FailureOr<Values> broadcast(Call &call) {
  auto op = cast<BroadcastOp>(call.op);
  auto type = getArrayType(op.getType());
  if (!type)
    return call.fail("the result has no size");
  Array &operand = call.array(0);
  Shape strides(type->second.size(), 0), operandStrides = rowMajorStrides(operand.shape);
  auto tensor = cast<RankedTensorType>(op.getType());
  for (auto [i, dimension] : llvm::enumerate(op.getDimensions())) {
    strides[dimension] = operandStrides[i];
    if (tensor.isDynamicDim(dimension)) // the operand's run-time size
      type->second[dimension] = operand.shape[i];
    else if (operand.shape[i] == 1)
      strides[dimension] = 0;
    else if (operand.shape[i] != type->second[dimension])
      return call.fail("dimension " + Twine(i) + " has a size of " + Twine(operand.shape[i]) +
                       " at run time, and the result " + Twine(type->second[dimension]));
  }
  Array result(type->first, type->second);
  if (result.getCount())
    copyBox({operand.data(), strides}, {result.mutableData(), rowMajorStrides(result.shape)},
            result.shape, getBytes(result.type));
  return Values{result};
}

static FailureOr<Values> transposeOp(Call &call) {
  return Values{transpose(call.array(0), cast<TransposeOp>(call.op).getDimensions())};
}

static FailureOr<Values> reverse(Call &call) {
  Array &operand = call.array(0);
  Array result(operand.type, operand.shape);
  if (result.getCount() == 0)
    return Values{result};
  Shape strides = rowMajorStrides(operand.shape), reversed = strides;
  int64_t first = 0;
  for (int64_t dimension : cast<ReverseOp>(call.op).getDimensions()) {
    first += strides[dimension] * (operand.shape[dimension] - 1);
    reversed[dimension] = -strides[dimension];
  }
  int bytes = getBytes(operand.type);
  copyBox({operand.data() + first * bytes, reversed}, {result.mutableData(), strides},
          operand.shape, bytes);
  return Values{result};
}

static FailureOr<Values> slice(Call &call) {
  auto op = cast<SliceOp>(call.op);
  Array &operand = call.array(0);
  Shape strides = rowMajorStrides(operand.shape), shape, steps;
  int64_t first = 0;
  for (auto [d, size] : llvm::enumerate(operand.shape)) {
    int64_t start = op.getStarts()[d], stride = op.getStrides()[d];
    int64_t limit = std::min(op.getLimits()[d], size); // less only if the size is dynamic
    shape.push_back(limit > start ? llvm::divideCeil(limit - start, stride) : 0);
    steps.push_back(strides[d] * stride);
    first += start * strides[d];
  }
  Array result(operand.type, shape);
  int bytes = getBytes(operand.type);
  if (result.getCount())
    copyBox({operand.data() + first * bytes, steps}, {result.mutableData(), rowMajorStrides(shape)},
            shape, bytes);
  return Values{result};
}

static FailureOr<Values> pad(Call &call) {
  auto op = cast<PadOp>(call.op);
  Array &operand = call.array(0);
  Shape shape, sizes, steps, start;
  int64_t target = 0;
  for (auto [d, size] : llvm::enumerate(operand.shape)) {
    int64_t step = op.getInterior()[d] + 1;
    int64_t padded = op.getLow()[d] + op.getHigh()[d] + (size ? (size - 1) * step + 1 : 0);
    shape.push_back(std::max<int64_t>(padded, 0));
    // The operand elements inside the result: low + i * step in [0, padded).
    int64_t from = op.getLow()[d] >= 0 ? 0 : llvm::divideCeil(-op.getLow()[d], step);
    int64_t to = padded - op.getLow()[d] <= 0
                     ? 0
                     : std::min(size, int64_t(llvm::divideCeil(padded - op.getLow()[d], step)));
    start.push_back(from);
    sizes.push_back(std::max<int64_t>(to - from, 0));
  }
  Array result(operand.type, shape);
  fill(result, call.array(1).get(0));
  if (countElements(sizes) == 0)
    return Values{result};
  Shape strides = rowMajorStrides(shape), operandStrides = rowMajorStrides(operand.shape);
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t step = op.getInterior()[d] + 1;
    steps.push_back(strides[d] * step);
    target += (op.getLow()[d] + start[d] * step) * strides[d];
  }
  int bytes = getBytes(operand.type);
  copyBox({operand.data() + linearize(start, operandStrides) * bytes, operandStrides},
          {result.mutableData() + target * bytes, steps}, sizes, bytes);
  return Values{result};
}

static FailureOr<Values> concatenate(Call &call) {
  int64_t dimension = cast<ConcatenateOp>(call.op).getDimension();
  Shape shape = call.array(0).shape;
  shape[dimension] = 0;
  for (size_t i = 0; i < call.operands.size(); ++i)
    for (size_t d = 0; d < shape.size(); ++d)
      // Sizes differ only if some are bounded: then the smallest is used.
      shape[d] = int64_t(d) == dimension ? shape[d] + call.array(i).shape[d]
                                         : std::min(shape[d], call.array(i).shape[d]);
  Array result(call.array(0).type, shape);
  Shape zeros(shape.size(), 0), target(shape.size(), 0);
  for (size_t i = 0; i < call.operands.size(); ++i) {
    Shape part = shape;
    part[dimension] = call.array(i).shape[dimension];
    copyBox(call.array(i), zeros, result, target, part);
    target[dimension] += call.array(i).shape[dimension];
  }
  return Values{result};
}

//===- The same memory as something else -----------------------------------===//

/// The elements' bits one after the other, lowest first.
static std::vector<bool> unpack(const Array &array) {
  int bits = getBits(array.type) == 1 && array.type == ElementType::PRED ? 8 : getBits(array.type);
  std::vector<bool> all;
  all.reserve(array.getCount() * bits);
  for (int64_t i = 0, count = array.getCount(), bytes = getBytes(array.type); i < count; ++i)
    for (int bit = 0; bit < bits; ++bit)
      all.push_back(array.data()[i * bytes + bit / 8] >> (bit % 8) & 1);
  return all;
}

/// An array whose elements are made of bits, lowest first.
static Array pack(const std::vector<bool> &all, ElementType type, ArrayRef<int64_t> shape) {
  Array result(type, shape);
  int bits = type == ElementType::PRED ? 8 : getBits(type), bytes = getBytes(type);
  char *data = result.mutableData();
  for (int64_t i = 0, count = result.getCount(); i < count; ++i)
    for (int bit = 0; bit < bits && i * bits + bit < int64_t(all.size()); ++bit)
      if (all[i * bits + bit])
        data[i * bytes + bit / 8] |= char(1 << (bit % 8));
  // One byte per element: signed types are stored sign-extended.
  if (getBits(type) < 8 && type != ElementType::PRED)
    for (int64_t i = 0, count = result.getCount(); i < count; ++i)
      storeOne(type, loadOne(type, data, i), data, i);
  return result;
}

/// Replaces bytes that are reinterpreted as booleans by 0 or 1.
static void normalize(Array &array) {
  if (array.type != ElementType::PRED)
    return;
  for (char *byte = array.mutableData(), *end = byte + array.getByteCount(); byte != end; ++byte)
    *byte = *byte != 0;
}

static FailureOr<Values> bitcastConvert(Call &call) {
  auto type = getArrayType(call.op->getResult(0).getType());
  if (!type)
    return call.fail("the result has no size");
  Array &operand = call.array(0);
  // Run-time sizes: a narrower or wider element type adds or removes the last dimension.
  Shape shape = type->second;
  for (size_t d = 0; d < std::min(shape.size(), operand.shape.size()); ++d)
    shape[d] = operand.shape[d];
  Array result = pack(unpack(operand), type->first, shape);
  normalize(result);
  return Values{result};
}

/// Dimensions from the most major to the most minor one in memory.
static Shape majorToMinor(Type type, size_t rank) {
  Shape order;
  auto layout = dyn_cast_or_null<LayoutAttr>(cast<RankedTensorType>(type).getEncoding());
  for (size_t d = 0; d < rank; ++d)
    order.push_back(layout ? layout.getMinorToMajor()[rank - 1 - d] : int64_t(d));
  return order;
}

/// The array with other sizes: truncated, or padded with zeros.
static Array resize(const Array &array, const Shape &shape) {
  Array result(array.type, shape);
  Shape box;
  for (auto [a, b] : llvm::zip(array.shape, shape))
    box.push_back(std::min(a, b));
  if (countElements(box) > 0)
    copyBox({array.data(), rowMajorStrides(array.shape)},
            {result.mutableData(), rowMajorStrides(shape)}, box, getBytes(array.type));
  return result;
}

/// The run-time sizes of a bitcast's result, which has `shape` at its bounds: each of its bounded
/// dimensions corresponds to the operand's in the same order, possibly with other strides.
static Shape findBitcastSizes(Type from, const Shape &sizes, Type to, Shape shape) {
  struct Step {
    int64_t dimension, bits;
  };
  auto listSteps = [](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    auto [element, bounds] = *getArrayType(type);
    std::vector<Step> steps;
    int64_t bits = getStorageBits(tensor.getElementType());
    Shape order = majorToMinor(type, bounds.size());
    for (int64_t dimension : llvm::reverse(order)) {
      if (tensor.isDynamicDim(dimension))
        steps.push_back({dimension, bits});
      bits *= bounds[dimension];
    }
    return steps;
  };
  std::vector<Step> given = listSteps(from), taken = listSteps(to);
  for (auto [source, target] : llvm::zip(given, taken))
    if (target.bits > 0)
      shape[target.dimension] = sizes[source.dimension] * source.bits / target.bits;
  return shape;
}

static FailureOr<Values> bitcast(Call &call) {
  Type from = call.op->getOperand(0).getType(), to = call.op->getResult(0).getType();
  auto type = getArrayType(to);
  if (!call.operands[0].isArray() || !type)
    return identity(call);
  Array &operand = call.array(0);
  auto bounds = getArrayType(from);
  if (!bounds)
    return call.fail("the operand has no size");
  // The operand in memory order, at its bounds, reinterpreted as the result's memory, then back to
  // row-major order.
  Array memory =
      transpose(resize(operand, bounds->second), majorToMinor(from, operand.shape.size()));
  Shape order = majorToMinor(to, type->second.size()), physical, inverse(order.size());
  for (auto [i, d] : llvm::enumerate(order)) {
    physical.push_back(type->second[d]);
    inverse[d] = i;
  }
  // Elements of less than a byte are stored sign-extended or zero-extended.
  bool sameElements = getBits(type->first) == getBits(operand.type) && getBits(type->first) >= 8 &&
                      countElements(physical) == operand.getCount();
  if (sameElements) {
    memory = memory.reshaped(physical);
    memory.type = type->first;
  } else {
    memory = pack(unpack(memory), type->first, physical);
  }
  normalize(memory);
  return Values{
      resize(transpose(memory, inverse), findBitcastSizes(from, operand.shape, to, type->second))};
}

void addDataOps(HandlerTable &table) {
  table["hlo.constant"] = constant;
  table["hlo.iota"] = iota;
  table["hlo.broadcast"] = broadcast;
  table["hlo.transpose"] = transposeOp;
  table["hlo.reverse"] = reverse;
  table["hlo.slice"] = slice;
  table["hlo.pad"] = pad;
  table["hlo.concatenate"] = concatenate;
  table["hlo.bitcast"] = bitcast;
  table["hlo.bitcast_convert"] = bitcastConvert;
  table["hlo.copy"] = identity;
  table["hlo.domain"] = identity;
  table["hlo.add_dependency"] = identity;
  table["hlo.tuple"] = tuple;
  table["hlo.opt_barrier"] = passOperands;
}

} // namespace hloc::evaluator
