// SPDX-License-Identifier: Apache-2.0
// Dots with many rows: blocks of packed panels.
#include "codegen/emit/BlockedSum.h"
#include "codegen/emit/Fold.h"
#include "codegen/kernels/dot/DotKernel.h"
#include "passes/schedule/DotSchedule.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;

namespace hloc {

/// Bits of the smallest vector registers.
static constexpr int64_t kLeastRegisterBits = 128;
/// The number of entries of packed panels and rows for the k of `depthRange`: one per k or per
/// group.
Value DotKernel::countEntries(Range depthRange) {
  Value count = b.createOrFold<arith::SubIOp>(depthRange.end, depthRange.start);
  if (group == 1)
    return count;
  Value rounded = b.createOrFold<arith::AddIOp>(count, index.constant(group - 1));
  return b.createOrFold<arith::DivUIOp>(rounded, index.constant(group));
}

/// The first k of an entry of `range`.
Value DotKernel::firstOfGroup(Range range, Value entry) {
  return b.createOrFold<arith::AddIOp>(
      range.start,
      group == 1 ? entry : b.createOrFold<arith::MulIOp>(entry, index.constant(group)));
}

/// One k of some columns; zero past their end.
VectorValue DotKernel::loadColumns(VectorIndex k, VectorIndex n, Mask mask) {
  VectorValue value = loadRhs(k, n, mask);
  if (!value.re)
    return emitZero(index, factor);
  value = broadcastLanes(index, value);
  for (Value condition : {mask.lanes, mask.uniform})
    if (condition)
      value = emitSelect(index, condition, value, emitZero(index, factor));
  return value;
}

/// Packs entry `k` of `vectors` vectors of the panel that begin at column `within`; `live` of their
/// columns exist.
void DotKernel::packEntry(const Panel &panel, Value within, int64_t vectors, int64_t live, Value k,
                          Range range) {
  int64_t lanes = index.getLanes();
  Value column = b.createOrFold<arith::AddIOp>(panel.span.start, within);
  Value at = firstOfGroup(range, k);
  for (int64_t v = 0; v < vectors; ++v) {
    Mask mask = firstLanes(index, live - v * lanes);
    VectorIndex n =
        index.add(index.consecutive(column, std::gcd(panel.span.multiple, lanes)), v * lanes);
    VectorValue value = loadColumns(index.uniform(at), n, mask);
    if (group > 1) {
      Type word = b.getI32Type(), wide = VectorType::get({lanes}, word);
      Value words = arith::ExtUIOp::create(b, wide, value.re);
      for (int64_t part = 1; part < group; ++part) {
        VectorIndex next = index.add(index.uniform(at), part);
        Mask both =
            hasWholeGroups(group) ? mask : index.both(mask, index.inRange(next, INT64_MIN, depth));
        Value high = arith::ExtUIOp::create(b, wide, loadColumns(next, n, both).re);
        high = arith::ShLIOp::create(
            b, high, index.splat(arith::ConstantIntOp::create(b, word, 32 / group * part)));
        words = arith::OrIOp::create(b, words, high);
      }
      value.re = b.createOrFold<vector::BitCastOp>(VectorType::get({lanes}, element), words);
    }
    VectorIndex to = index.add(index.consecutive(within, this->lanes), v * lanes);
    storeElements(index, panel.memory, {index.uniform(panel.number), index.uniform(k), to}, value,
                  {});
  }
}

/// Likewise for all entries from `from` on (relative to `range`).
void DotKernel::packColumns(const Panel &panel, Value within, int64_t vectors, int64_t live,
                            Value from, Range range) {
  buildFor(
      context, from, countEntries(range), 1,
      [&](Value k) { packEntry(panel, within, vectors, live, k, range); },
      getConstant(from) == 0 ? Rounds::Some : Rounds::Any);
}

/// Likewise for one vector whose k are contiguous, so they are loaded as vectors and transposed. If
/// half vectors are registers, two of these are joined before they are transposed, which halves the
/// code and the shuffles.
void DotKernel::packSquares(const Panel &panel, Value within, int64_t live, Range range) {
  Value column = b.createOrFold<arith::AddIOp>(panel.span.start, within);
  bool halves = lanes * element.getIntOrFloatBitWidth() > kLeastRegisterBits;
  int64_t depthLanes = halves ? lanes / 2 : lanes;
  // Groups past the end are loaded as zeros, for which there is room; without groups, a remainder
  // of k is left.
  Value whole = countEntries(range);
  if (group == 1 && !hasWholeGroups(depthLanes)) {
    Value rest = b.createOrFold<arith::RemUIOp>(whole, index.constant(depthLanes));
    whole = b.createOrFold<arith::SubIOp>(whole, rest);
  }
  buildFor(context, index.constant(0), whole, depthLanes, {}, [&](Value k, ValueRange) {
    Value start = firstOfGroup(range, k);
    SmallVector<Value> square;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      ScopedLanes along(index, depthLanes);
      VectorIndex n = index.add(index.uniform(column), lane);
      VectorValue row{};
      if (lane < live && group > 1)
        row.re = vector::BitCastOp::create(
            b, VectorType::get({depthLanes}, element),
            loadGroups(start, [&](VectorIndex at, Mask mask) { return loadRhs(at, n, mask); }));
      else if (lane < live)
        row = loadRhs(index.consecutive(start, depthLanes), n, {});
      square.push_back(row.re ? broadcastLanes(index, row).re : emitZero(index, element).re);
    }
    if (halves) {
      for (int64_t lane = 0; lane < depthLanes; ++lane)
        square[lane] = vector::ShuffleOp::create(b, square[lane], square[lane + depthLanes],
                                                 llvm::to_vector(llvm::seq<int64_t>(0, lanes)));
      square.truncate(depthLanes);
    }
    for (auto [lane, row] : llvm::enumerate(transposeSquare(b, square)))
      storeElements(index, panel.memory,
                    {index.uniform(panel.number), index.add(index.uniform(k), lane),
                     index.consecutive(within, lanes)},
                    {row, {}}, {});
    return SmallVector<Value>();
  });
  if (group == 1 && !hasWholeGroups(depthLanes))
    packColumns(panel, within, 1, live, whole, range);
}

/// Packs, behind the panel's entries, the initial sums that compensate for the 128 that is added to
/// the left operand's bytes.
void DotKernel::packCorrection(const Panel &panel, Range depthRange) {
  SmallVector<Value> sums;
  for (int64_t v = 0; v < tile.vectors; ++v)
    sums.push_back(emitZero(index, element).re);
  auto place = [&](VectorIndex entry, int64_t v) {
    return ElementIndex{index.uniform(panel.number), entry,
                        index.add(index.consecutive(index.constant(0), lanes), v * lanes)};
  };
  sums = buildFor(
      context, index.constant(0), countEntries(depthRange), 1, sums, [&](Value k, ValueRange now) {
        SmallVector<Value> next;
        for (auto [v, sum] : llvm::enumerate(now)) {
          Value words = loadElements(index, panel.memory, place(index.uniform(k), v), {}).re;
          next.push_back(emitOffsetMultiplyAdd(index, words, sum));
        }
        return next;
      });
  for (auto [v, sum] : llvm::enumerate(sums)) {
    Value negated = arith::SubIOp::create(b, emitZero(index, element).re, sum);
    storeElements(index, panel.memory, place(index.uniform(panel.memory.type.getDimSize(1) - 1), v),
                  {negated, {}}, {});
  }
}

/// Packs the block of the right operand into panels [panel][k][column within the panel].
void DotKernel::packRhs(MemoryArray packed, Range columnRange, Range depthRange) {
  int64_t width = tile.vectors * tileLanes;
  bool bySquares = depthIsMinorOfRhs && !isa<ComplexType>(element) && lanes > 1;
  // One vector at a time, unless the code is short: squares and prologues are too long to be
  // copied.
  auto packByVectors = [&](const Panel &panel) {
    auto packVector = [&](Value v, int64_t live) {
      Value within = b.createOrFold<arith::MulIOp>(v, index.constant(lanes));
      if (bySquares)
        packSquares(panel, within, live, depthRange);
      else
        packColumns(panel, within, 1, live, index.constant(0), depthRange);
      return SmallVector<Value>();
    };
    int64_t whole = std::min(width, panel.span.live) / lanes;
    buildFor(context, index.constant(0), index.constant(whole), 1, {},
             [&](Value v, ValueRange) { return packVector(v, lanes); });
    if (whole * lanes < width)
      packVector(index.constant(whole), panel.span.live - whole * lanes);
  };
  auto forEachPanel = [&](function_ref<void(const Panel &panel)> body) {
    forEachTile(columnRange, columns, width,
                [&](const TileSpan &span, Value number) { body({packed, span, number}); });
  };
  // Memory is fastest when whole rows are read, so each row of the block is distributed to all
  // panels.
  if (findWhole(rhs) && !bySquares)
    buildFor(
        context, index.constant(0), countEntries(depthRange), 1,
        [&](Value k) {
          forEachPanel([&](const Panel &panel) {
            ScopedLanes wide(index, tileLanes);
            packEntry(panel, index.constant(0), tile.vectors, panel.span.live, k, depthRange);
          });
        },
        Rounds::Some);
  else
    forEachPanel(packByVectors);
  if (lhsIsOffset)
    forEachPanel([&](const Panel &panel) { packCorrection(panel, depthRange); });
  if (usesMatrices)
    forEachPanel([&](const Panel &panel) { padPanel(panel, depthRange); });
}

/// The block's panels among those that another kernel packed.
MemoryArray DotKernel::locatePanels(int64_t count, Range columnRange, Range depthRange) {
  MemoryArray all = context.getInput(packedPanels.getArgNumber());
  ArrayRef<int64_t> sizes =
      all.type.getShape(); // batches, blocks of the depth, panels, depth, width
  auto divide = [&](Value x, int64_t size) {
    return index.uniform(b.createOrFold<arith::DivUIOp>(x, index.constant(size)));
  };
  VectorIndex first =
      linearize(index, sizes,
                {batch, divide(depthRange.start, sumDepth), divide(columnRange.start, sizes[4]),
                 index.uniform(0), index.uniform(0)});
  int64_t bytes = getStorageBits(element) / 8;
  Value offset = b.createOrFold<arith::MulIOp>(first.base, index.constant(bytes));
  return {movePointer(index, all.pointer, offset),
          RankedTensorType::get({count, sizes[3], sizes[4]}, element)};
}

/// Packs the rows of a tile of the left operand as [row][k].
void DotKernel::packLhs(MemoryArray packed, const TileSpan &span, Range depthRange) {
  buildNest(context, tile.rows, {}, [&](ArrayRef<VectorIndex> row, ValueRange) {
    return buildFor(
        context, index.constant(0), countEntries(depthRange), lanes, {},
        [&](Value k, ValueRange) {
          VectorIndex m = index.add(index.uniform(span.start, span.multiple), row[0]);
          Value start = firstOfGroup(depthRange, k);
          VectorValue value;
          if (group > 1) {
            value.re = vector::BitCastOp::create(
                b, VectorType::get({lanes}, element),
                loadGroups(start, [&](VectorIndex at, Mask mask) { return loadLhs(m, at, mask); }));
            if (lhsIsOffset)
              value.re = emitOffset(b, value.re);
          } else {
            VectorIndex at = index.consecutive(start, lanes);
            value = loadLhs(m, at,
                            hasWholeGroups(lanes) ? Mask{} : index.inRange(at, INT64_MIN, depth));
          }
          if (value.re)
            storeElements(index, packed, {row[0], index.consecutive(k, lanes)}, value, {});
          return SmallVector<Value>();
        },
        Rounds::Some);
  });
}

/// Packs the rows of a block of the left operand, whose row dimension is minor, as [tile][k][row].
void DotKernel::packLhsBlock(MemoryArray packed, Range rowRange, Range depthRange) {
  int64_t width = packed.type.getDimSize(2);
  buildFor(context, index.constant(0), countEntries(depthRange), 1, [&](Value k) {
    forEachRowTile(rowRange, [&](const TileSpan &span, Value number) {
      ScopedLanes along(index, width);
      VectorIndex m = index.consecutive(span.start, std::gcd(span.multiple, width));
      VectorValue value =
          loadLhs(m, index.uniform(firstOfGroup(depthRange, k)), firstLanes(index, tile.rows));
      if (value.re)
        storeElements(
            index, packed,
            {index.uniform(number), index.uniform(k), index.consecutive(index.constant(0), width)},
            broadcastLanes(index, value), {});
    });
  });
}

/// Loops over the tiles of `range`, which begins at a whole tile; `number` counts them.
void DotKernel::forEachTile(Range range, int64_t size, int64_t tileSize,
                            function_ref<void(const TileSpan &, Value number)> body,
                            bool isAligned) {
  buildFor(
      context, range.start, range.end, tileSize,
      [&](Value nominal) {
        Value number = b.createOrFold<arith::DivUIOp>(
            b.createOrFold<arith::SubIOp>(nominal, range.start), index.constant(tileSize));
        body(makeTileSpan(index, nominal, size, tileSize, isAligned), number);
      },
      Rounds::Some);
}

void DotKernel::emitBlocked() {
  // Error terms take as much memory as the sums.
  bool compensated = isCompensatedSum(element, depth);
  ArrayRef<int64_t> block = context.chosen.getBlock();
  int64_t blockRows = block[0], blockColumns = block[1], blockDepth = block[2];
  bool inResult = context.chosen.has("in_result"), prefetches = context.chosen.has("prefetch"),
       prefetchesLeft = context.chosen.has("prefetch_left"),
       packsLeft = context.chosen.has("pack_left");
  int64_t width = tile.vectors * lanes;
  // Instructions for groups have the machine's vector width.
  if (group == 1)
    widenTile();
  int64_t panelCount = llvm::divideCeil(blockColumns, width), bytes = getStorageBits(element) / 8;
  auto allocate = [&](ArrayRef<int64_t> sizes) {
    Value memory = context.allocateOnStack(ShapedType::getNumElements(sizes) * bytes);
    return MemoryArray{memory, RankedTensorType::get(sizes, element)};
  };
  MemoryArray panels, packedRows;
  // The entry behind a panel's others has its correction, if any, and keeps panels whose size is a
  // power of two from mapping to the same sets of L1: each row that is packed goes to all of them.
  if (!packedPanels)
    panels = allocate({panelCount, blockDepth + 1, width});
  SmallVector<MemoryArray> partial; // sums and their error terms
  if (packsLeft)
    packedRows = allocate(getPackedLeftSizes(*this, blockRows, blockDepth, tile.rows,
                                             context.target.machine.l1.lineBytes));
  else if (!lhsInPlace && !leftIsMatrix)
    packedRows = allocate({tile.rows, blockDepth});
  bool severalBlocks = depth > sumDepth;
  MemoryArray tileSums;
  if (usesMatrices && (severalBlocks ? !addsUpInMatrices(*this, group) : !resultIsMatrix))
    tileSums = allocate({tile.rows, width});
  if (severalBlocks && inResult)
    partial.push_back(context.getOutput(0));
  for (int64_t i = 0; severalBlocks && !inResult && i < (compensated ? 2 : 1); ++i)
    partial.push_back(
        allocate({int64_t(llvm::divideCeil(blockRows, tile.rows)), panelCount, tile.rows, width}));
  TileShape stored = usesMatrices ? TileShape{1, tile.vectors} : tile;
  TileStore store = makeStore(stored);

  emitUnits(
      [&](Range rowRange, Range columnRange) {
        Value firstStart = beginOfBlock(sumDepth);
        int64_t pieces = countTilePieces(blockDepth);
        Value share =
            prefetches ? countPrefetched(rowRange, blockRows, panelCount * pieces) : Value();
        buildFor(context, firstStart, multipliedDepth.end, sumDepth, [&](Value depthStart) {
          Range depthRange =
              makeRange(b.createOrFold<arith::DivUIOp>(depthStart, index.constant(sumDepth)), depth,
                        sumDepth);
          depthRange = clipDepth(depthRange.start, depthRange.end);
          if (packedPanels)
            panels = locatePanels(panelCount, columnRange, depthRange);
          else
            packRhs(panels, columnRange, depthRange);
          if (packsLeft)
            packLhsBlock(packedRows, rowRange, depthRange);
          forEachRowTile(rowRange, [&](const TileSpan &rowSpan, Value rowTile) {
            if (packedRows.pointer && !packsLeft)
              packLhs(packedRows, rowSpan, depthRange);
            forEachTile(columnRange, columns, width, [&](const TileSpan &columnSpan, Value panel) {
              ScopedLanes wide(index, tileLanes);
              auto partialAt = [&](VectorIndex r, int64_t v) {
                if (inResult)
                  return resultIndex(
                      index.add(index.uniform(rowSpan.start, rowSpan.multiple), r),
                      index.add(index.consecutive(columnSpan.start, columnSpan.multiple),
                                v * tileLanes));
                VectorIndex n =
                    index.add(index.consecutive(index.constant(0), tileLanes), v * tileLanes);
                return ElementIndex{index.uniform(rowTile), index.uniform(panel), r, n};
              };
              BlockEnd end{partial, depthStart, firstStart, depthRange.end, inResult};
              if (usesMatrices)
                return emitMatrices({panels, packedRows, tileSums},
                                    {rowSpan, columnSpan, rowTile, panel}, depthRange, store, end,
                                    partialAt);
              auto loadPanel = [&](VectorIndex entry, int64_t v) {
                VectorIndex n =
                    index.add(index.consecutive(index.constant(0), tileLanes), v * tileLanes);
                return loadElements(index, panels, {index.uniform(panel), entry, n}, {});
              };
              SmallVector<VectorValue> first(tile.rows * tile.vectors, emitZero(index, element));
              for (int64_t v = 0; lhsIsOffset && v < tile.vectors; ++v) {
                VectorValue correction = loadPanel(index.uniform(blockDepth), v);
                for (int64_t r = 0; r < tile.rows; ++r)
                  first[r * tile.vectors + v] = correction;
              }
              auto left = [&](int64_t r, Value k) {
                if (packsLeft)
                  return loadElements(index, packedRows,
                                      {index.uniform(rowTile), index.uniform(k), index.uniform(r)},
                                      {});
                if (!lhsInPlace)
                  return loadElements(index, packedRows, {index.uniform(r), index.uniform(k)}, {});
                Value at = b.createOrFold<arith::AddIOp>(depthRange.start, k);
                return loadLhs(index.add(index.uniform(rowSpan.start, rowSpan.multiple), r),
                               index.uniform(at));
              };
              auto right = [&](int64_t v, Value k) { return loadPanel(index.uniform(k), v); };
              SmallVector<VectorValue> sums;
              Value entries = countEntries(depthRange);
              if (prefetches || prefetchesLeft)
                sums = buildTileInPieces(
                    context, tile, element, group, entries, first, left, right, [&](Value piece) {
                      if (prefetchesLeft)
                        prefetchLhs(rowSpan, depthRange, panel, panelCount, piece);
                      if (!prefetches)
                        return;
                      auto next = [&](Value number, int64_t count, Value within) {
                        return b.createOrFold<arith::AddIOp>(
                            b.createOrFold<arith::MulIOp>(number, index.constant(count)), within);
                      };
                      prefetchRhs(columnRange, depthRange, blockColumns,
                                  next(next(rowTile, panelCount, panel), pieces, piece), share);
                    });
              else
                sums = buildTile(context, tile, element, group, index.constant(0), entries, first,
                                 left, right);
              if (context.emitter.hasFailed())
                return;
              finishBlock(store, stored, sums, rowSpan, columnSpan, end,
                          [&](int64_t r, int64_t v) { return partialAt(index.uniform(r), v); });
            });
          });
        });
      },
      blockRows, blockColumns);
}

/// Takes the sums of some rows for a block of k. Adds those of the blocks before, and stores the
/// totals: in the result after the last block, else for the next one.
void DotKernel::finishBlock(TileStore &store, TileShape shape, ArrayRef<VectorValue> sums,
                            const TileSpan &rowSpan, const TileSpan &columnSpan,
                            const BlockEnd &end,
                            function_ref<ElementIndex(int64_t, int64_t)> partialAt) {
  if (end.partial.empty())
    return store.finish(sums, rowSpan, columnSpan);
  Value isFirst =
      b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, end.depthStart, end.firstStart);
  SmallVector<SmallVector<VectorValue>> totals =
      addUnlessFirst(isFirst, shape, sums, end.partial, partialAt);
  if (end.inResult)
    return store.finish(totals[0], rowSpan, columnSpan);
  Value isLast =
      b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, end.depthEnd, multipliedDepth.end);
  auto branch = scf::IfOp::create(b, isLast, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  ElementEmitter::Scope scope(context.emitter);
  b.setInsertionPointToStart(branch.thenBlock());
  if (end.partial.size() > 1)
    store.finish(
        unpackLanes(element, settleTotals(b, packLanes(llvm::to_vector(llvm::concat<VectorValue>(
                                                 totals[0], totals[1]))))),
        rowSpan, columnSpan);
  else
    store.finish(totals[0], rowSpan, columnSpan);
  b.setInsertionPointToStart(branch.elseBlock());
  for (auto [memory, values] : llvm::zip(end.partial, totals))
    storeTile(memory, shape, values, partialAt);
}

/// Adds `sums`, of a block of k, to those of the blocks before, which are in `partial`; with
/// compensation if that has two arrays.
SmallVector<SmallVector<VectorValue>>
DotKernel::addUnlessFirst(Value isFirst, TileShape shape, ArrayRef<VectorValue> sums,
                          ArrayRef<MemoryArray> partial,
                          function_ref<ElementIndex(int64_t, int64_t)> partialAt) {
  bool compensated = partial.size() > 1;
  SmallVector<Value> flat = packLanes(sums), first = flat;
  if (compensated)
    first.append(packLanes(SmallVector<VectorValue>(sums.size(), emitZero(index, element))));
  auto branch = scf::IfOp::create(b, ValueRange(first).getTypes(), isFirst, true, true);
  OpBuilder::InsertionGuard guard(b);
  ElementEmitter::Scope scope(context.emitter);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, first);
  b.setInsertionPointToStart(branch.elseBlock());
  SmallVector<VectorValue> before, after;
  for (const MemoryArray &memory : partial)
    llvm::append_range(before, loadTile(memory, shape, partialAt));
  if (compensated)
    after = unpackLanes(element, addToTotals(b, packLanes(before), flat));
  else
    for (auto [total, sum] : llvm::zip(before, sums))
      after.push_back(emitMonoid(index, Monoid::Add, element, total, sum));
  scf::YieldOp::create(b, packLanes(after));
  SmallVector<VectorValue> all = unpackLanes(element, branch.getResults());
  SmallVector<SmallVector<VectorValue>> totals;
  for (size_t i = 0; i < partial.size(); ++i)
    totals.emplace_back(ArrayRef(all).slice(i * sums.size(), sums.size()));
  return totals;
}

} // namespace hloc
