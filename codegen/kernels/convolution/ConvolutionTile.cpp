// SPDX-License-Identifier: Apache-2.0
// The register tile of a convolution.
#include "codegen/emit/BlockedSum.h"
#include "codegen/emit/Fold.h"
#include "codegen/kernels/convolution/ConvolutionKernel.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

TileStore ConvolutionKernel::makeStore() {
  ScopedLanes narrow(index, isOn(ConvolutionLanes::Channels) ? llvm::PowerOf2Ceil(problem.features)
                                                             : index.getLanes());
  return TileStore(
      context, op.getResult(), element,
      isOn(ConvolutionLanes::Channels) ? TileShape{tile.rows, 1} : tile,
      [this](VectorIndex row, VectorIndex column) { return resultIndex(row, column); });
}

SmallVector<Value> ConvolutionKernel::beginTileSums() {
  SmallVector<Value> zeros =
      packLanes(SmallVector<VectorValue>(tile.rows * tile.vectors, emitZero(index, element)));
  return sumsInBlocks() ? beginTotals(zeros) : zeros;
}

/// Adds all products of an output element to `carried`, those of some channels of a tap at a time.
SmallVector<Value> ConvolutionKernel::sumProducts(ValueRange carried, Products body) {
  // The levels are the taps of each dimension, then the channels.
  int64_t channelLevel = spatial();
  ElementIndex tap;
  std::function<SmallVector<Value>(ValueRange)> walk;
  auto walkRange = [&](Value start, Value end, ValueRange values) {
    if (int64_t(tap.size()) == channelLevel)
      return body(tap, start, end, values);
    return buildFor(context, start, end, 1, values, [&](Value position, ValueRange now) {
      tap.push_back(index.uniform(position));
      SmallVector<Value> next = walk(now);
      tap.pop_back();
      return next;
    });
  };
  walk = [&](ValueRange values) {
    int64_t level = tap.size();
    Value size = level == channelLevel ? index.constant(shape.channelSteps) : axes[level].count;
    if (!sumsInBlocks() || level != sumBlocks.level)
      return walkRange(index.constant(0), size, values);
    return addBlocks(context, size, sumBlocks.size, values, [&](Value start, Value end) {
      return walkRange(
          start, end,
          packLanes(SmallVector<VectorValue>(tile.rows * tile.vectors, emitZero(index, element))));
    });
  };
  return walk(carried);
}

/// Adds the products of a tile's pixels and features to `carried`.
SmallVector<Value> ConvolutionKernel::addTile(const TileSpan &pixelSpan,
                                              const TileSpan &featureSpan, ValueRange carried) {
  int64_t lanes = index.getLanes(), last = spatial() - 1;
  Value pixelStart = pixelSpan.start, featureStart = featureSpan.start;
  MemoryArray memory{patch, RankedTensorType::get(shape.patchSizes.empty() ? SmallVector<int64_t>{1}
                                                                           : shape.patchSizes,
                                                  element)};
  auto unpack = [&](ValueRange flat) { return unpackLanes(element, flat); };
  return sumProducts(carried, [&](ArrayRef<VectorIndex> tap, Value firstK, Value endK,
                                  ValueRange now) {
    SmallVector<Value> tapValues;
    for (VectorIndex x : tap)
      tapValues.push_back(x.base);
    /// The input at pixel `pixel` (relative to the tile), one lane or many.
    auto input = [&](VectorIndex pixel, VectorIndex channel, Mask mask) -> VectorValue {
      if (!patch) {
        ElementIndex positions;
        for (int64_t d = 0; d < last; ++d)
          positions.push_back(inputPosition(d, outerPosition(d), tap[d]));
        if (spatial() > 0)
          positions.push_back(
              inputPosition(last, index.add(index.uniform(pixelStart), pixel), tap[last]));
        return loadInput(positions, channel, mask);
      }
      VectorIndex column = pixel;
      if (spatial() > 0)
        column = index.add(index.multiply(pixel, axes[last].stride),
                           index.multiply(tap[last], axes[last].tapStride));
      ElementIndex at(tap.drop_back(spatial() > 0 ? 1 : 0));
      at.append(isOn(ConvolutionLanes::Pixels) ? ElementIndex{channel, column}
                                               : ElementIndex{column, channel});
      return loadElements(index, memory, at, {});
    };
    auto lane = [&](Value start, int64_t v, int64_t multiple) {
      return index.add(index.consecutive(start, multiple), v * lanes);
    };
    auto featureLanes = [&](int64_t v) { return lane(featureStart, v, featureSpan.multiple); };
    auto liveFeatures = [&](int64_t v) { return firstLanes(index, featureSpan.live - v * lanes); };
    SmallVector<VectorValue> next;
    if (isOn(ConvolutionLanes::Channels)) {
      next = multiplyChannels(tap, firstK, endK, unpack(now));
    } else if (isOn(ConvolutionLanes::Pixels)) {
      next = buildTile(
          context, tile, element, /*group=*/1, firstK, endK, unpack(now),
          [&](int64_t r, Value k) {
            return loadFilter(tapValues, index.uniform(k),
                              index.add(index.uniform(featureStart), r), {});
          },
          [&](int64_t v, Value k) {
            VectorValue value = input(lane(index.constant(0), v, lanes), index.uniform(k),
                                      firstLanes(index, pixelSpan.live - v * lanes));
            return value.re ? broadcastLanes(index, value) : value;
          },
          TileKeeps::Fewest);
    } else if (!isOn(ConvolutionLanes::Groups)) {
      // All features of the tile belong to one group.
      Value group =
          b.createOrFold<arith::DivUIOp>(featureStart, index.constant(problem.featuresPerGroup));
      VectorIndex channelStart = index.multiply(index.uniform(group), problem.channels);
      if (patch)
        channelStart = index.add(channelStart, index.multiply(firstChannel, -1));
      next = buildTile(
          context, tile, element, /*group=*/1, firstK, endK, unpack(now),
          [&](int64_t r, Value k) {
            return input(index.uniform(r), index.add(channelStart, index.uniform(k)), {});
          },
          [&](int64_t v, Value k) {
            VectorValue value =
                loadFilter(tapValues, index.uniform(k), featureLanes(v), liveFeatures(v));
            return value.re ? broadcastLanes(index, value) : value;
          },
          TileKeeps::Fewest);
    } else {
      // Each lane has the input channel of its own group.
      SmallVector<Value> flat(now);
      flat = buildFor(context, firstK, endK, 1, flat, [&](Value k, ValueRange inner) {
        SmallVector<VectorValue> all = unpack(inner), filters;
        SmallVector<VectorIndex> places;
        for (int64_t v = 0; v < tile.vectors; ++v) {
          VectorIndex feature = featureLanes(v);
          Mask mask = liveFeatures(v);
          filters.push_back(loadFilter(tapValues, index.uniform(k), feature, mask));
          VectorIndex group =
              problem.featuresPerGroup == 1
                  ? feature
                  : index.divideWithRemainder(feature, problem.featuresPerGroup).second;
          places.push_back(
              index.orZero(index.add(index.multiply(group, problem.channels), index.uniform(k)),
                           problem.channels == 1 && problem.featuresPerGroup == 1 ? Mask{} : mask));
        }
        for (int64_t r = 0; r < tile.rows; ++r)
          for (int64_t v = 0; v < tile.vectors; ++v) {
            Mask mask = liveFeatures(v);
            VectorValue x = patch ? [&] {
              VectorIndex column = index.uniform(r);
              if (spatial() > 0)
                column = index.add(index.multiply(column, axes[last].stride),
                                   index.multiply(tap[last], axes[last].tapStride));
              ElementIndex at(tap.drop_back(spatial() > 0 ? 1 : 0));
              at.append({column, places[v]});
              return loadElements(index, memory, at, mask);
            }()
                                  : input(index.uniform(r), places[v], mask);
            if (!x.re || !filters[v].re)
              return SmallVector<Value>(inner);
            VectorValue &sum = all[r * tile.vectors + v];
            sum = emitMultiplyAdd(index, element, x, filters[v], sum);
          }
        return packLanes(all);
      });
      next = unpack(flat);
    }
    return packLanes(next);
  });
}

/// Stores the results of a tile whose sums are complete.
void ConvolutionKernel::finishTile(const TileSpan &pixelSpan, const TileSpan &featureSpan,
                                   ValueRange carried, TileStore &store) {
  if (context.emitter.hasFailed())
    return;
  SmallVector<VectorValue> sums =
      unpackLanes(element, sumsInBlocks() ? settleTotals(b, carried) : SmallVector<Value>(carried));
  if (isOn(ConvolutionLanes::Channels)) {
    sums = addLanesOfRows(sums);
    ScopedLanes narrow(index, llvm::PowerOf2Ceil(problem.features));
    return store.finish(sums, pixelSpan, featureSpan);
  }
  store.finish(sums, isOn(ConvolutionLanes::Pixels) ? featureSpan : pixelSpan,
               isOn(ConvolutionLanes::Pixels) ? pixelSpan : featureSpan);
}

} // namespace hloc
