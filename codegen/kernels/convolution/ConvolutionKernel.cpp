// SPDX-License-Identifier: Apache-2.0
// Kernels of kind `convolution`, without an im2col buffer.
//
// A unit is a block of output features at one row of output pixels. For a tile of adjacent pixels,
// the input under all their windows (the patch) is copied once: padded with zeros, dilated,
// converted, with its prologue applied. The register tile then reads the patch at fixed offsets and
// multiplies it by vectors of the filter:
// - lanes along output features, the tile's rows are pixels, if there are enough features
//   (depthwise and grouped convolutions read vectors of the patch instead of scalars);
// - lanes along pixels, the tile's rows are features, for filters on images with few features;
// - lanes along channels, for few features of many channels, as in networks that produce images.
//
// Input, filter and output may have any dimension order; NHWC with HWIO is the one without strided
// access.
#include "codegen/kernels/convolution/ConvolutionKernel.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;

namespace hloc {

/// Sets the number of lanes, and allocates the memory that the shape asks for.
void ConvolutionKernel::setUp() {
  for (const WindowAxis &axis : shape.axes)
    axes.push_back({axis, {}, {}, {}});
  index.setLanes(shape.lanes);
  auto allocate = [&](ArrayRef<int64_t> sizes) {
    return context.allocateOnStack(shape.countElements(sizes) * problem.getElementBytes());
  };
  if (shape.hasPatch)
    patch = allocate(shape.patchSizes);
  if (isOn(ConvolutionLanes::Channels))
    panel = {allocate(shape.panelSizes), RankedTensorType::get(shape.panelSizes, element)};
}

/// The span of the tile at the pixels from `nominal` on, in a row and phase of `count` pixels.
TileSpan ConvolutionKernel::makePixelSpan(Value nominal, Value count) {
  if (shape.leastPixels == shape.pixels)
    return makeTileSpan(index, nominal, shape.pixels, shape.tilePixels);
  Value last = b.createOrFold<arith::SubIOp>(count, index.constant(shape.tilePixels));
  Value start = b.createOrFold<arith::MinSIOp>(nominal, last);
  return {start, 1, b.createOrFold<arith::SubIOp>(nominal, start), shape.tilePixels};
}

/// Where the result of a row and some columns of a tile is stored.
ElementIndex ConvolutionKernel::resultIndex(VectorIndex row, VectorIndex column) {
  ElementIndex at(problem.resultType.getRank());
  at[dims.getOutputBatch()] = index.uniform(batch);
  for (int64_t d = 0; d + 1 < spatial(); ++d)
    at[dims.getOutputSpatial()[d]] = index.uniform(outer[d]);
  if (spatial() > 0) {
    VectorIndex pixel = isOn(ConvolutionLanes::Pixels) ? column : row;
    at[dims.getOutputSpatial().back()] =
        phase ? index.add(index.multiply(pixel, axes.back().phases), index.uniform(phase)) : pixel;
  }
  at[dims.getOutputFeature()] = isOn(ConvolutionLanes::Pixels) ? row : column;
  return at;
}

LogicalResult ConvolutionKernel::emit() {
  if (op.getBatchGroupCount() != 1)
    return op.emitOpError(
        "has a batch_group_count that should have been expanded before code generation");
  if (problem.resultType.getNumElements() == 0) {
    context.schedule.units = 0;
    return success();
  }
  setUp();
  if (shape.unitRows > 0) {
    emitBlocked();
    return success();
  }
  if (shape.windowRows > 0) {
    emitWindow();
    return success();
  }

  ArrayRef<int64_t> outerSizes = ArrayRef(problem.outputSizes).drop_back(spatial() > 0 ? 1 : 0);
  int64_t rowsOfPixels = ShapedType::getNumElements(outerSizes),
          batches = problem.resultType.getDimSize(dims.getOutputBatch());
  int64_t runBlocks = problem.features / shape.featureRun / shape.unitRuns,
          featureBlocks = llvm::divideCeil(shape.featureRun, shape.blockFeatures),
          pixelBlocks = llvm::divideCeil(shape.pixels, shape.unitPixels);
  int64_t units = batches * runBlocks * featureBlocks * rowsOfPixels * pixelBlocks;
  int64_t phases = spatial() > 0 ? axes.back().phases : 1;
  context.setUnits(units);
  TileStore store = makeStore();
  Value begin = units == 1 ? index.constant(0) : context.getBegin(),
        end = units == 1 ? index.constant(1) : context.getEnd();
  if (isOn(ConvolutionLanes::Channels))
    packFilter();
  buildFor(context, begin, end, 1, [&](Value unit) {
    SmallVector<int64_t> space{runBlocks, featureBlocks, batches, rowsOfPixels, pixelBlocks};
    ElementIndex at = reshapeIndex(index, units, space, index.uniform(unit));
    batch = at[2].base;
    outer.clear();
    for (VectorIndex x : reshapeIndex(index, rowsOfPixels, outerSizes, at[3]))
      outer.push_back(x.base);
    VectorIndex firstRun = index.multiply(at[0], shape.unitRuns);
    firstChannel = isOn(ConvolutionLanes::Groups) ? index.uniform(0)
                                                  : index.multiply(firstRun, problem.channels);
    Value blockStart = index.multiply(at[1], shape.blockFeatures).base;
    Value blockEnd = b.createOrFold<arith::AddIOp>(blockStart, index.constant(shape.blockFeatures));
    if (shape.featureRun % shape.blockFeatures != 0)
      blockEnd = b.createOrFold<arith::MinSIOp>(blockEnd, index.constant(shape.featureRun));
    Value firstPixel = index.multiply(at[4], shape.unitPixels).base;
    for (int64_t d = 0; d + 1 < spatial(); ++d)
      enterPhase(d, outer[d]);
    buildFor(context, index.constant(0), index.constant(phases), 1, [&](Value number) {
      phase = phases > 1 ? number : Value();
      if (spatial() > 0)
        enterPhase(spatial() - 1, number);
      Value count = index.constant(shape.pixels);
      if (shape.leastPixels < shape.pixels) {
        Value isShort = b.createOrFold<arith::CmpIOp>(
            arith::CmpIPredicate::uge, number, index.constant(problem.outputSizes.back() % phases));
        count = b.createOrFold<arith::SelectOp>(isShort, index.constant(shape.leastPixels), count);
      }
      Value lastPixel = count;
      if (pixelBlocks > 1)
        lastPixel = b.createOrFold<arith::MinSIOp>(
            count, b.createOrFold<arith::AddIOp>(firstPixel, index.constant(shape.unitPixels)));
      buildFor(context, firstPixel, lastPixel, shape.tilePixels, [&](Value pixel) {
        TileSpan pixelSpan = makePixelSpan(pixel, count);
        if (patch)
          fillPatch(pixelSpan.start);
        buildFor(context, index.constant(0), index.constant(shape.unitRuns), 1, [&](Value run) {
          Value runStart =
              index.multiply(index.add(firstRun, index.uniform(run)), shape.featureRun).base;
          buildFor(context, blockStart, blockEnd, shape.tileFeatures, [&](Value feature) {
            TileSpan featureSpan =
                makeTileSpan(index, feature, shape.featureRun, shape.tileFeatures);
            featureSpan.start = b.createOrFold<arith::AddIOp>(runStart, featureSpan.start);
            featureSpan.multiple = std::gcd(featureSpan.multiple, shape.featureRun);
            finishTile(pixelSpan, featureSpan, addTile(pixelSpan, featureSpan, beginTileSums()),
                       store);
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
