// SPDX-License-Identifier: Apache-2.0
// The operands of a convolution: the taps of a pixel, elements of input and filter, the patch.
#include "codegen/kernels/convolution/ConvolutionKernel.h"

using namespace mlir;

namespace hloc {

/// Rows of the squares that are transposed in registers.
static constexpr int64_t kLeastSquare = 4, kLargestSquare = 16;

/// Computes the taps of output position `output` along d.
void ConvolutionKernel::enterPhase(int64_t d, Value output) {
  Axis &axis = axes[d];
  int64_t low = window.getPaddingLow()[d], size = window.getSizes()[d], phases = axis.phases;
  axis.count = index.constant(axis.taps);
  axis.firstTap = index.constant(0);
  axis.origin = index.uniform(-low);
  if (phases == 1)
    return;
  // The first tap for which output + tap - low is divisible by the dilation; `above` keeps the
  // dividend positive.
  int64_t above =
      ((low % phases) + phases) % phases + (problem.outputSizes[d] / phases + 1) * phases;
  Value difference = b.createOrFold<arith::SubIOp>(index.constant(above), output);
  axis.firstTap = b.createOrFold<arith::RemUIOp>(difference, index.constant(phases));
  Value left = b.createOrFold<arith::SubIOp>(index.constant(size + phases - 1), axis.firstTap);
  axis.count = b.createOrFold<arith::DivUIOp>(left, index.constant(phases));
  Value first =
      index.add(index.add(index.uniform(output), index.uniform(axis.firstTap)), -low).base;
  axis.origin = index.uniform(b.createOrFold<arith::DivSIOp>(first, index.constant(phases)));
}

/// The position in the padded, dilated input that tap `tap` of output position `output` meets along
/// d. With phases, both are numbers within the phase.
VectorIndex ConvolutionKernel::inputPosition(int64_t d, VectorIndex output, VectorIndex tap) {
  VectorIndex x =
      index.add(index.multiply(output, axes[d].stride), index.multiply(tap, axes[d].tapStride));
  return index.add(x, axes[d].origin);
}

/// Loops over the taps of the first `rank` dimensions.
SmallVector<Value> ConvolutionKernel::walkTaps(
    int64_t rank, ValueRange values,
    function_ref<SmallVector<Value>(ArrayRef<VectorIndex>, ValueRange)> body) {
  ElementIndex at;
  std::function<SmallVector<Value>(ValueRange)> walk = [&](ValueRange carried) {
    if (int64_t(at.size()) == rank)
      return body(at, carried);
    return buildFor(context, index.constant(0), axes[at.size()].count, 1, carried,
                    [&](Value tap, ValueRange now) {
                      at.push_back(index.uniform(tap));
                      SmallVector<Value> next = walk(now);
                      at.pop_back();
                      return next;
                    });
  };
  return walk(values);
}

VectorValue ConvolutionKernel::loadInput(ArrayRef<VectorIndex> positions, VectorIndex channel,
                                         Mask mask) {
  ElementIndex at(problem.inputType.getRank());
  at[dims.getInputBatch()] = index.uniform(batch);
  at[dims.getInputFeature()] = channel;
  Mask inside = mask;
  for (int64_t d = 0; d < spatial(); ++d) {
    int64_t size = problem.inputType.getDimSize(dims.getInputSpatial()[d]),
            dilation = axes[d].dilation;
    int64_t extent = size > 0 ? (size - 1) * dilation + 1 : 0;
    VectorIndex x = positions[d];
    // The patch may extend beyond what any window reads, so its upper bound is always checked.
    bool reachesBelow = window.getPaddingLow()[d] > 0 || axes[d].phases > 1;
    inside = index.both(inside, index.inRange(x, reachesBelow ? 0 : INT64_MIN, extent));
    if (dilation > 1) {
      x = index.orZero(x, inside);
      auto [hole, position] = index.divideWithRemainder(x, dilation);
      inside = index.both(inside, index.inRange(hole, INT64_MIN, 1));
      x = position;
    }
    at[dims.getInputSpatial()[d]] = x;
  }
  VectorValue value = context.emitter.emit(op.getLhs(), at, inside);
  if (!value.re)
    return value;
  value = emitConvertLanes(index, value, problem.inputType.getElementType(), factor);
  if (!inside)
    return value;
  VectorValue zero;
  {
    ScopedLanes same(index, value.isUniform() && !inside.lanes ? 1 : index.getLanes());
    zero = emitZero(index, factor);
  }
  if (inside.lanes)
    value = emitSelect(index, inside.lanes, value, zero);
  if (inside.uniform)
    value = emitSelect(index, inside.uniform, value, zero);
  return value;
}

VectorValue ConvolutionKernel::loadFilter(ArrayRef<Value> tap, VectorIndex channel,
                                          VectorIndex feature, Mask mask) {
  ElementIndex at(problem.filterType.getRank());
  at[dims.getKernelInputFeature()] = channel;
  at[dims.getKernelOutputFeature()] = feature;
  for (int64_t d = 0; d < spatial(); ++d) {
    VectorIndex x = index.add(index.uniform(axes[d].firstTap),
                              index.multiply(index.uniform(tap[d]), axes[d].phases));
    if (window.getReversals()[d])
      x = index.add(index.multiply(x, -1), window.getSizes()[d] - 1);
    at[dims.getKernelSpatial()[d]] = x;
  }
  VectorValue value = context.emitter.emit(op.getRhs(), at, mask);
  return value.re ? emitConvertLanes(index, value, problem.filterType.getElementType(), factor)
                  : value;
}

/// True if a row of the input is one contiguous range of pixels and channels that is copied to the
/// patch unchanged. This keeps the lanes busy with the one or three channels of an image.
bool ConvolutionKernel::copiesRows() {
  int64_t rank = problem.inputType.getRank(),
          channelCount = problem.inputType.getDimSize(dims.getInputFeature());
  return isa<BlockArgument>(op.getLhs()) && !isOn(ConvolutionLanes::Pixels) &&
         channelCount % index.getLanes() != 0 && shape.patchSizes.back() == channelCount &&
         dims.getInputFeature() == rank - 1 && dims.getInputSpatial().back() == rank - 2 &&
         llvm::all_of(axes, [](const Axis &axis) { return axis.dilation == 1; });
}

void ConvolutionKernel::fillPatchByRows(Value pixelStart) {
  int64_t last = spatial() - 1, channelCount = shape.patchSizes.back(),
          rowLength = channelCount * problem.inputType.getDimSize(problem.inputType.getRank() - 2);
  auto mergeMinor = [](ArrayRef<int64_t> sizes, Type type) {
    SmallVector<int64_t> merged(sizes.drop_back(2));
    merged.push_back(sizes[sizes.size() - 2] * sizes.back());
    return RankedTensorType::get(merged, type);
  };
  MemoryArray input = context.getInput(cast<BlockArgument>(op.getLhs()).getArgNumber()),
              memory{patch, mergeMinor(shape.patchSizes, element)};
  input.type = mergeMinor(problem.inputType.getShape(), problem.inputType.getElementType());
  VectorIndex firstColumn = inputPosition(last, index.uniform(pixelStart), index.uniform(0));
  walkTaps(last, {}, [&](ArrayRef<VectorIndex> tap, ValueRange) {
    ElementIndex from(input.type.getRank());
    from[dims.getInputBatch()] = index.uniform(batch);
    Mask insideRows;
    for (int64_t d = 0; d < last; ++d) {
      VectorIndex row = inputPosition(d, outerPosition(d), tap[d]);
      insideRows = index.both(
          insideRows,
          index.inRange(row, 0, problem.inputType.getDimSize(dims.getInputSpatial()[d])));
      from[dims.getInputSpatial()[d]] = row;
    }
    return buildLanes(
        context, memory.type.getShape().back(), {}, [&](VectorIndex at, Mask mask, ValueRange) {
          from.back() = index.add(index.multiply(firstColumn, channelCount), at);
          Mask inside =
              index.both(index.both(insideRows, mask), index.inRange(from.back(), 0, rowLength));
          VectorValue value = emitConvertLanes(index, loadElements(index, input, from, inside),
                                               problem.inputType.getElementType(), element);
          value = emitSelect(index, index.asVector(inside), broadcastLanes(index, value),
                             emitZero(index, element));
          ElementIndex to(tap);
          to.push_back(at);
          storeElements(index, memory, to, value, mask);
          return SmallVector<Value>();
        });
  });
}

/// With lanes along pixels and an input whose channels are contiguous: transposes squares of pixels
/// and channels in registers.
void ConvolutionKernel::fillPatchBySquares(Value pixelStart) {
  int64_t last = spatial() - 1, lanes = index.getLanes(), whole = problem.channels / lanes * lanes;
  MemoryArray memory{patch, RankedTensorType::get(shape.patchSizes, element)};
  VectorIndex firstColumn = inputPosition(last, index.uniform(pixelStart), index.uniform(0));
  walkTaps(last, {}, [&](ArrayRef<VectorIndex> tap, ValueRange) {
    ElementIndex from;
    for (int64_t d = 0; d < last; ++d)
      from.push_back(inputPosition(d, outerPosition(d), tap[d]));
    from.emplace_back();
    auto transposeTile = [&](Value column, Value channel, int64_t live) {
      ElementEmitter::Scope scope(context.emitter);
      SmallVector<Value> square;
      for (int64_t lane = 0; lane < lanes; ++lane) {
        from.back() = index.add(index.add(firstColumn, index.uniform(column)), lane);
        VectorValue value =
            loadInput(from, index.consecutive(channel, lanes), firstLanes(index, live));
        if (!value.re)
          return;
        square.push_back(broadcastLanes(index, value).re);
      }
      square = transposeSquare(b, square);
      for (auto [lane, row] : llvm::enumerate(ArrayRef(square).take_front(live))) {
        ElementIndex to(tap);
        to.append(
            {index.add(index.uniform(channel, lanes), lane), index.consecutive(column, lanes)});
        storeElements(index, memory, to, {row, {}}, {});
      }
    };
    buildFor(context, index.constant(0), index.constant(shape.patchSizes.back()), lanes,
             [&](Value column) {
               buildFor(context, index.constant(0), index.constant(whole), lanes,
                        [&](Value channel) { transposeTile(column, channel, lanes); });
               if (whole < problem.channels)
                 transposeTile(column, index.constant(whole), problem.channels - whole);
             });
    return SmallVector<Value>();
  });
}

void ConvolutionKernel::fillPatch(Value pixelStart) {
  if (copiesRows())
    return fillPatchByRows(pixelStart);
  int64_t lanes = index.getLanes();
  bool isWide = isOn(ConvolutionLanes::Pixels) && lanes >= kLeastSquare &&
                lanes <= kLargestSquare && problem.channels >= lanes / 2;
  if (isWide && dims.getInputFeature() == problem.inputType.getRank() - 1 &&
      isa<FloatType>(element))
    return fillPatchBySquares(pixelStart);
  int64_t last = spatial() - 1;
  MemoryArray memory{patch, RankedTensorType::get(shape.patchSizes, element)};
  VectorIndex firstColumn = inputPosition(last, index.uniform(pixelStart), index.uniform(0));
  walkTaps(last, {}, [&](ArrayRef<VectorIndex> tap, ValueRange) {
    ElementIndex rows;
    for (int64_t d = 0; d < last; ++d)
      rows.push_back(inputPosition(d, outerPosition(d), tap[d]));
    auto copy = [&](VectorIndex column, VectorIndex channel, Mask mask) {
      ElementIndex from(rows);
      from.push_back(index.add(firstColumn, column));
      VectorValue value = loadInput(
          from, isOn(ConvolutionLanes::Pixels) ? channel : index.add(channel, firstChannel), mask);
      if (!value.re)
        return;
      if (isOn(ConvolutionLanes::Channels) && mask) {
        value = emitSelect(index, mask.lanes, value, emitZero(index, element));
        mask = {};
      }
      ElementIndex to(tap);
      to.append(isOn(ConvolutionLanes::Pixels) ? ElementIndex{channel, column}
                                               : ElementIndex{column, channel});
      storeElements(index, memory, to, value, mask);
    };
    int64_t outerSize = shape.patchSizes[shape.patchSizes.size() - 2],
            laneSize =
                isOn(ConvolutionLanes::Channels) ? problem.channels : shape.patchSizes.back();
    return buildNest(context, outerSize, {}, [&](ArrayRef<VectorIndex> x, ValueRange) {
      return buildLanes(context, laneSize, {}, [&](VectorIndex y, Mask mask, ValueRange) {
        isOn(ConvolutionLanes::Pixels) ? copy(y, x[0], mask) : copy(x[0], y, mask);
        return SmallVector<Value>();
      });
    });
  });
}

} // namespace hloc
