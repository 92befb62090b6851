// SPDX-License-Identifier: Apache-2.0
// Convolutions with windows larger than their results, as in gradients of filters, where the filter
// does not stay in a near cache from one image to the next.
//
// A unit is some output features of several images. It goes through the window in blocks of
// positions of the first dimension, and all its tiles use each block. Between blocks, totals and
// their errors are kept in memory, so that the sums are those of convolution.features.
#include "codegen/kernels/convolution/ConvolutionKernel.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// Loops over the tiles of pixels of some images. `body` gets a tile's pixels, and its image, row
/// and number within the unit.
void ConvolutionKernel::forEachPixelTileOfImages(
    Value firstImage, Value images,
    function_ref<void(const TileSpan &span, ArrayRef<VectorIndex> place)> body) {
  ArrayRef<int64_t> outerSizes = ArrayRef(problem.outputSizes).drop_back();
  int64_t rows = ShapedType::getNumElements(outerSizes);
  buildFor(context, index.constant(0), images, 1, [&](Value image) {
    batch = b.createOrFold<arith::AddIOp>(firstImage, image);
    buildFor(context, index.constant(0), index.constant(rows), 1, [&](Value row) {
      outer.clear();
      for (VectorIndex x : reshapeIndex(index, rows, outerSizes, index.uniform(row)))
        outer.push_back(x.base);
      buildFor(context, index.constant(0), index.constant(shape.pixels), shape.tilePixels,
               [&](Value pixel) {
                 Value number =
                     b.createOrFold<arith::DivUIOp>(pixel, index.constant(shape.tilePixels));
                 body(makeTileSpan(index, pixel, shape.pixels, shape.tilePixels),
                      {index.uniform(image), index.uniform(row), index.uniform(number)});
               });
    });
  });
}

/// Restricts the taps to `count` positions of the window's first dimension, from `first` on.
void ConvolutionKernel::enterWindowRows(Value first, Value count) {
  for (int64_t d = 0; d < spatial(); ++d)
    enterPhase(d, index.constant(0));
  Axis &axis = axes.front();
  axis.count = count;
  axis.firstTap = first;
  axis.origin = index.add(axis.origin, index.multiply(index.uniform(first), axis.tapStride));
}

void ConvolutionKernel::emitWindow() {
  MemoryArray memory{
      context.allocateOnStack(shape.countElements(shape.sumSizes) * problem.getElementBytes()),
      RankedTensorType::get(shape.sumSizes, element)};
  int64_t featureBlocks = llvm::divideCeil(problem.features, shape.blockFeatures),
          batchBlocks = llvm::divideCeil(problem.batches, shape.unitBatches),
          units = featureBlocks * batchBlocks, taps = shape.axes.front().taps,
          lanes = index.getLanes(), sums = tile.rows * tile.vectors;
  context.setUnits(units);
  TileStore store = makeStore();
  auto getCount = [&](Value start, int64_t block, int64_t size) {
    if (size % block == 0)
      return index.constant(block);
    Value left = b.createOrFold<arith::SubIOp>(index.constant(size), start);
    return b.createOrFold<arith::MinSIOp>(index.constant(block), left);
  };
  Value begin = units == 1 ? index.constant(0) : context.getBegin(),
        end = units == 1 ? index.constant(1) : context.getEnd();
  buildFor(context, begin, end, 1, [&](Value unit) {
    ElementIndex at = reshapeIndex(index, units, {featureBlocks, batchBlocks}, index.uniform(unit));
    Value firstFeature = index.multiply(at[0], shape.blockFeatures).base,
          firstImage = index.multiply(at[1], shape.unitBatches).base;
    Value features = getCount(firstFeature, shape.blockFeatures, problem.features),
          images = getCount(firstImage, shape.unitBatches, problem.batches);
    auto forEachFeatureTile =
        [&](ArrayRef<VectorIndex> place,
            function_ref<void(const TileSpan &, function_ref<ElementIndex(int64_t)>)> body) {
          buildFor(context, index.constant(0), features, shape.tileFeatures, [&](Value feature) {
            Value number =
                b.createOrFold<arith::DivUIOp>(feature, index.constant(shape.tileFeatures));
            // Where a total, or after all totals its error, is kept.
            auto placeOf = [&](int64_t i) {
              ElementIndex to{index.uniform(i / sums)};
              to.append(place.begin(), place.end());
              to.append({index.uniform(number), index.uniform(i % sums / tile.vectors),
                         index.add(index.consecutive(index.constant(0), lanes),
                                   i % tile.vectors * lanes)});
              return to;
            };
            body(makeTileSpan(index, b.createOrFold<arith::AddIOp>(firstFeature, feature),
                              problem.features, shape.tileFeatures),
                 placeOf);
          });
        };
    auto load = [&](function_ref<ElementIndex(int64_t)> placeOf) {
      SmallVector<Value> totals;
      for (int64_t i = 0; i < 2 * sums; ++i)
        totals.push_back(loadElements(index, memory, placeOf(i), {}).re);
      return totals;
    };
    auto save = [&](ValueRange totals, function_ref<ElementIndex(int64_t)> placeOf) {
      for (auto [i, total] : llvm::enumerate(totals))
        storeElements(index, memory, placeOf(i), {total, {}}, {});
    };
    forEachPixelTileOfImages(firstImage, images, [&](const TileSpan &, ArrayRef<VectorIndex> at) {
      forEachFeatureTile(at,
                         [&](const TileSpan &, auto placeOf) { save(beginTileSums(), placeOf); });
    });
    buildFor(context, index.constant(0), index.constant(taps), shape.windowRows, [&](Value first) {
      Value count = getCount(first, shape.windowRows, taps);
      forEachPixelTileOfImages(
          firstImage, images, [&](const TileSpan &pixels, ArrayRef<VectorIndex> at) {
            enterWindowRows(first, count);
            firstChannel = index.uniform(0);
            fillPatch(pixels.start);
            forEachFeatureTile(at, [&](const TileSpan &features, auto placeOf) {
              save(addTile(pixels, features, load(placeOf)), placeOf);
            });
          });
    });
    forEachPixelTileOfImages(firstImage, images,
                             [&](const TileSpan &pixels, ArrayRef<VectorIndex> at) {
                               forEachFeatureTile(at, [&](const TileSpan &features, auto placeOf) {
                                 finishTile(pixels, features, load(placeOf), store);
                               });
                             });
  });
}

} // namespace hloc
