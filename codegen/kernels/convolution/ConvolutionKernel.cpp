// SPDX-License-Identifier: Apache-2.0
// Kernels of kind `convolution`, without an im2col buffer.
//
// A unit is a block of output features at one row of output pixels. For a tile of neighbouring
// pixels the input under all their windows, the patch, is copied once: padded with zeros, dilated,
// converted, with its prologue applied. The register tile then reads it at fixed offsets, against
// vectors of the filter:
// - lanes on output features, rows on pixels, if there are enough features (depthwise and grouped
//   convolutions read vectors of the patch instead of scalars);
// - lanes on pixels, rows on features, for the few features of filters on images;
// - lanes on channels, for few features of many channels: images made of what a network has found.
// Input, filter and output may have any dimension order; NHWC with HWIO is the one without strided
// access.
#include "codegen/kernels/convolution/ConvolutionKernel.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;

namespace hloc {

/// Bytes on the stack that a patch may take; larger ones are not made, and the input is read in
/// place.
static constexpr int64_t kPatchBytes = 192 << 10;
/// Output features of a unit.
static constexpr int64_t kBlockFeatures = 128;
/// Products of a pixel and tap from which pixels of lanes that do not lie beside each other may be
/// stored.
static constexpr int64_t kWorthScattering = 8;

void ConvolutionKernel::setUpAxes() {
  for (int64_t d = 0; d < spatial(); ++d) {
    Axis axis{window.getSizes()[d],
              window.getStrides()[d],
              window.getWindowDilations()[d],
              window.getBaseDilations()[d],
              1,
              {},
              {},
              {}};
    // Along the last dimension every phase has a tile of pixels.
    bool isLast = d + 1 == spatial(), isWhole = outputSizes[d] % axis.dilation == 0;
    bool canPhase = !isLast || (lanesOnPixels ? isWhole && channels >= kWorthScattering
                                              : outputSizes[d] >= axis.dilation);
    if (axis.dilation > 1 && axis.stride == 1 && axis.tapStride == 1 && canPhase) {
      axis.phases = axis.dilation;
      axis.taps = llvm::divideCeil(axis.taps, axis.phases);
      axis.dilation = 1;
    }
    axes.push_back(axis);
  }
}

/// What lanes are, the tile and the patch.
void ConvolutionKernel::chooseShape() {
  pixels = spatial() > 0 ? outputSizes.back() : 1;
  Type part = isa<ComplexType>(element) ? cast<ComplexType>(element).getElementType() : element;
  int64_t lanes = context.target.getLanes(std::max<int64_t>(part.getIntOrFloatBitWidth(), 8));
  // Narrow vectors of one group's features are better than wide ones for which the channels must be
  // collected.
  vectorInput = op.getFeatureGroupCount() > 1 && featuresPerGroup < lanes &&
                (featuresPerGroup == 1 || channels == 1);
  lanesOnPixels = !vectorInput && featuresPerGroup < lanes / 2 && pixels >= lanes / 2 &&
                  op.getFeatureGroupCount() == 1;
  // Features that a tile may cross.
  featureRun = lanesOnPixels || vectorInput ? features : featuresPerGroup;
  channelSteps = channels;
  if (planChannelLanes(lanes))
    return;
  setUpAxes();
  leastPixels = pixels;
  if (spatial() > 0) {
    leastPixels = pixels / axes.back().phases;
    pixels = llvm::divideCeil(pixels, axes.back().phases);
  }
  while (lanes > 1 && lanes / 2 >= (lanesOnPixels ? pixels : featureRun))
    lanes /= 2;
  index.setLanes(lanes);

  blockFeatures = lanesOnPixels ? features : std::min(featureRun, kBlockFeatures);
  tile = lanesOnPixels ? chooseTile(context.target, element, lanes, features, pixels)
                       : chooseTile(context.target, element, lanes, leastPixels, blockFeatures);
  tilePixels = lanesOnPixels ? tile.vectors * lanes : tile.rows;
  tileFeatures = lanesOnPixels ? tile.rows : tile.vectors * lanes;
  if (planBlocks())
    return;
  if (!lanesOnPixels && blockFeatures < featureRun)
    blockFeatures = std::max(tileFeatures, blockFeatures / tileFeatures * tileFeatures);

  int64_t last = spatial() - 1, patchWidth = 1;
  // A unit of several groups fills one patch with all of their channels.
  if (!lanesOnPixels && !vectorInput)
    while (features / featureRun % (2 * unitRuns) == 0 &&
           2 * unitRuns * featureRun <= kBlockFeatures)
      unitRuns *= 2;
  int64_t patchChannels =
      vectorInput ? inputType.getDimSize(dims.getInputFeature()) : channels * unitRuns;
  if (last >= 0) {
    patchWidth =
        (tilePixels - 1) * axes[last].stride + (axes[last].taps - 1) * axes[last].tapStride + 1;
    if (lanesOnPixels)
      patchWidth = llvm::alignTo(patchWidth, lanes);
    for (const Axis &axis : ArrayRef(axes).drop_back())
      patchSizes.push_back(axis.taps);
  }
  patchSizes.append(lanesOnPixels ? SmallVector<int64_t>{patchChannels, patchWidth}
                                  : SmallVector<int64_t>{patchWidth, patchChannels});
  int64_t patchElements = ShapedType::getNumElements(patchSizes),
          bytes = getStorageBits(element) / 8;
  // Without several uses of each element a patch is only a detour.
  bool reused = vectorInput ? ShapedType::getNumElements(window.getSizes()) > 1 : true;
  if (last >= 0 && patchElements * bytes <= kPatchBytes && reused && patchElements > 0)
    patch = context.allocateOnStack(patchElements * bytes);
}

/// The span of the tile that is to do the pixels from `nominal` of a row and phase of `count`.
TileSpan ConvolutionKernel::makePixelSpan(Value nominal, Value count) {
  if (leastPixels == pixels)
    return makeTileSpan(index, nominal, pixels, tilePixels);
  Value last = b.createOrFold<arith::SubIOp>(count, index.constant(tilePixels));
  Value start = b.createOrFold<arith::MinSIOp>(nominal, last);
  return {start, 1, b.createOrFold<arith::SubIOp>(nominal, start), tilePixels};
}

/// Where the result of a row and some columns of a tile goes.
ElementIndex ConvolutionKernel::resultIndex(VectorIndex row, VectorIndex column) {
  ElementIndex at(resultType.getRank());
  at[dims.getOutputBatch()] = index.uniform(batch);
  for (int64_t d = 0; d + 1 < spatial(); ++d)
    at[dims.getOutputSpatial()[d]] = index.uniform(outer[d]);
  if (spatial() > 0) {
    VectorIndex pixel = lanesOnPixels ? column : row;
    at[dims.getOutputSpatial().back()] =
        phase ? index.add(index.multiply(pixel, axes.back().phases), index.uniform(phase)) : pixel;
  }
  at[dims.getOutputFeature()] = lanesOnPixels ? row : column;
  return at;
}

LogicalResult ConvolutionKernel::emit() {
  if (op.getBatchGroupCount() != 1)
    return op.emitOpError(
        "has a batch_group_count that should have been expanded before code generation");
  if (resultType.getNumElements() == 0) {
    context.schedule.units = 0;
    return success();
  }
  element = getAccumulatorType(resultType.getElementType());
  channels = filterType.getDimSize(dims.getKernelInputFeature());
  features = filterType.getDimSize(dims.getKernelOutputFeature());
  featuresPerGroup = features / op.getFeatureGroupCount();
  for (int64_t d : dims.getOutputSpatial())
    outputSizes.push_back(resultType.getDimSize(d));
  chooseShape();
  if (unitRows > 0) {
    emitBlocked();
    return success();
  }

  ArrayRef<int64_t> outerSizes = ArrayRef(outputSizes).drop_back(spatial() > 0 ? 1 : 0);
  int64_t rowsOfPixels = ShapedType::getNumElements(outerSizes),
          batches = resultType.getDimSize(dims.getOutputBatch());
  int64_t runBlocks = features / featureRun / unitRuns,
          featureBlocks = llvm::divideCeil(featureRun, blockFeatures);
  int64_t units = batches * runBlocks * featureBlocks * rowsOfPixels;
  int64_t phases = spatial() > 0 ? axes.back().phases : 1;
  double work = double(channels) * pixels * phases * blockFeatures * unitRuns;
  for (const Axis &axis : axes)
    work *= axis.taps;
  context.setUnits(units, work * context.costs.getMultiplyAddTime(element));
  TileStore store = makeStore();
  Value begin = units == 1 ? index.constant(0) : context.getBegin(),
        end = units == 1 ? index.constant(1) : context.getEnd();
  if (lanesOnChannels)
    packFilter();
  buildFor(context, begin, end, 1, [&](Value unit) {
    SmallVector<int64_t> space{runBlocks, featureBlocks, batches, rowsOfPixels};
    ElementIndex at = reshapeIndex(index, units, space, index.uniform(unit));
    batch = at[2].base;
    outer.clear();
    for (VectorIndex x : reshapeIndex(index, rowsOfPixels, outerSizes, at[3]))
      outer.push_back(x.base);
    VectorIndex firstRun = index.multiply(at[0], unitRuns);
    firstChannel = vectorInput ? index.uniform(0) : index.multiply(firstRun, channels);
    Value blockStart = index.multiply(at[1], blockFeatures).base;
    Value blockEnd = b.createOrFold<arith::AddIOp>(blockStart, index.constant(blockFeatures));
    if (featureRun % blockFeatures != 0)
      blockEnd = b.createOrFold<arith::MinSIOp>(blockEnd, index.constant(featureRun));
    for (int64_t d = 0; d + 1 < spatial(); ++d)
      enterPhase(d, outer[d]);
    buildFor(context, index.constant(0), index.constant(phases), 1, [&](Value number) {
      phase = phases > 1 ? number : Value();
      if (spatial() > 0)
        enterPhase(spatial() - 1, number);
      Value count = index.constant(pixels);
      if (leastPixels < pixels) {
        Value isShort = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::uge, number,
                                                      index.constant(outputSizes.back() % phases));
        count = b.createOrFold<arith::SelectOp>(isShort, index.constant(leastPixels), count);
      }
      buildFor(context, index.constant(0), count, tilePixels, [&](Value pixel) {
        TileSpan pixelSpan = makePixelSpan(pixel, count);
        if (patch)
          fillPatch(pixelSpan.start);
        buildFor(context, index.constant(0), index.constant(unitRuns), 1, [&](Value run) {
          Value runStart = index.multiply(index.add(firstRun, index.uniform(run)), featureRun).base;
          buildFor(context, blockStart, blockEnd, tileFeatures, [&](Value feature) {
            TileSpan featureSpan = makeTileSpan(index, feature, featureRun, tileFeatures);
            featureSpan.start = b.createOrFold<arith::AddIOp>(runStart, featureSpan.start);
            featureSpan.multiple = std::gcd(featureSpan.multiple, featureRun);
            emitTile(pixelSpan, featureSpan, store);
          });
        });
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
