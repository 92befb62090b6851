// SPDX-License-Identifier: Apache-2.0
#include "passes/simplify/SliceWindow.h"
#include "compiler/hlo/Movement.h"
#include "passes/simplify/Match.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

using OptionalWindow = std::optional<SliceWindow>;

SliceWindow hloc::getWholeWindow(RankedTensorType type) {
  SliceWindow window;
  for (int64_t size : type.getShape())
    window.push_back({size});
  return window;
}

bool hloc::isWhole(const SliceRange &range, int64_t size) {
  return range.size == size && range.stride == 1;
}

/// Positions `outer` within the positions `inner`; none if both begin at run time, or if positions
/// that begin at run time would not be adjacent.
static std::optional<SliceRange> compose(const SliceRange &inner, const SliceRange &outer) {
  if (isWhole(outer, inner.size))
    return inner;
  if (inner.start && outer.start)
    return std::nullopt;
  SliceRange range = inner.start ? inner : outer;
  range.size = outer.size;
  range.base = inner.base + inner.stride * outer.base;
  range.stride = inner.stride * outer.stride;
  if (outer.start)
    range.factor = inner.stride * outer.factor;
  if (range.start && range.stride != 1 && range.size != 1)
    return std::nullopt;
  return range;
}

OptionalWindow hloc::getSliceWindow(RankedTensorType type, ValueRange starts,
                                    ArrayRef<int64_t> sizes) {
  SliceWindow window;
  if (int64_t(starts.size()) != type.getRank())
    return std::nullopt; // a vector of indices
  for (auto [i, size] : llvm::enumerate(sizes)) {
    SliceRange range{size};
    range.last = type.getDimSize(i) - size;
    if (std::optional<int64_t> constant = getConstantIndex(starts[i]))
      range.base = std::clamp<int64_t>(*constant, 0, range.last);
    else if (range.last > 0)
      range.start = starts[i];
    window.push_back(range);
  }
  return window;
}

OptionalWindow hloc::getSliceWindow(Operation *op) {
  if (auto slice = dyn_cast<DynamicSliceOp>(op))
    return getSliceWindow(arrayType(slice.getOperand()), slice.getStartIndices(),
                          slice.getDynamicSliceSizes());
  auto slice = dyn_cast<SliceOp>(op);
  if (!slice)
    return std::nullopt;
  SliceWindow window;
  for (auto [size, start, stride] :
       llvm::zip(arrayType(slice).getShape(), slice.getStarts(), slice.getStrides()))
    window.push_back({size, start, size > 1 ? stride : 1});
  return window;
}

//===- Reshapes ------------------------------------------------------------===//

/// The range of a dimension that is split into `sizes`, of which `ranges` are taken; none if it is
/// not contiguous.
static std::optional<SliceRange> mergeRanges(ArrayRef<int64_t> sizes, ArrayRef<SliceRange> ranges) {
  SliceRange merged;
  int64_t inner = 1;
  bool isPartial = false; // then all outer ranges must be single positions
  for (auto [size, range] : llvm::reverse(llvm::zip(sizes, ranges))) {
    if (isPartial && range.size != 1)
      return std::nullopt;
    if (range.start && merged.start)
      return std::nullopt;
    if (range.start) {
      merged.start = range.start;
      merged.factor = range.factor * inner;
      merged.last = range.last;
    }
    merged.base += range.base * inner;
    if (range.size > 1 && range.stride != 1) {
      if (inner != 1)
        return std::nullopt;
      merged.stride = range.stride;
    }
    merged.size *= range.size;
    isPartial |= !isWhole(range, size);
    inner *= size;
  }
  if (merged.start && merged.stride != 1 && merged.size != 1)
    return std::nullopt;
  return merged;
}

/// The range of the first of `sizes`, the dimensions that are merged, if `range` of the merged
/// dimension contains the others completely.
static std::optional<SliceRange> splitRange(ArrayRef<int64_t> sizes, SliceRange range) {
  int64_t inner = product(sizes.drop_front());
  if (range.stride != 1 || range.size % inner != 0 || range.base % inner != 0 ||
      (range.start && range.factor % inner != 0))
    return std::nullopt;
  range.size /= inner;
  range.base /= inner;
  range.factor /= inner;
  return range;
}

/// The window of a reshape's operand. Dimensions are grouped so that products are equal.
static OptionalWindow getReshapeWindow(ReshapeOp op, const SliceWindow &window) {
  ArrayRef<int64_t> from = arrayType(op.getOperand()).getShape(), to = arrayType(op).getShape();
  SliceWindow result = getWholeWindow(arrayType(op.getOperand()));
  for (size_t i = 0, j = 0; i < from.size() || j < to.size();) {
    SmallVector<size_t> sources;
    SmallVector<int64_t> sizes;
    SmallVector<SliceRange> ranges;
    int64_t fromProduct = 1, toProduct = 1;
    do {
      if (i < from.size() && (fromProduct < toProduct || j == to.size() || sources.empty())) {
        if (from[i] != 1)
          sources.push_back(i);
        fromProduct *= from[i++];
      } else if (j < to.size()) {
        if (to[j] != 1) {
          sizes.push_back(to[j]);
          ranges.push_back(window[j]);
        }
        toProduct *= to[j++];
      }
    } while (fromProduct != toProduct);
    if (llvm::all_of(llvm::zip(ranges, sizes),
                     [](auto pair) { return isWhole(std::get<0>(pair), std::get<1>(pair)); }))
      continue;
    std::optional<SliceRange> range;
    if (sources.size() == 1) {
      range = mergeRanges(sizes, ranges);
    } else if (sizes.size() == 1) {
      SmallVector<int64_t> parts;
      for (size_t source : sources)
        parts.push_back(from[source]);
      range = splitRange(parts, ranges[0]);
    }
    if (!range)
      return std::nullopt;
    result[sources.front()] = *range;
  }
  return result;
}

//===- Other operations ----------------------------------------------------===//

/// The operand's window of an operation that permutes or reverses whole dimensions.
static OptionalWindow getMovedWindow(Operation *op, const SliceWindow &window) {
  SliceWindow result;
  for (const DimensionMap &map : getIndexMap(op)) {
    SliceRange range = window[map.dimension];
    if (map.stride < 0) { // the same positions in ascending order
      range.base = map.offset - range.base - (range.size - 1) * range.stride;
      range.factor = -range.factor;
    }
    result.push_back(range);
  }
  return result;
}

static OptionalWindow getPadWindow(PadOp op, const SliceWindow &window) {
  SliceWindow result = getWholeWindow(arrayType(op.getOperand()));
  for (auto [i, range] : llvm::enumerate(window)) {
    if (isWhole(range, arrayType(op).getDimSize(i)))
      continue;
    if (op.getLow()[i] != 0 || op.getHigh()[i] != 0 || op.getInterior()[i] != 0)
      return std::nullopt;
    result[i] = range;
  }
  return result;
}

static OptionalWindow composeWindows(const SliceWindow &inner, const SliceWindow &outer) {
  SliceWindow result;
  for (auto [within, range] : llvm::zip(inner, outer)) {
    std::optional<SliceRange> composed = compose(within, range);
    if (!composed)
      return std::nullopt;
    result.push_back(*composed);
  }
  return result;
}

/// True if each element of the result is computed from the operands' elements at the same index.
static bool isElementwise(Operation *op) {
  if (auto cast = dyn_cast<BitcastConvertOp>(op))
    return arrayType(cast.getOperand()).getShape() == arrayType(cast).getShape();
  return op->hasTrait<Elementwise>() || isa<CopyOp>(op);
}

std::optional<SmallVector<SliceWindow>> hloc::getOperandWindows(Operation *op,
                                                                const SliceWindow &window) {
  SmallVector<SliceWindow> result;
  if (isElementwise(op)) {
    for (Value operand : op->getOperands())
      result.push_back(arrayType(operand).getRank() == 0 ? SliceWindow() : window);
    return result;
  }
  if (auto concatenate = dyn_cast<ConcatenateOp>(op)) {
    int64_t dimension = concatenate.getDimension();
    if (!isWhole(window[dimension], arrayType(concatenate).getDimSize(dimension)))
      return std::nullopt;
    for (Value input : concatenate.getInputs()) {
      result.push_back(window);
      result.back()[dimension] = {arrayType(input).getDimSize(dimension)};
    }
    return result;
  }
  auto first = llvm::TypeSwitch<Operation *, OptionalWindow>(op)
                   .Case([&](ReshapeOp reshape) { return getReshapeWindow(reshape, window); })
                   .Case<TransposeOp, BroadcastOp, ReverseOp>(
                       [&](Operation *moved) { return getMovedWindow(moved, window); })
                   .Case([&](PadOp pad) { return getPadWindow(pad, window); })
                   .Case<SliceOp, DynamicSliceOp>([&](Operation *slice) {
                     OptionalWindow inner = getSliceWindow(slice);
                     return inner ? composeWindows(*inner, window) : OptionalWindow();
                   })
                   .Default([](Operation *) { return std::nullopt; });
  if (!first)
    return std::nullopt;
  result.push_back(*first);
  for (Value operand : llvm::drop_begin(op->getOperands())) // scalars: a padding value, indices
    result.push_back(getWholeWindow(arrayType(operand)));
  return result;
}

//===- Making slices -------------------------------------------------------===//

/// `factor * clamp(start, 0, last) + base` as a scalar of type `index`.
static Value makeStart(Build build, const SliceRange &range, Type index) {
  APInt base(index.getIntOrFloatBitWidth(), range.base, /*isSigned=*/true);
  if (!range.start)
    return build.scalar(index, base);
  Value start = range.start;
  Type type = arrayType(start).getElementType();
  bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
  unsigned bits = type.getIntOrFloatBitWidth() - (isUnsigned ? 0 : 1);
  if (!isUnsigned)
    start = build.binary<MaximumOp>(start, 0.0);
  if (bits >= 63 || range.last < int64_t(1) << bits)
    start = build.binary<MinimumOp>(
        start, build.scalar(type, APInt(type.getIntOrFloatBitWidth(), range.last)));
  start = build.convert(start, index);
  if (range.factor != 1)
    start = build.mul(start, build.scalar(index, APInt(index.getIntOrFloatBitWidth(), range.factor,
                                                       /*isSigned=*/true)));
  return range.base == 0 ? start : build.add(start, build.scalar(index, base));
}

/// Where `window` of an array of type `type` begins in each dimension, as scalars of one type.
static SmallVector<Value> makeStarts(Build build, RankedTensorType type,
                                     const SliceWindow &window) {
  bool clampsAlike = true;
  Type index;
  for (auto [size, range] : llvm::zip(type.getShape(), window)) {
    if (!range.start)
      continue;
    index = arrayType(range.start).getElementType();
    clampsAlike &= range.base == 0 && range.factor == 1 && range.last == size - range.size;
  }
  for (const SliceRange &range : window) // constants must fit too
    if (index && !range.start && index.getIntOrFloatBitWidth() < 64)
      clampsAlike &= range.base < int64_t(1) << (index.getIntOrFloatBitWidth() - 1);
  // What is computed is in range, and narrow indices may be too narrow for it.
  if (!index || !clampsAlike)
    index = llvm::all_of(type.getShape(), [](int64_t size) { return size < INT32_MAX; })
                ? build.builder.getI32Type()
                : build.builder.getI64Type();
  SmallVector<Value> starts;
  for (const SliceRange &range : window)
    starts.push_back(range.start && clampsAlike ? range.start : makeStart(build, range, index));
  return starts;
}

Value hloc::takeWindow(Build build, Value value, const SliceWindow &window) {
  auto type = arrayType(value);
  SliceWindow dynamic = window;
  SmallVector<int64_t> sizes, starts, limits, strides;
  bool isDynamic = false;
  for (auto [size, range, taken] : llvm::zip(type.getShape(), window, dynamic)) {
    if (!range.start)
      taken = {size};
    isDynamic |= bool(range.start);
    sizes.push_back(taken.size);
    starts.push_back(range.start ? 0 : range.base);
    limits.push_back(range.size == 0 ? starts.back()
                                     : starts.back() + (range.size - 1) * range.stride + 1);
    strides.push_back(range.start ? 1 : range.stride);
  }
  if (isDynamic)
    value = build.dynamicSlice(value, makeStarts(build, type, dynamic), sizes);
  return build.slice(value, starts, limits, strides);
}

Value hloc::updateWindow(Build build, Value value, Value update, const SliceWindow &window) {
  return build.dynamicUpdateSlice(value, update, makeStarts(build, arrayType(value), window));
}

Value hloc::makeWindow(Build build, Operation *op, ValueRange operands, const SliceWindow &window) {
  SmallVector<int64_t> shape;
  for (const SliceRange &range : window)
    shape.push_back(range.size);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](ReshapeOp) { return build.reshape(operands[0], shape); })
      .Case([&](TransposeOp transpose) {
        return build.transpose(operands[0], transpose.getDimensions());
      })
      .Case([&](BroadcastOp broadcast) {
        return build.broadcast(operands[0], shape, broadcast.getDimensions());
      })
      .Case([&](ReverseOp reverse) { return build.reverse(operands[0], reverse.getDimensions()); })
      .Case([&](PadOp pad) {
        return build.pad(operands[0], operands[1], pad.getLow(), pad.getHigh(), pad.getInterior());
      })
      .Case([&](ConcatenateOp concatenate) {
        return build.concatenate(operands, concatenate.getDimension());
      })
      .Case<SliceOp, DynamicSliceOp>([&](Operation *) { return operands[0]; })
      .Default([&](Operation *elementwise) {
        Operation *clone = build.builder.clone(*elementwise);
        clone->setOperands(operands);
        clone->getResult(0).setType(arrayType(elementwise->getResult(0)).clone(shape));
        return clone->getResult(0);
      });
}
