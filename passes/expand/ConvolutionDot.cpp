// SPDX-License-Identifier: Apache-2.0
#include "passes/expand/ConvolutionDot.h"
#include "compiler/hlo/ElementType.h"
#include "compiler/target/Target.h"
#include "passes/Build.h"
#include "passes/simplify/Match.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc {

using Sizes = SmallVector<int64_t>;

/// The most terms of a result: code to add more takes long to compile, and to run.
static constexpr int64_t kMaxTerms = 4;

ConvolutionDot::ConvolutionDot(ConvolutionOp op)
    : op(op), window(op.getWindow()), dims(op.getDimLabels()), inputType(arrayType(op.getLhs())),
      filterType(arrayType(op.getRhs())), resultType(arrayType(op)) {
  for (int64_t d : llvm::seq<int64_t>(window.getSizes().size()))
    axes.push_back(getAxis(d));
}

ConvolutionDot::Axis ConvolutionDot::getAxis(int64_t d) const {
  int64_t inputs = inputType.getDimSize(dims.getInputSpatial()[d]), taps = window.getSizes()[d];
  int64_t outputs = resultType.getDimSize(dims.getOutputSpatial()[d]);
  int64_t stride = window.getStrides()[d], dilation = window.getWindowDilations()[d];
  // Padding is computed; it must not be most of an array.
  if (window.getBaseDilations()[d] != 1)
    return stride == 1 && dilation == 1 && inputs * window.getBaseDilations()[d] <= 2 * outputs
               ? Axis::Dilated
               : Axis::None;
  int64_t windowSpan = (taps - 1) * dilation + 1, outputSpan = (outputs - 1) * stride + 1;
  bool windowsApart = outputs == 1 || stride >= windowSpan;
  int64_t periods = taps == 1 || outputs == 1 ? 0
                    : windowsApart            ? outputs * stride
                                              : taps * dilation;
  int64_t padding = std::max<int64_t>(window.getPaddingLow()[d], 0);
  if (padding + std::max(windowSpan + outputSpan - 1, periods) > 2 * inputs)
    return Axis::None;
  if (windowsApart)
    return Axis::WindowsApart;
  return dilation >= outputSpan ? Axis::TapsApart : Axis::None;
}

bool ConvolutionDot::isPossible() {
  return op.getFeatureGroupCount() == 1 && op.getBatchGroupCount() == 1 &&
         !llvm::is_contained(axes, Axis::None);
}

bool ConvolutionDot::isWorthwhile(const Target &target) const {
  int64_t bits = getStorageBits(filterType.getElementType());
  int64_t terms = 1;
  for (auto [d, axis] : llvm::enumerate(axes))
    if (axis == Axis::Dilated)
      terms *= llvm::divideCeil(window.getSizes()[d], window.getBaseDilations()[d]);
  if (filterType.getDimSize(dims.getKernelOutputFeature()) < target.getLanes(bits))
    return terms <= kMaxTerms;
  if (terms > 1)
    return false;
  bool splitsWindows = true, collectsTaps = false;
  for (auto [d, axis] : llvm::enumerate(axes)) {
    int64_t taps = window.getSizes()[d];
    splitsWindows &= axis == Axis::WindowsApart;
    collectsTaps |= taps != 1 && resultType.getDimSize(dims.getOutputSpatial()[d]) != 1;
  }
  return !splitsWindows || !collectsTaps ||
         filterType.getNumElements() * bits / 8 > target.machine.l1.bytes;
}

static Value padWithZeros(Build &build, Value value, ArrayRef<int64_t> low,
                          ArrayRef<int64_t> high) {
  auto isZero = [](int64_t size) { return size == 0; };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return value;
  Value zero = build.scalar(arrayType(value).getElementType(), 0.0);
  return build.pad(value, zero, low, high, Sizes(low.size(), 0));
}

/// The input with positions and taps in dimensions of their own.
std::pair<Value, ConvolutionDot::Parts> ConvolutionDot::splitInput(Build &build) {
  int64_t rank = inputType.getRank();
  Parts places(rank), parts;
  places[dims.getInputBatch()] = {Role::Batch, 0};
  places[dims.getInputFeature()] = {Role::Channel, 0};
  for (auto [d, place] : llvm::enumerate(dims.getInputSpatial()))
    places[place] = {Role::Position, d};

  // What is read of each dimension, the sizes it is split into, and what is read of those.
  Sizes starts(rank, 0), limits(inputType.getShape()), strides(rank, 1);
  Sizes low(rank, 0), high(rank, 0); // padding, and what completes the last window or tap
  Sizes split, partLimits, partStrides;
  auto add = [&](Part part, int64_t size, int64_t count, int64_t stride) {
    parts.push_back(part);
    split.push_back(size);
    partLimits.push_back((count - 1) * stride + 1);
    partStrides.push_back(stride);
  };
  for (auto [place, part] : llvm::enumerate(places)) {
    auto [role, d] = part;
    int64_t size = inputType.getDimSize(place);
    if (role != Role::Position || axes[d] == Axis::Dilated) {
      add(part, size, size, 1);
      continue;
    }
    Part tap{Role::Tap, d};
    int64_t taps = window.getSizes()[d], dilation = window.getWindowDilations()[d];
    int64_t outputs = resultType.getDimSize(dims.getOutputSpatial()[d]);
    int64_t stride = window.getStrides()[d], count;
    if (taps == 1 || outputs == 1) {
      strides[place] = taps == 1 ? stride : dilation;
      count = (outputs * taps - 1) * strides[place] + 1;
      add(part, outputs, outputs, 1);
      add(tap, taps, taps, 1);
    } else if (axes[d] == Axis::WindowsApart) {
      count = outputs * stride;
      add(part, outputs, outputs, 1);
      add(tap, stride, taps, dilation);
    } else {
      count = taps * dilation;
      add(tap, taps, taps, 1);
      add(part, dilation, outputs, stride);
    }
    int64_t first = -window.getPaddingLow()[d];
    low[place] = std::max<int64_t>(-first, 0);
    starts[place] = first + low[place];
    limits[place] = starts[place] + count;
    high[place] = std::max<int64_t>(limits[place] - low[place] - size, 0);
  }
  Value input = padWithZeros(build, op.getLhs(), low, high);
  input = build.reshape(build.slice(input, starts, limits, strides), split);
  return {build.slice(input, Sizes(split.size(), 0), partLimits, partStrides), parts};
}

/// The filter in the order in which it meets the input, and what its dimensions are.
std::pair<Value, ConvolutionDot::Parts> ConvolutionDot::prepareFilter(Build &build) {
  Parts parts(filterType.getRank());
  parts[dims.getKernelInputFeature()] = {Role::Channel, 0};
  parts[dims.getKernelOutputFeature()] = {Role::Feature, 0};
  Sizes reversed;
  for (auto [d, place] : llvm::enumerate(dims.getKernelSpatial())) {
    parts[place] = {Role::Tap, d};
    // The first result of an element is its product with the last tap.
    if (window.getReversals()[d] != (axes[d] == Axis::Dilated) && window.getSizes()[d] != 1)
      reversed.push_back(place);
  }
  return {build.reverse(op.getRhs(), reversed), parts};
}

/// The convolution's result from the dot's, whose dimensions are `parts`.
Value ConvolutionDot::mergeResult(Build &build, Value product, ArrayRef<Part> parts) {
  int64_t rank = resultType.getRank();
  Parts places(rank);
  places[dims.getOutputBatch()] = {Role::Batch, 0};
  places[dims.getOutputFeature()] = {Role::Feature, 0};
  for (auto [d, place] : llvm::enumerate(dims.getOutputSpatial()))
    places[place] = {Role::Position, d};

  /// A dilated dimension: where the result has it, and where the ordered product has its taps.
  /// Tap t of the reversed filter and element i make a term of the result at i * period + t +
  /// first.
  struct Dilation {
    int64_t place, tapPlace, taps, period, first;
  };
  SmallVector<Dilation> dilations;
  Sizes order, merged;
  ArrayRef<int64_t> sizes = arrayType(product).getShape();
  auto take = [&](Part part) {
    order.push_back(llvm::find(parts, part) - parts.begin());
    return sizes[order.back()];
  };
  for (auto [place, part] : llvm::enumerate(places)) {
    auto [role, d] = part;
    merged.push_back(take(part));
    if (role != Role::Position || axes[d] != Axis::Dilated)
      continue;
    int64_t tapPlace = order.size(), taps = take({Role::Tap, d});
    int64_t period = window.getBaseDilations()[d], first = window.getPaddingLow()[d] - taps + 1;
    dilations.push_back({int64_t(place), tapPlace, taps, period, first});
    merged.back() *= period;
  }
  Value terms = build.transpose(product, order), sum;
  ArrayRef<int64_t> shape = arrayType(terms).getShape();
  // As many taps as a period has places make a term of all results around.
  Sizes counts;
  for (const Dilation &dilation : dilations)
    counts.push_back(llvm::divideCeil(dilation.taps, dilation.period));
  for (int64_t number = 0; number < ShapedType::getNumElements(counts); ++number) {
    Sizes starts(shape.size(), 0), limits(shape), missing(starts), low(rank, 0), high(low);
    int64_t rest = number;
    for (auto [dilation, count] : llvm::zip(dilations, counts)) {
      auto [place, tapPlace, taps, period, first] = dilation;
      int64_t start = rest % count * period;
      rest /= count;
      starts[tapPlace] = start;
      limits[tapPlace] = std::min(start + period, taps);
      missing[tapPlace] = start + period - limits[tapPlace];
      low[place] = first + start;
      high[place] = resultType.getDimSize(place) - merged[place] - low[place];
    }
    Value term = build.slice(terms, starts, limits);
    term = padWithZeros(build, term, Sizes(shape.size(), 0), missing);
    term = padWithZeros(build, build.reshape(term, merged), low, high);
    sum = sum ? build.add(sum, term) : term;
  }
  return build.convert(sum, resultType.getElementType());
}

/// The type of the dot's elements: sums of several terms are not rounded before they are complete.
Type ConvolutionDot::getProductType() {
  Type element = resultType.getElementType();
  auto real = dyn_cast<FloatType>(element);
  for (auto [d, axis] : llvm::enumerate(axes))
    if (axis == Axis::Dilated && window.getSizes()[d] > window.getBaseDilations()[d] && real &&
        real.getWidth() < 32)
      return Float32Type::get(op.getContext());
  return element;
}

Value ConvolutionDot::build() {
  OpBuilder builder(op);
  Build build(builder, op.getLoc());
  auto [input, inputParts] = splitInput(build);
  auto [filter, filterParts] = prepareFilter(build);
  // Contracting dimensions are in the order of the input's memory.
  Sizes inputContracting, filterContracting, shape;
  Parts parts;
  for (auto [place, part] : llvm::enumerate(inputParts)) {
    if (part.first == Role::Channel || part.first == Role::Tap) {
      inputContracting.push_back(place);
      filterContracting.push_back(llvm::find(filterParts, part) - filterParts.begin());
    } else {
      parts.push_back(part);
      shape.push_back(arrayType(input).getDimSize(place));
    }
  }
  for (auto [place, part] : llvm::enumerate(filterParts)) {
    if (llvm::is_contained(filterContracting, place))
      continue;
    parts.push_back(part);
    shape.push_back(filterType.getDimSize(place));
  }
  Value product =
      DotOp::create(builder, op.getLoc(), RankedTensorType::get(shape, getProductType()), input,
                    filter, ArrayRef<int64_t>(), ArrayRef<int64_t>(), inputContracting,
                    filterContracting, op.getOperandPrecisionAttr(), op.getAlgorithmAttr());
  return mergeResult(build, product, parts);
}

} // namespace hloc
