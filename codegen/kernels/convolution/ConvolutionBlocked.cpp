// SPDX-License-Identifier: Apache-2.0
// Convolutions of many channels, whose filters do not stay in a near cache from one row of pixels
// to the next.
//
// A unit is some output features of several rows of pixels, whose input is in one patch. For the
// features of a tile, blocks of the filter (one tap, some channels) are packed one after the other,
// and all tiles of pixels use each block. Between blocks, their sums are kept in memory.
#include "codegen/emit/BlockedSum.h"
#include "codegen/emit/Fold.h"
#include "codegen/kernels/convolution/ConvolutionKernel.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// The first pixel whose window the patch has. The last tile of a row, which is moved back to end
/// with the row, may begin before the unit.
Value ConvolutionKernel::findPatchStart(const UnitPixels &unit) {
  if (shape.unitPixels == shape.pixels)
    return unit.firstPixel;
  return b.createOrFold<arith::MinSIOp>(unit.firstPixel,
                                        index.constant(shape.pixels - shape.tilePixels));
}

/// Copies what is under the windows of a unit's pixels.
void ConvolutionKernel::fillUnit(const UnitPixels &unit) {
  int64_t last = spatial() - 1, inner = std::min<int64_t>(spatial(), 2);
  SmallVector<int64_t> sizes(shape.patchSizes);
  sizes.back() *= shape.group;
  MemoryArray memory{patch, RankedTensorType::get(sizes, factor)};
  // Factors of few bits fill a vector with more lanes, if they leave no remainder.
  int64_t lanes = shape.lanes * shape.group;
  while (lanes > shape.lanes && problem.channels % lanes != 0)
    lanes /= 2;
  ScopedLanes channelLanes(index, lanes);
  VectorIndex zero = index.uniform(0);
  ElementIndex first; // position of the first row, if there are rows, and column
  if (last > 0)
    first.push_back(inputPosition(last - 1, index.uniform(unit.firstRow), zero));
  first.push_back(inputPosition(last, index.uniform(findPatchStart(unit)), zero));
  walkTaps(spatial() - inner, {}, [&](ArrayRef<VectorIndex> tap, ValueRange) {
    ElementIndex outermost;
    for (int64_t d = 0; d + inner < spatial(); ++d)
      outermost.push_back(inputPosition(d, outerPosition(d), tap[d]));
    return buildNest(context, ArrayRef(shape.patchSizes).drop_back().take_back(inner), {},
                     [&](ArrayRef<VectorIndex> x, ValueRange) {
                       return buildLanes(context, problem.channels, {},
                                         [&](VectorIndex channel, Mask mask, ValueRange) {
                                           ElementIndex from(outermost), to(tap);
                                           for (auto [start, offset] : llvm::zip(first, x))
                                             from.push_back(index.add(start, offset));
                                           to.append(x.begin(), x.end());
                                           to.push_back(channel);
                                           VectorValue value = loadInput(from, channel, mask);
                                           if (!value.re)
                                             return SmallVector<Value>();
                                           if (inputIsOffset)
                                             value.re =
                                                 emitOffset(b, broadcastLanes(index, value).re);
                                           storeElements(index, memory, to, value, mask);
                                           return SmallVector<Value>();
                                         });
                     });
  });
}

/// Loops over the tiles of a unit's pixels. `body` gets a tile's row, its pixels and its number in
/// the row.
void ConvolutionKernel::forEachPixelTile(
    const UnitPixels &unit,
    function_ref<void(Value row, const TileSpan &span, Value number)> body) {
  buildFor(context, index.constant(0), unit.rows, 1, [&](Value row) {
    buildFor(context, index.constant(0), unit.pixels, shape.tilePixels, [&](Value pixel) {
      Value start = b.createOrFold<arith::AddIOp>(unit.firstPixel, pixel);
      body(row, makeTileSpan(index, start, shape.pixels, shape.tilePixels),
           b.createOrFold<arith::DivUIOp>(pixel, index.constant(shape.tilePixels)));
    });
  });
}

/// True if the blocks of the filter follow each other in memory, with taps and channels outermost.
bool ConvolutionKernel::prefetchesFilter() {
  int64_t rank = problem.filterType.getRank();
  return findWhole(op.getRhs()) &&
         llvm::equal(dims.getKernelSpatial(), llvm::seq<int64_t>(0, spatial())) &&
         dims.getKernelInputFeature() == rank - 2 &&
         llvm::none_of(window.getReversals(), [](bool reversed) { return reversed; }) &&
         getStorageBits(problem.filterType.getElementType()) >= 8;
}

/// Prefetches a part of the next block, which follows the block of `tap` at `channel`, or is the
/// first one of the next features: part `turn` of `turns`.
void ConvolutionKernel::prefetchFilter(ArrayRef<VectorIndex> tap, Value channel, Value feature,
                                       Value turn, int64_t turns) {
  int64_t rows = ShapedType::getNumElements(window.getSizes()) * problem.channels,
          share = llvm::divideCeil(shape.blockChannels, turns);
  int64_t line =
      context.target.machine.l1.lineBytes * 8 / getStorageBits(problem.filterType.getElementType());
  SmallVector<int64_t> tapSizes(window.getSizes());
  Value tapRow = linearize(index, tapSizes, tap).base;
  auto sum = [&](Value x, Value y) { return b.createOrFold<arith::AddIOp>(x, y); };
  Value row = sum(sum(index.multiply(index.uniform(tapRow), problem.channels).base, channel),
                  index.constant(shape.blockChannels));
  Value isOver =
      b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sge, row, index.constant(rows));
  row = b.createOrFold<arith::SelectOp>(isOver, index.constant(0), row);
  Value column = b.createOrFold<arith::SelectOp>(
      isOver, sum(feature, index.constant(shape.tileFeatures)), feature);
  Value ahead = b.createOrFold<arith::MulIOp>(turn, index.constant(share));
  Value isWanted = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, ahead,
                                                 index.constant(shape.blockChannels));
  scf::IfOp branch = scf::IfOp::create(b, isWanted, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  ElementEmitter::Scope scope(context.emitter);
  b.setInsertionPointToStart(branch.thenBlock());
  MemoryArray memory = context.getInput(findWhole(op.getRhs()).getArgNumber());
  buildFor(context, index.constant(0), index.constant(share), 1, [&](Value k) {
    buildFor(context, index.constant(0), index.constant(shape.tileFeatures), line, [&](Value n) {
      ElementIndex at(problem.filterType.getRank(), index.uniform(0));
      at[dims.getKernelInputFeature()] = index.uniform(sum(sum(row, ahead), k));
      at[dims.getKernelOutputFeature()] = index.uniform(sum(column, n));
      prefetchElement(index, memory, context.emitter.locate(op.getRhs(), at));
    });
  });
}

/// Packs `groups` groups of channels of the filter's tap, for the features of a tile.
void ConvolutionKernel::packBlock(MemoryArray panel, ArrayRef<Value> tap, Value firstChannel,
                                  Value groups, const TileSpan &featureSpan) {
  int64_t lanes = index.getLanes();
  buildFor(context, index.constant(0), groups, 1, [&](Value k) {
    VectorIndex first =
        index.add(index.uniform(firstChannel), index.multiply(index.uniform(k), shape.group));
    for (int64_t v = 0; v < tile.vectors; ++v) {
      VectorIndex feature =
          index.add(index.consecutive(featureSpan.start, featureSpan.multiple), v * lanes);
      Value words;
      for (int64_t part = 0; part < shape.group; ++part) {
        VectorValue value = loadFilter(tap, index.add(first, part), feature,
                                       firstLanes(index, featureSpan.live - v * lanes));
        if (!value.re)
          return;
        Value here = broadcastLanes(index, value).re;
        if (shape.group > 1)
          here = arith::ExtUIOp::create(b, VectorType::get({lanes}, b.getI32Type()), here);
        if (part > 0) {
          Value bits = arith::ConstantIntOp::create(b, b.getI32Type(), 32 / shape.group * part);
          here = arith::ShLIOp::create(b, here, index.splat(bits));
        }
        words = words ? arith::OrIOp::create(b, words, here) : here;
      }
      VectorIndex to = index.add(index.consecutive(index.constant(0), lanes), v * lanes);
      storeElements(index, panel, {index.uniform(k), to}, {words, {}}, {});
    }
  });
}

/// The initial sums of a tile's products with the block in `panel`: zero, or what compensates for
/// the 128 that is added to the input.
SmallVector<VectorValue> ConvolutionKernel::beginSums(MemoryArray panel, Value groups) {
  SmallVector<VectorValue> sums(tile.rows * tile.vectors, emitZero(index, element));
  if (!inputIsOffset)
    return sums;
  int64_t lanes = index.getLanes();
  SmallVector<Value> offsets(tile.vectors, sums[0].re);
  offsets = buildFor(context, index.constant(0), groups, 1, offsets, [&](Value k, ValueRange now) {
    SmallVector<Value> next;
    for (auto [v, sum] : llvm::enumerate(now)) {
      VectorIndex at = index.add(index.consecutive(index.constant(0), lanes), v * lanes);
      Value words = loadElements(index, panel, {index.uniform(k), at}, {}).re;
      next.push_back(emitOffsetMultiplyAdd(index, words, sum));
    }
    return next;
  });
  for (auto [i, sum] : llvm::enumerate(sums))
    sum.re = arith::SubIOp::create(b, sum.re, offsets[i % tile.vectors]);
  return sums;
}

/// Computes all sums of the features of a tile, for a unit's pixels.
void ConvolutionKernel::emitFeatureTile(const BlockMemory &memory, const TileSpan &featureSpan,
                                        const UnitPixels &unit, TileStore &store) {
  int64_t lanes = index.getLanes(), last = spatial() - 1;
  MemoryArray patchMemory{patch, RankedTensorType::get(shape.patchSizes, element)};
  auto within = [&](int64_t v) {
    return index.add(index.consecutive(index.constant(0), lanes), v * lanes);
  };
  auto forEachSum = [&](function_ref<void(int64_t r, int64_t v)> body) {
    for (int64_t r = 0; r < tile.rows; ++r)
      for (int64_t v = 0; v < tile.vectors; ++v)
        body(r, v);
  };
  auto sumAt = [&](Value row, Value number, int64_t r, int64_t v) {
    return ElementIndex{index.uniform(row), index.uniform(number), index.uniform(r), within(v)};
  };
  SmallVector<VectorValue> zeros(tile.rows * tile.vectors, emitZero(index, element));
  Value patchStart = findPatchStart(unit);
  forEachPixelTile(unit, [&](Value row, const TileSpan &, Value number) {
    forEachSum([&](int64_t r, int64_t v) {
      storeElements(index, memory.sums, sumAt(row, number, r, v), zeros[0], {});
    });
  });
  walkTaps(spatial(), {}, [&](ArrayRef<VectorIndex> tap, ValueRange) {
    SmallVector<Value> tapValues;
    for (VectorIndex x : tap)
      tapValues.push_back(x.base);
    buildFor(
        context, index.constant(0), index.constant(problem.channels), shape.blockChannels,
        [&](Value first) {
          Value end = b.createOrFold<arith::AddIOp>(first, index.constant(shape.blockChannels));
          if (problem.channels % shape.blockChannels != 0)
            end = b.createOrFold<arith::MinSIOp>(end, index.constant(problem.channels));
          auto countGroups = [&](Value channels) {
            return shape.group == 1
                       ? channels
                       : b.createOrFold<arith::DivUIOp>(channels, index.constant(shape.group));
          };
          Value count = countGroups(b.createOrFold<arith::SubIOp>(end, first)),
                firstGroup = countGroups(first);
          packBlock(memory.panel, tapValues, first, count, featureSpan);
          SmallVector<VectorValue> initial = beginSums(memory.panel, count);
          forEachPixelTile(unit, [&](Value row, const TileSpan &span, Value number) {
            auto under = [&](int64_t d, VectorIndex pixel) {
              return index.add(index.multiply(pixel, axes[d].stride),
                               index.multiply(tap[d], axes[d].tapStride));
            };
            auto left = [&](int64_t r, Value k) {
              VectorIndex pixel = index.add(index.uniform(span.start, span.multiple), r);
              if (shape.unitPixels < shape.pixels)
                pixel = index.add(pixel, index.multiply(index.uniform(patchStart), -1));
              ElementIndex at(tap.drop_back(last > 0 ? 2 : 1));
              if (last > 0)
                at.push_back(under(last - 1, index.uniform(row)));
              at.append({under(last, pixel),
                         index.uniform(b.createOrFold<arith::AddIOp>(firstGroup, k))});
              return loadElements(index, patchMemory, at, {});
            };
            auto right = [&](int64_t v, Value k) {
              return loadElements(index, memory.panel, {index.uniform(k), within(v)}, {});
            };
            SmallVector<VectorValue> sums;
            if (prefetchesFilter())
              sums = buildTileInPieces(
                  context, tile, element, shape.group, count, initial, left, right,
                  [&](Value piece) {
                    int64_t pieces = countTilePieces(shape.blockChannels / shape.group),
                            tiles = llvm::divideCeil(shape.unitPixels, shape.tilePixels);
                    VectorIndex tileNumber =
                        index.add(index.multiply(index.uniform(row), tiles), index.uniform(number));
                    VectorIndex turn =
                        index.add(index.multiply(tileNumber, pieces), index.uniform(piece));
                    prefetchFilter(tap, first, featureSpan.start, turn.base,
                                   shape.unitRows * tiles * pieces);
                  });
            else
              sums = buildTile(context, tile, element, shape.group, index.constant(0), count,
                               initial, left, right);
            forEachSum([&](int64_t r, int64_t v) {
              ElementIndex at = sumAt(row, number, r, v);
              VectorValue before = loadElements(index, memory.sums, at, {});
              storeElements(
                  index, memory.sums, at,
                  emitMonoid(index, Monoid::Add, element, before, sums[r * tile.vectors + v]), {});
            });
          });
        });
    return SmallVector<Value>();
  });
  forEachPixelTile(unit, [&](Value row, const TileSpan &span, Value number) {
    SmallVector<VectorValue> sums;
    forEachSum([&](int64_t r, int64_t v) {
      sums.push_back(loadElements(index, memory.sums, sumAt(row, number, r, v), {}));
    });
    if (last > 0)
      outer[last - 1] = b.createOrFold<arith::AddIOp>(unit.firstRow, row);
    if (!context.emitter.hasFailed())
      store.finish(sums, span, featureSpan);
  });
}

void ConvolutionKernel::emitBlocked() {
  if (shape.group > 1) {
    // The instructions work on signless i32, whose sums have the same bits as those of u32.
    element = b.getI32Type();
    factor = b.getIntegerType(32 / shape.group);
    inputIsOffset = shape.group == 4 && !problem.inputType.getElementType().isUnsignedInteger();
  }
  int64_t bytes = problem.getElementBytes(), last = spatial() - 1;
  auto allocate = [&](ArrayRef<int64_t> sizes) {
    return MemoryArray{context.allocateOnStack(ShapedType::getNumElements(sizes) * bytes),
                       RankedTensorType::get(sizes, element)};
  };
  BlockMemory memory{allocate(shape.panelSizes), allocate(shape.sumSizes)};
  ArrayRef<int64_t> outermostSizes =
      ArrayRef(problem.outputSizes).drop_back(std::min<int64_t>(spatial(), 2));
  int64_t rowCount = last > 0 ? problem.outputSizes[last - 1] : 1,
          rowBlocks = llvm::divideCeil(rowCount, shape.unitRows),
          pixelBlocks = llvm::divideCeil(shape.pixels, shape.unitPixels),
          batches = problem.resultType.getDimSize(dims.getOutputBatch());
  int64_t outermostCount = ShapedType::getNumElements(outermostSizes),
          featureBlocks = llvm::divideCeil(problem.features, shape.blockFeatures);
  int64_t units = featureBlocks * batches * outermostCount * rowBlocks * pixelBlocks;
  context.setUnits(units);
  TileStore store(context, op.getResult(), element, tile,
                  [this](VectorIndex row, VectorIndex column) { return resultIndex(row, column); });
  Value begin = units == 1 ? index.constant(0) : context.getBegin(),
        end = units == 1 ? index.constant(1) : context.getEnd();
  buildFor(context, begin, end, 1, [&](Value number) {
    auto stop = [&](Value start, int64_t block, int64_t size) {
      Value next = b.createOrFold<arith::AddIOp>(start, index.constant(block));
      return size % block == 0 ? next : b.createOrFold<arith::MinSIOp>(next, index.constant(size));
    };
    auto count = [&](Value start, int64_t block, int64_t size) {
      return b.createOrFold<arith::SubIOp>(stop(start, block, size), start);
    };
    ElementIndex at =
        reshapeIndex(index, units, {featureBlocks, batches, outermostCount, rowBlocks, pixelBlocks},
                     index.uniform(number));
    batch = at[1].base;
    outer.clear();
    for (VectorIndex x : reshapeIndex(index, outermostCount, outermostSizes, at[2]))
      outer.push_back(x.base);
    Value featureStart = index.multiply(at[0], shape.blockFeatures).base;
    UnitPixels unit;
    unit.firstRow = index.multiply(at[3], shape.unitRows).base;
    unit.rows = count(unit.firstRow, shape.unitRows, rowCount);
    unit.firstPixel = index.multiply(at[4], shape.unitPixels).base;
    unit.pixels = count(unit.firstPixel, shape.unitPixels, shape.pixels);
    if (last > 0)
      outer.push_back(unit.firstRow);
    for (int64_t d = 0; d <= last; ++d)
      enterPhase(d, d < last ? outer[d] : index.constant(0));
    fillUnit(unit);
    buildFor(context, featureStart, stop(featureStart, shape.blockFeatures, problem.features),
             shape.tileFeatures, [&](Value feature) {
               emitFeatureTile(memory,
                               makeTileSpan(index, feature, problem.features, shape.tileFeatures),
                               unit, store);
             });
  });
}

} // namespace hloc
