// SPDX-License-Identifier: Apache-2.0
// Kernels of kind `convolution`, without an im2col buffer.
//
// A unit is a block of output features at one row of output pixels. For a tile of neighbouring
// pixels the input under all their windows, the patch, is copied once: padded with zeros, dilated,
// converted, with its prologue applied. The register tile then reads it at fixed offsets, against
// vectors of the filter:
// - lanes on output features, rows on pixels, if there are enough features (depthwise and grouped
//   convolutions read vectors of the patch instead of scalars);
// - lanes on pixels, rows on features, for the few features of filters on images.
// Input, filter and output may have any dimension order; NHWC with HWIO is the one without strided
// access.
#include "codegen/emit/TileStore.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;

namespace hloc {

/// Bytes on the stack that a patch may take; larger ones are not made, and the input is read in place.
static constexpr int64_t kPatchBytes = 192 << 10;
/// Output features of a unit.
static constexpr int64_t kBlockFeatures = 128;

namespace {

class ConvolutionKernel {
public:
  ConvolutionKernel(KernelContext &context, hlo::ConvolutionOp op)
      : context(context), b(context.b), index(context.index), op(op), window(op.getWindow()), dims(op.getDimLabels()),
        inputType(cast<RankedTensorType>(op.getLhs().getType())), filterType(cast<RankedTensorType>(op.getRhs().getType())),
        resultType(cast<RankedTensorType>(op.getResult().getType())) {}

  LogicalResult emit();

private:
  /// Input element under output pixel `pixel` at window position `tap`, channel `channel` of the
  /// group's; zero in padding and holes.
  Lanes loadInput(ArrayRef<LaneIndex> dilated, LaneIndex channel, Mask mask);
  Lanes loadFilter(ArrayRef<Value> tap, LaneIndex channel, LaneIndex feature, Mask mask);
  bool copiesRows();
  void fillPatchByRows(Value pixelStart);
  void fillPatch(Value pixelStart);
  void emitTile(const TileSpan &pixelSpan, const TileSpan &featureSpan, TileStore &store);
  ElementIndex resultIndex(LaneIndex row, LaneIndex column);
  void chooseShape();
  int64_t spatial() const { return window.getSizes().size(); }

  KernelContext &context;
  ImplicitLocOpBuilder &b;
  IndexBuilder &index;
  hlo::ConvolutionOp op;
  hlo::WindowAttr window;
  hlo::ConvDimensionsAttr dims;
  RankedTensorType inputType, filterType, resultType;
  Type element; // of accumulators

  int64_t channels = 1;  // of one group
  int64_t features = 1, featuresPerGroup = 1;
  SmallVector<int64_t> outputSizes; // spatial
  bool lanesOnPixels = false, vectorInput = false;
  TileShape tile; // rows x vectors
  int64_t tilePixels = 1, tileFeatures = 1;
  /// Features that a unit covers, and those that follow each other within a group.
  int64_t blockFeatures = 1, featureRun = 1;

  /// Of the unit: the image, and the row of pixels by all spatial dimensions but the last.
  Value batch;
  SmallVector<Value> outer;
  /// The patch: [window position but the last dimension..., pixel or position, channel], or with
  /// lanes on pixels [.., channel, pixel].
  Value patch;
  SmallVector<int64_t> patchSizes;
};

} // namespace

Lanes ConvolutionKernel::loadInput(ArrayRef<LaneIndex> dilated, LaneIndex channel, Mask mask) {
  ElementIndex at(inputType.getRank());
  at[dims.getInputBatch()] = index.uniform(batch);
  at[dims.getInputFeature()] = channel;
  Mask inside = mask;
  for (int64_t d = 0; d < spatial(); ++d) {
    int64_t size = inputType.getDimSize(dims.getInputSpatial()[d]), dilation = window.getBaseDilations()[d];
    int64_t extent = size > 0 ? (size - 1) * dilation + 1 : 0;
    int64_t low = window.getPaddingLow()[d], high = window.getPaddingHigh()[d];
    LaneIndex x = dilated[d];
    // The patch may reach past what any window reads: its right edge is always checked.
    (void)high;
    inside = index.both(inside, index.inRange(x, low > 0 ? 0 : INT64_MIN, extent));
    if (dilation > 1) {
      x = index.orZero(x, inside);
      auto [hole, position] = index.divideWithRemainder(x, dilation);
      inside = index.both(inside, index.inRange(hole, INT64_MIN, 1));
      x = position;
    }
    at[dims.getInputSpatial()[d]] = x;
  }
  Lanes value = context.emitter.emit(op.getLhs(), at, inside);
  if (!value.re)
    return value;
  value = emitConvertLanes(index, value, inputType.getElementType(), element);
  if (!inside)
    return value;
  int64_t lanesNow = index.getLanes();
  if (value.isUniform() && !inside.lanes)
    index.setLanes(1);
  Lanes zero = emitZero(index, element);
  index.setLanes(lanesNow);
  if (inside.lanes)
    value = emitSelect(index, inside.lanes, value, zero);
  if (inside.uniform)
    value = emitSelect(index, inside.uniform, value, zero);
  return value;
}

Lanes ConvolutionKernel::loadFilter(ArrayRef<Value> tap, LaneIndex channel, LaneIndex feature, Mask mask) {
  ElementIndex at(filterType.getRank());
  at[dims.getKernelInputFeature()] = channel;
  at[dims.getKernelOutputFeature()] = feature;
  for (int64_t d = 0; d < spatial(); ++d) {
    LaneIndex x = index.uniform(tap[d]);
    if (window.getReversals()[d])
      x = index.add(index.multiply(x, -1), window.getSizes()[d] - 1);
    at[dims.getKernelSpatial()[d]] = x;
  }
  Lanes value = context.emitter.emit(op.getRhs(), at, mask);
  return value.re ? emitConvertLanes(index, value, filterType.getElementType(), element) : value;
}

/// Position in the padded, dilated input of tap `tap` of output position `output` along d.
static LaneIndex dilatedPosition(IndexBuilder &index, hlo::WindowAttr window, int64_t d, LaneIndex output, LaneIndex tap) {
  LaneIndex x = index.multiply(output, window.getStrides()[d]);
  x = index.add(x, index.multiply(tap, window.getWindowDilations()[d]));
  return index.add(x, -window.getPaddingLow()[d]);
}

/// Whether a row of the input is one run of memory, pixels and channels, that the patch takes as it
/// is: the way to keep lanes busy with the one or three channels of an image.
bool ConvolutionKernel::copiesRows() {
  int64_t rank = inputType.getRank(), channelCount = inputType.getDimSize(dims.getInputFeature());
  return isa<BlockArgument>(op.getLhs()) && !lanesOnPixels && channelCount % index.getLanes() != 0 &&
         dims.getInputFeature() == rank - 1 && dims.getInputSpatial().back() == rank - 2 &&
         llvm::all_of(window.getBaseDilations(), [](int64_t dilation) { return dilation == 1; });
}

void ConvolutionKernel::fillPatchByRows(Value pixelStart) {
  int64_t last = spatial() - 1, channelCount = patchSizes.back(), rowLength = channelCount * inputType.getDimSize(inputType.getRank() - 2);
  auto mergeMinor = [](ArrayRef<int64_t> sizes, Type type) {
    SmallVector<int64_t> merged(sizes.drop_back(2));
    merged.push_back(sizes[sizes.size() - 2] * sizes.back());
    return RankedTensorType::get(merged, type);
  };
  MemoryArray input = context.getInput(cast<BlockArgument>(op.getLhs()).getArgNumber()), memory{patch, mergeMinor(patchSizes, element)};
  input.type = mergeMinor(inputType.getShape(), inputType.getElementType());
  LaneIndex firstColumn = index.add(index.multiply(index.uniform(pixelStart), window.getStrides()[last]), -window.getPaddingLow()[last]);
  buildNest(context, window.getSizes().drop_back(), {}, [&](ArrayRef<LaneIndex> tap, ValueRange) {
    ElementIndex from(input.type.getRank());
    from[dims.getInputBatch()] = index.uniform(batch);
    Mask insideRows;
    for (int64_t d = 0; d < last; ++d) {
      LaneIndex row = dilatedPosition(index, window, d, index.uniform(outer[d]), tap[d]);
      insideRows = index.both(insideRows, index.inRange(row, 0, inputType.getDimSize(dims.getInputSpatial()[d])));
      from[dims.getInputSpatial()[d]] = row;
    }
    return buildLanes(context, memory.type.getShape().back(), {}, [&](LaneIndex at, Mask mask, ValueRange) {
      from.back() = index.add(index.multiply(firstColumn, channelCount), at);
      Mask inside = index.both(index.both(insideRows, mask), index.inRange(from.back(), 0, rowLength));
      Lanes value = emitConvertLanes(index, loadElements(index, input, from, inside), inputType.getElementType(), element);
      value = emitSelect(index, index.asVector(inside), broadcastLanes(index, value), emitZero(index, element));
      ElementIndex to(tap);
      to.push_back(at);
      storeElements(index, memory, to, value, mask);
      return SmallVector<Value>();
    });
  });
}

void ConvolutionKernel::fillPatch(Value pixelStart) {
  if (copiesRows())
    return fillPatchByRows(pixelStart);
  int64_t last = spatial() - 1;
  MemoryArray memory{patch, RankedTensorType::get(patchSizes, element)};
  SmallVector<int64_t> taps(window.getSizes().drop_back());
  Value firstColumn = index.multiply(index.uniform(pixelStart), window.getStrides()[last]).base;
  buildNest(context, taps, {}, [&](ArrayRef<LaneIndex> tap, ValueRange) {
    ElementIndex dilated;
    for (int64_t d = 0; d < last; ++d)
      dilated.push_back(dilatedPosition(index, window, d, index.uniform(outer[d]), tap[d]));
    auto copy = [&](LaneIndex column, LaneIndex channel, Mask mask) {
      ElementIndex from(dilated);
      from.push_back(index.add(index.add(index.uniform(firstColumn), column), -window.getPaddingLow()[last]));
      Lanes value = loadInput(from, channel, mask);
      if (!value.re)
        return;
      ElementIndex to(tap);
      to.append(lanesOnPixels ? ElementIndex{channel, column} : ElementIndex{column, channel});
      storeElements(index, memory, to, value, mask);
    };
    int64_t outerSize = patchSizes[patchSizes.size() - 2], laneSize = patchSizes.back();
    return buildNest(context, outerSize, {}, [&](ArrayRef<LaneIndex> x, ValueRange) {
      return buildLanes(context, laneSize, {}, [&](LaneIndex y, Mask mask, ValueRange) {
        lanesOnPixels ? copy(y, x[0], mask) : copy(x[0], y, mask);
        return SmallVector<Value>();
      });
    });
  });
}

/// Where the result of a row and some columns of a tile goes.
ElementIndex ConvolutionKernel::resultIndex(LaneIndex row, LaneIndex column) {
  ElementIndex at(resultType.getRank());
  at[dims.getOutputBatch()] = index.uniform(batch);
  for (int64_t d = 0; d + 1 < spatial(); ++d)
    at[dims.getOutputSpatial()[d]] = index.uniform(outer[d]);
  if (spatial() > 0)
    at[dims.getOutputSpatial().back()] = lanesOnPixels ? column : row;
  at[dims.getOutputFeature()] = lanesOnPixels ? row : column;
  return at;
}

void ConvolutionKernel::emitTile(const TileSpan &pixelSpan, const TileSpan &featureSpan, TileStore &store) {
  int64_t lanes = index.getLanes(), last = spatial() - 1;
  TileShape shape = tile;
  Value pixelStart = pixelSpan.start, featureStart = featureSpan.start;
  MemoryArray memory{patch, RankedTensorType::get(patchSizes.empty() ? SmallVector<int64_t>{1} : patchSizes, element)};
  bool complex = isa<ComplexType>(element);
  SmallVector<Value> carried;
  for (int64_t i = 0; i < shape.rows * shape.vectors; ++i) {
    Lanes zero = emitZero(index, element);
    carried.push_back(zero.re);
    if (complex)
      carried.push_back(zero.im);
  }
  auto unpack = [&](ValueRange flat) {
    SmallVector<Lanes> lanesOf;
    for (int64_t i = 0; i < shape.rows * shape.vectors; ++i)
      lanesOf.push_back(complex ? Lanes{flat[2 * i], flat[2 * i + 1]} : Lanes{flat[i], {}});
    return lanesOf;
  };
  SmallVector<int64_t> taps(window.getSizes());
  SmallVector<Value> sums = buildNest(context, taps, carried, [&](ArrayRef<LaneIndex> tap, ValueRange now) {
    SmallVector<Value> tapValues;
    for (LaneIndex x : tap)
      tapValues.push_back(x.base);
    /// The input at pixel `pixel` (relative to the tile), one lane or many.
    auto input = [&](LaneIndex pixel, LaneIndex channel, Mask mask) -> Lanes {
      if (!patch) {
        ElementIndex dilated;
        for (int64_t d = 0; d < last; ++d)
          dilated.push_back(dilatedPosition(index, window, d, index.uniform(outer[d]), tap[d]));
        if (spatial() > 0)
          dilated.push_back(dilatedPosition(index, window, last, index.add(index.uniform(pixelStart), pixel), tap[last]));
        return loadInput(dilated, channel, mask);
      }
      LaneIndex column = pixel;
      if (spatial() > 0)
        column = index.add(index.multiply(pixel, window.getStrides()[last]), index.multiply(tap[last], window.getWindowDilations()[last]));
      ElementIndex at(tap.drop_back(spatial() > 0 ? 1 : 0));
      at.append(lanesOnPixels ? ElementIndex{channel, column} : ElementIndex{column, channel});
      return loadElements(index, memory, at, {});
    };
    auto lane = [&](Value start, int64_t v, int64_t multiple) { return index.add(index.consecutive(start, multiple), v * lanes); };
    auto featureLanes = [&](int64_t v) { return lane(featureStart, v, featureSpan.multiple); };
    auto liveFeatures = [&](int64_t v) { return firstLanes(index, featureSpan.live - v * lanes); };
    SmallVector<Lanes> next;
    if (lanesOnPixels) {
      next = buildTile(
          context, shape, element, /*pairs=*/false, index.constant(0), index.constant(channels), unpack(now),
          [&](int64_t r, Value k) { return loadFilter(tapValues, index.uniform(k), index.add(index.uniform(featureStart), r), {}); },
          [&](int64_t v, Value k) {
            Lanes value = input(lane(index.constant(0), v, lanes), index.uniform(k), firstLanes(index, pixelSpan.live - v * lanes));
            return value.re ? broadcastLanes(index, value) : value;
          });
    } else if (!vectorInput) {
      // All features of the tile belong to one group.
      Value group = b.createOrFold<arith::DivUIOp>(featureStart, index.constant(featuresPerGroup));
      LaneIndex firstChannel = index.multiply(index.uniform(group), channels);
      next = buildTile(
          context, shape, element, /*pairs=*/false, index.constant(0), index.constant(channels), unpack(now),
          [&](int64_t r, Value k) { return input(index.uniform(r), index.add(firstChannel, index.uniform(k)), {}); },
          [&](int64_t v, Value k) {
            Lanes value = loadFilter(tapValues, index.uniform(k), featureLanes(v), liveFeatures(v));
            return value.re ? broadcastLanes(index, value) : value;
          });
    } else {
      // Each lane has its own group's input channel.
      SmallVector<Value> flat(now);
      flat = buildFor(context, index.constant(0), index.constant(channels), 1, flat, [&](Value k, ValueRange inner) {
        SmallVector<Lanes> sumsNow = unpack(inner);
        SmallVector<Value> result;
        SmallVector<Lanes> filters, all(sumsNow);
        SmallVector<LaneIndex> places;
        for (int64_t v = 0; v < shape.vectors; ++v) {
          LaneIndex feature = featureLanes(v);
          Mask mask = liveFeatures(v);
          filters.push_back(loadFilter(tapValues, index.uniform(k), feature, mask));
          LaneIndex group = featuresPerGroup == 1 ? feature : index.divideWithRemainder(feature, featuresPerGroup).second;
          places.push_back(index.orZero(index.add(index.multiply(group, channels), index.uniform(k)), channels == 1 && featuresPerGroup == 1 ? Mask{} : mask));
        }
        for (int64_t r = 0; r < shape.rows; ++r)
          for (int64_t v = 0; v < shape.vectors; ++v) {
            Mask mask = liveFeatures(v);
            Lanes x = patch ? [&] {
              LaneIndex column = index.uniform(r);
              if (spatial() > 0)
                column = index.add(index.multiply(column, window.getStrides()[last]), index.multiply(tap[last], window.getWindowDilations()[last]));
              ElementIndex at(tap.drop_back(spatial() > 0 ? 1 : 0));
              at.append({column, places[v]});
              return loadElements(index, memory, at, mask);
            }() : input(index.uniform(r), places[v], mask);
            if (!x.re || !filters[v].re)
              return SmallVector<Value>(inner);
            Lanes sum = emitMultiplyAdd(index, element, x, filters[v], all[r * shape.vectors + v]);
            result.push_back(sum.re);
            if (complex)
              result.push_back(sum.im);
          }
        return result;
      });
      next = unpack(flat);
    }
    SmallVector<Value> packed;
    for (Lanes sum : next) {
      packed.push_back(sum.re);
      if (complex)
        packed.push_back(sum.im);
    }
    return packed;
  });
  if (!context.emitter.hasFailed())
    store.finish(unpack(sums), lanesOnPixels ? featureSpan : pixelSpan, lanesOnPixels ? pixelSpan : featureSpan);
}

/// What lanes are, the tile and the patch.
void ConvolutionKernel::chooseShape() {
  int64_t pixels = spatial() > 0 ? outputSizes.back() : 1;
  Type part = isa<ComplexType>(element) ? cast<ComplexType>(element).getElementType() : element;
  int64_t lanes = context.target.getLanes(std::max<int64_t>(part.getIntOrFloatBitWidth(), 8));
  vectorInput = op.getFeatureGroupCount() > 1 && featuresPerGroup < lanes;
  lanesOnPixels = !vectorInput && featuresPerGroup < lanes / 2 && pixels >= lanes / 2 && op.getFeatureGroupCount() == 1;
  // Features that a tile may cross.
  featureRun = lanesOnPixels || vectorInput ? features : featuresPerGroup;
  while (lanes > 1 && lanes / 2 >= (lanesOnPixels ? pixels : featureRun))
    lanes /= 2;
  index.setLanes(lanes);

  blockFeatures = lanesOnPixels ? features : std::min(featureRun, kBlockFeatures);
  tile = lanesOnPixels ? chooseTile(context.target, element, lanes, features, pixels)
                       : chooseTile(context.target, element, lanes, pixels, blockFeatures);
  tilePixels = lanesOnPixels ? tile.vectors * lanes : tile.rows;
  tileFeatures = lanesOnPixels ? tile.rows : tile.vectors * lanes;
  if (!lanesOnPixels && blockFeatures < featureRun)
    blockFeatures = std::max(tileFeatures, blockFeatures / tileFeatures * tileFeatures);

  int64_t last = spatial() - 1, patchWidth = 1;
  int64_t patchChannels = vectorInput ? inputType.getDimSize(dims.getInputFeature()) : channels * op.getFeatureGroupCount();
  if (last >= 0) {
    patchWidth = (tilePixels - 1) * window.getStrides()[last] + (window.getSizes()[last] - 1) * window.getWindowDilations()[last] + 1;
    patchSizes = SmallVector<int64_t>(window.getSizes().drop_back());
  }
  patchSizes.append(lanesOnPixels ? SmallVector<int64_t>{patchChannels, patchWidth} : SmallVector<int64_t>{patchWidth, patchChannels});
  int64_t patchElements = ShapedType::getNumElements(patchSizes), bytes = getStorageBits(element) / 8;
  // Without several uses of each element a patch is only a detour.
  bool reused = vectorInput ? ShapedType::getNumElements(window.getSizes()) > 1 : true;
  if (last >= 0 && patchElements * bytes <= kPatchBytes && reused && patchElements > 0)
    patch = context.allocateOnStack(patchElements * bytes);
}

LogicalResult ConvolutionKernel::emit() {
  if (op.getBatchGroupCount() != 1)
    return op.emitOpError("has a batch_group_count that should have been expanded before code generation");
  if (resultType.getNumElements() == 0) {
    context.schedule.units = 0;
    return success();
  }
  element = getAccumulatorType(inputType.getElementType(), filterType.getElementType(), resultType.getElementType());
  channels = filterType.getDimSize(dims.getKernelInputFeature());
  features = filterType.getDimSize(dims.getKernelOutputFeature());
  featuresPerGroup = features / op.getFeatureGroupCount();
  for (int64_t d : dims.getOutputSpatial())
    outputSizes.push_back(resultType.getDimSize(d));
  chooseShape();

  int64_t pixels = spatial() > 0 ? outputSizes.back() : 1;
  ArrayRef<int64_t> outerSizes = ArrayRef(outputSizes).drop_back(spatial() > 0 ? 1 : 0);
  int64_t rowsOfPixels = ShapedType::getNumElements(outerSizes), batches = resultType.getDimSize(dims.getOutputBatch());
  int64_t groups = features / featureRun, featureBlocks = llvm::divideCeil(featureRun, blockFeatures);
  int64_t units = batches * groups * featureBlocks * rowsOfPixels;
  double work = double(channels) * ShapedType::getNumElements(window.getSizes()) * pixels * blockFeatures;
  context.setUnits(units, work / index.getLanes());
  TileStore store(context, op.getResult(), element, tile,
                  [this](LaneIndex row, LaneIndex column) { return resultIndex(row, column); });
  Value begin = units == 1 ? index.constant(0) : context.getBegin(), end = units == 1 ? index.constant(1) : context.getEnd();
  buildOuterFor(context, begin, end, 1, [&](Value unit) {
    SmallVector<int64_t> space{groups, featureBlocks, batches, rowsOfPixels};
    ElementIndex at = reshapeIndex(index, units, space, index.uniform(unit));
    batch = at[2].base;
    outer.clear();
    for (LaneIndex x : reshapeIndex(index, rowsOfPixels, outerSizes, at[3]))
      outer.push_back(x.base);
    Value groupStart = index.multiply(at[0], featureRun).base, blockStart = index.multiply(at[1], blockFeatures).base;
    Value blockEnd = b.createOrFold<arith::AddIOp>(blockStart, index.constant(blockFeatures));
    if (featureRun % blockFeatures != 0)
      blockEnd = b.createOrFold<arith::MinSIOp>(blockEnd, index.constant(featureRun));
    buildOuterFor(context, index.constant(0), index.constant(pixels), tilePixels, [&](Value pixel) {
      TileSpan pixelSpan = makeTileSpan(index, pixel, pixels, tilePixels);
      if (patch)
        fillPatch(pixelSpan.start);
      buildOuterFor(context, blockStart, blockEnd, tileFeatures, [&](Value feature) {
        TileSpan featureSpan = makeTileSpan(index, feature, featureRun, tileFeatures);
        featureSpan.start = b.createOrFold<arith::AddIOp>(groupStart, featureSpan.start);
        featureSpan.multiple = std::gcd(featureSpan.multiple, featureRun);
        emitTile(pixelSpan, featureSpan, store);
      });
    });
  });
  return success();
}

LogicalResult emitConvolutionKernel(KernelContext &context) {
  hlo::ConvolutionOp op;
  for (auto found : context.getBody().getOps<hlo::ConvolutionOp>())
    op = found;
  if (!op)
    return context.kernel.emitError("expected a convolution kernel to hold a convolution");
  return ConvolutionKernel(context, op).emit();
}

} // namespace hloc
