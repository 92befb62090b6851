// SPDX-License-Identifier: Apache-2.0
// Kernels of kind `dot`: result[b, m, n] = sum over k of lhs[b, m, k] * rhs[b, k, n], with whatever
// is fused into the operands and onto the result.
//
// The result is cut into units of blockRows x blockColumns. Within one, for each block of k:
// - the right operand's block is packed into panels as wide as a register tile, so that the tile
//   reads it in one stream whatever its layout, type and prologue;
// - the left operand is read in place if it lies in memory as it is multiplied, else a tile's rows
//   are packed too;
// - register tiles run over the block; partial sums wait in a buffer until k is finished, and the
//   last pass applies the epilogue on the way to memory.
// The register tile is by far the largest piece of code and stands once: ranges of rows, columns
// and k are run-time values, and ragged edges are left to TileStore.
// With few rows nothing would be read twice from a packed panel: the right operand is read in
// place. If then k is its minor dimension, lanes lie along k and are summed at the end.
#include "codegen/emit/TileStore.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;

namespace hloc {

/// Block of k: a packed panel of 32 floats and a tile's rows stay near the core.
static constexpr int64_t kBlockDepth = 256;
/// Columns and rows of a unit.
static constexpr int64_t kBlockColumns = 256, kBlockRows = 192;
/// Rows from which packing the right operand pays.
static constexpr int64_t kPackingRows = 9;

namespace {

class DotKernel {
public:
  DotKernel(KernelContext &context, hlo::DotOp dot)
      : context(context), b(context.b), index(context.index), dot(dot),
        lhs(dot.getLhs()), rhs(dot.getRhs()), lhsBatch(dot.getLhsBatchDims()), rhsBatch(dot.getRhsBatchDims()),
        lhsDepth(dot.getLhsContractingDims()), rhsDepth(dot.getRhsContractingDims()),
        resultType(cast<RankedTensorType>(dot.getResult().getType())) {}

  LogicalResult emit();

private:
  void analyze();
  ElementIndex lhsIndex(LaneIndex m, LaneIndex k);
  ElementIndex rhsIndex(LaneIndex k, LaneIndex n);
  ElementIndex resultIndex(LaneIndex m, LaneIndex n);
  Lanes loadLhs(LaneIndex m, LaneIndex k, Mask mask = {});
  Lanes loadRhs(LaneIndex k, LaneIndex n, Mask mask = {});

  /// Positions [start, end) of a dimension.
  struct Range {
    Value start, end;
  };
  Range makeRange(Value block, int64_t size, int64_t blockSize);
  TileStore makeStore();
  void emitUnits(function_ref<void(Range rows, Range columns)> body, int64_t blockRows, int64_t blockColumns);
  void forEachTile(Range range, int64_t size, int64_t tileSize,
                   function_ref<void(const TileSpan &, Value number)> body);
  void emitBlocked();
  /// A panel of the packed right operand.
  struct Panel {
    MemoryArray memory;
    TileSpan span;
    Value number;
  };
  void packColumns(const Panel &panel, Value within, int64_t vectors, int64_t live, Value from, Range range);
  void packSquares(const Panel &panel, Value within, int64_t live, Range range);
  void packRhs(MemoryArray packed, Range columnRange, Range depthRange);
  void packLhs(MemoryArray packed, const TileSpan &span, Range depthRange);
  SmallVector<Lanes> loadUnlessFirst(Range depthRange, ArrayRef<Lanes> zeros, function_ref<Lanes(int64_t, int64_t)> load);
  void emitStreaming();
  void emitAlongDepth();

  KernelContext &context;
  ImplicitLocOpBuilder &b;
  IndexBuilder &index;
  hlo::DotOp dot;
  Value lhs, rhs;
  SmallVector<int64_t> lhsBatch, rhsBatch, lhsDepth, rhsDepth; // dimensions
  RankedTensorType lhsType, rhsType, resultType;
  bool swapped = false;
  Type element; // of accumulators
  SmallVector<int64_t> batchSizes, rowSizes, columnSizes, depthSizes;
  SmallVector<int64_t> lhsRows, rhsColumns; // dimensions
  int64_t batches = 1, rows = 1, columns = 1, depth = 1;
  int64_t lanes = 1;
  bool depthIsMinorOfRhs = false, lhsInPlace = false;
  TileShape tile;

  LaneIndex batch;
};

} // namespace

void DotKernel::analyze() {
  auto rest = [](int64_t rank, ArrayRef<int64_t> x, ArrayRef<int64_t> y) {
    SmallVector<int64_t> left;
    for (int64_t d = 0; d < rank; ++d)
      if (!llvm::is_contained(x, d) && !llvm::is_contained(y, d))
        left.push_back(d);
    return left;
  };
  auto columnsOf = [](Value value, ArrayRef<int64_t> batch, ArrayRef<int64_t> depth) {
    int64_t product = 1;
    for (auto [d, size] : llvm::enumerate(cast<RankedTensorType>(value.getType()).getShape()))
      if (!llvm::is_contained(batch, d) && !llvm::is_contained(depth, d))
        product *= size;
    return product;
  };
  // A single column is a single row of the problem with the operands exchanged, which has the
  // large operand on the side that is streamed.
  if (columnsOf(rhs, rhsBatch, rhsDepth) == 1 && columnsOf(lhs, lhsBatch, lhsDepth) > 1) {
    swapped = true;
    std::swap(lhs, rhs);
    std::swap(lhsBatch, rhsBatch);
    std::swap(lhsDepth, rhsDepth);
  }
  lhsType = cast<RankedTensorType>(lhs.getType());
  rhsType = cast<RankedTensorType>(rhs.getType());
  lhsRows = rest(lhsType.getRank(), lhsBatch, lhsDepth);
  rhsColumns = rest(rhsType.getRank(), rhsBatch, rhsDepth);
  auto sizes = [](RankedTensorType type, ArrayRef<int64_t> dimensions, SmallVectorImpl<int64_t> &out) {
    int64_t product = 1;
    for (int64_t d : dimensions) {
      out.push_back(type.getDimSize(d));
      product *= type.getDimSize(d);
    }
    return product;
  };
  batches = sizes(lhsType, lhsBatch, batchSizes);
  rows = sizes(lhsType, lhsRows, rowSizes);
  columns = sizes(rhsType, rhsColumns, columnSizes);
  depth = sizes(lhsType, lhsDepth, depthSizes);
  element = getAccumulatorType(lhsType.getElementType(), rhsType.getElementType(), resultType.getElementType());
  depthIsMinorOfRhs = !rhsDepth.empty() && rhsDepth.back() == rhsType.getRank() - 1;
  bool plain = element.isF32() || element.isF64();
  lhsInPlace = plain && isa<BlockArgument>(lhs) && lhsType.getElementType() == element;
}

/// Puts the indices of `at`, the row-major position in `sizes`, at `dimensions` of `full`.
static void place(IndexBuilder &index, ElementIndex &full, ArrayRef<int64_t> dimensions, ArrayRef<int64_t> sizes,
                  LaneIndex at) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  ElementIndex parts = reshapeIndex(index, product, sizes, at);
  for (auto [d, part] : llvm::zip(dimensions, parts))
    full[d] = part;
}

ElementIndex DotKernel::lhsIndex(LaneIndex m, LaneIndex k) {
  ElementIndex at(lhsType.getRank());
  place(index, at, lhsBatch, batchSizes, batch);
  place(index, at, lhsRows, rowSizes, m);
  place(index, at, lhsDepth, depthSizes, k);
  return at;
}

ElementIndex DotKernel::rhsIndex(LaneIndex k, LaneIndex n) {
  ElementIndex at(rhsType.getRank());
  place(index, at, rhsBatch, batchSizes, batch);
  place(index, at, rhsColumns, columnSizes, n);
  place(index, at, rhsDepth, depthSizes, k);
  return at;
}

ElementIndex DotKernel::resultIndex(LaneIndex m, LaneIndex n) {
  ElementIndex at = reshapeIndex(index, batches, batchSizes, batch);
  ElementIndex row = reshapeIndex(index, rows, rowSizes, m), column = reshapeIndex(index, columns, columnSizes, n);
  at.append(swapped ? column : row);
  at.append(swapped ? row : column);
  return at;
}

Lanes DotKernel::loadLhs(LaneIndex m, LaneIndex k, Mask mask) {
  Lanes value = context.emitter.emit(lhs, lhsIndex(m, k), mask);
  return value.re ? emitConvertLanes(index, value, lhsType.getElementType(), element) : value;
}

Lanes DotKernel::loadRhs(LaneIndex k, LaneIndex n, Mask mask) {
  Lanes value = context.emitter.emit(rhs, rhsIndex(k, n), mask);
  return value.re ? emitConvertLanes(index, value, rhsType.getElementType(), element) : value;
}

/// Where the results of tiles of shape `tile` go.
TileStore DotKernel::makeStore() {
  return TileStore(context, dot.getResult(), element, tile,
                   [this](LaneIndex row, LaneIndex column) { return resultIndex(row, column); });
}

/// Loops over units: blocks of the result, of every batch. `body` gets the ranges of rows and
/// columns of one.
void DotKernel::emitUnits(function_ref<void(Range rows, Range columns)> body, int64_t blockRows, int64_t blockColumns) {
  int64_t rowBlocks = llvm::divideCeil(rows, blockRows), columnBlocks = llvm::divideCeil(columns, blockColumns);
  int64_t units = batches * rowBlocks * columnBlocks;
  double flopsPerCycle = lanes * 2.0;
  context.setUnits(units, 2.0 * std::min(rows, blockRows) * std::min(columns, blockColumns) * depth / flopsPerCycle);
  Value begin = units == 1 ? index.constant(0) : context.getBegin(), end = units == 1 ? index.constant(1) : context.getEnd();
  buildOuterFor(context, begin, end, 1, [&](Value unit) {
    SmallVector<int64_t> space{batches, columnBlocks, rowBlocks};
    ElementIndex at = reshapeIndex(index, units, space, index.uniform(unit));
    batch = at[0];
    body(makeRange(at[2].base, rows, blockRows), makeRange(at[1].base, columns, blockColumns));
  });
}

/// Range number `block` of `blockSize` in `size`; the last may be smaller.
DotKernel::Range DotKernel::makeRange(Value block, int64_t size, int64_t blockSize) {
  if (blockSize >= size)
    return {index.constant(0), index.constant(size)};
  Value start = b.createOrFold<arith::MulIOp>(block, index.constant(blockSize));
  Value end = b.createOrFold<arith::AddIOp>(start, index.constant(blockSize));
  return {start, size % blockSize == 0 ? end : b.createOrFold<arith::MinSIOp>(end, index.constant(size))};
}

//===-- Blocks of packed panels ----------------------------------------------------------------===//

/// Packs, for the k from `from` (relative to `range`) on, `vectors` vectors of the panel `number`,
/// which begin `within` it and of which `live` columns exist.
void DotKernel::packColumns(const Panel &panel, Value within, int64_t vectors, int64_t live, Value from, Range range) {
  Value column = b.createOrFold<arith::AddIOp>(panel.span.start, within);
  Value count = b.createOrFold<arith::SubIOp>(range.end, range.start);
  buildFor(context, from, count, 1, {}, [&](Value k, ValueRange) {
    Value at = b.createOrFold<arith::AddIOp>(range.start, k);
    for (int64_t v = 0; v < vectors; ++v) {
      Mask mask = firstLanes(index, live - v * lanes);
      LaneIndex n = index.add(index.consecutive(column, std::gcd(panel.span.multiple, lanes)), v * lanes);
      Lanes value = loadRhs(index.uniform(at), n, mask);
      if (!value.re)
        break;
      value = broadcastLanes(index, value);
      if (mask)
        value = emitSelect(index, mask.lanes, value, emitZero(index, element));
      LaneIndex to = index.add(index.consecutive(within, lanes), v * lanes);
      storeElements(index, panel.memory, {index.uniform(panel.number), index.uniform(k), to}, value, {});
    }
    return SmallVector<Value>();
  });
}

/// The same for one vector, whose k are read in vectors too and transposed.
void DotKernel::packSquares(const Panel &panel, Value within, int64_t live, Range range) {
  Value column = b.createOrFold<arith::AddIOp>(panel.span.start, within);
  Value count = b.createOrFold<arith::SubIOp>(range.end, range.start);
  Value rest = b.createOrFold<arith::RemUIOp>(count, index.constant(lanes));
  Value whole = b.createOrFold<arith::SubIOp>(count, rest);
  buildFor(context, index.constant(0), whole, lanes, {}, [&](Value k, ValueRange) {
    Value start = b.createOrFold<arith::AddIOp>(range.start, k);
    SmallVector<Value> square;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Lanes row{};
      if (lane < live)
        row = loadRhs(index.consecutive(start, lanes), index.add(index.uniform(column), lane), {});
      square.push_back(row.re ? broadcastLanes(index, row).re : emitZero(index, element).re);
    }
    for (auto [lane, row] : llvm::enumerate(transposeSquare(b, square)))
      storeElements(index, panel.memory, {index.uniform(panel.number), index.add(index.uniform(k), lane), index.consecutive(within, lanes)},
                    {row, {}}, {});
    return SmallVector<Value>();
  });
  if (depth % lanes != 0)
    packColumns(panel, within, 1, live, whole, range);
}

/// Packs the block of the right operand, in panels [panel][k][column within the panel].
void DotKernel::packRhs(MemoryArray packed, Range columnRange, Range depthRange) {
  int64_t width = tile.vectors * lanes;
  forEachTile(columnRange, columns, width, [&](const TileSpan &span, Value number) {
    Panel panel{packed, span, number};
    bool bySquares = depthIsMinorOfRhs && !isa<ComplexType>(element) && lanes > 1;
    if (isa<BlockArgument>(rhs) && !bySquares)
      return packColumns(panel, index.constant(0), tile.vectors, span.live, index.constant(0), depthRange);
    // A vector at a time: the code of squares and prologues is too long for copies.
    auto packVector = [&](Value v, int64_t live) {
      Value within = b.createOrFold<arith::MulIOp>(v, index.constant(lanes));
      if (bySquares)
        packSquares(panel, within, live, depthRange);
      else
        packColumns(panel, within, 1, live, index.constant(0), depthRange);
      return SmallVector<Value>();
    };
    int64_t whole = std::min(width, span.live) / lanes;
    buildFor(context, index.constant(0), index.constant(whole), 1, {}, [&](Value v, ValueRange) { return packVector(v, lanes); });
    if (whole < tile.vectors)
      packVector(index.constant(whole), span.live - whole * lanes);
  });
}

/// Packs a tile's rows of the left operand as [row][k].
void DotKernel::packLhs(MemoryArray packed, const TileSpan &span, Range depthRange) {
  Value count = b.createOrFold<arith::SubIOp>(depthRange.end, depthRange.start);
  buildNest(context, tile.rows, {}, [&](ArrayRef<LaneIndex> row, ValueRange) {
    return buildFor(context, index.constant(0), count, lanes, {}, [&](Value k, ValueRange) {
      LaneIndex at = index.consecutive(b.createOrFold<arith::AddIOp>(depthRange.start, k), lanes);
      Mask mask = depth % lanes == 0 ? Mask{} : index.inRange(at, INT64_MIN, depth);
      Lanes value = loadLhs(index.add(index.uniform(span.start, span.multiple), row[0]), at, mask);
      if (value.re)
        storeElements(index, packed, {row[0], index.consecutive(k, lanes)}, value, {});
      return SmallVector<Value>();
    });
  });
}

/// Loops over the tiles of `range`, which starts with a whole one; `number` counts them.
void DotKernel::forEachTile(Range range, int64_t size, int64_t tileSize,
                            function_ref<void(const TileSpan &, Value number)> body) {
  buildOuterFor(context, range.start, range.end, tileSize, [&](Value nominal) {
    Value number = b.createOrFold<arith::DivUIOp>(b.createOrFold<arith::SubIOp>(nominal, range.start), index.constant(tileSize));
    body(makeTileSpan(index, nominal, size, tileSize), number);
  });
}

void DotKernel::emitBlocked() {
  int64_t blockColumns = std::min(columns, kBlockColumns), blockRows = std::min(rows, kBlockRows);
  // Blocks are whole tiles.
  tile = chooseTile(context.target, element, lanes, blockRows, blockColumns);
  int64_t width = tile.vectors * lanes;
  if (blockColumns < columns)
    blockColumns = std::max(width, blockColumns / width * width);
  if (blockRows < rows)
    blockRows = std::max(tile.rows, blockRows / tile.rows * tile.rows);
  int64_t panelCount = llvm::divideCeil(blockColumns, width), bytes = getStorageBits(element) / 8;
  int64_t blockDepth = std::min<int64_t>(llvm::alignTo(depth, lanes), kBlockDepth);
  auto allocate = [&](ArrayRef<int64_t> sizes) {
    Value memory = context.allocateOnStack(ShapedType::getNumElements(sizes) * bytes);
    return MemoryArray{memory, RankedTensorType::get(sizes, element)};
  };
  MemoryArray panels = allocate({panelCount, blockDepth, width}), packedRows, partial;
  if (!lhsInPlace)
    packedRows = allocate({tile.rows, blockDepth});
  bool severalBlocks = depth > kBlockDepth;
  if (severalBlocks)
    partial = allocate({int64_t(llvm::divideCeil(blockRows, tile.rows)), panelCount, tile.rows, width});
  TileStore store = makeStore();

  emitUnits([&](Range rowRange, Range columnRange) {
    buildOuterFor(context, index.constant(0), index.constant(depth), kBlockDepth, [&](Value depthStart) {
      Range depthRange = makeRange(b.createOrFold<arith::DivUIOp>(depthStart, index.constant(kBlockDepth)), depth, kBlockDepth);
      packRhs(panels, columnRange, depthRange);
      forEachTile(rowRange, rows, tile.rows, [&](const TileSpan &rowSpan, Value rowTile) {
        if (!lhsInPlace)
          packLhs(packedRows, rowSpan, depthRange);
        forEachTile(columnRange, columns, width, [&](const TileSpan &columnSpan, Value panel) {
          auto partialAt = [&](int64_t r, int64_t v) {
            LaneIndex n = index.add(index.consecutive(index.constant(0), lanes), v * lanes);
            return ElementIndex{index.uniform(rowTile), index.uniform(panel), index.uniform(r), n};
          };
          SmallVector<Lanes> sums(tile.rows * tile.vectors, emitZero(index, element));
          if (severalBlocks)
            sums = loadUnlessFirst(depthRange, sums, [&](int64_t r, int64_t v) { return loadElements(index, partial, partialAt(r, v), {}); });
          sums = buildTile(
              context, tile, element, index.constant(0), b.createOrFold<arith::SubIOp>(depthRange.end, depthRange.start), sums,
              [&](int64_t r, Value k) {
                if (!lhsInPlace)
                  return loadElements(index, packedRows, {index.uniform(r), index.uniform(k)}, {});
                Value at = b.createOrFold<arith::AddIOp>(depthRange.start, k);
                return loadLhs(index.add(index.uniform(rowSpan.start, rowSpan.multiple), r), index.uniform(at));
              },
              [&](int64_t v, Value k) {
                LaneIndex n = index.add(index.consecutive(index.constant(0), lanes), v * lanes);
                return loadElements(index, panels, {index.uniform(panel), index.uniform(k), n}, {});
              });
          if (context.emitter.hasFailed())
            return;
          if (!severalBlocks)
            return store.finish(sums, rowSpan, columnSpan);
          Value isLast = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, depthRange.end, index.constant(depth));
          auto branch = scf::IfOp::create(b, isLast, /*withElseRegion=*/true);
          OpBuilder::InsertionGuard guard(b);
          ElementEmitter::Scope scope(context.emitter);
          b.setInsertionPointToStart(branch.thenBlock());
          store.finish(sums, rowSpan, columnSpan);
          b.setInsertionPointToStart(branch.elseBlock());
          for (int64_t r = 0; r < tile.rows; ++r)
            for (int64_t v = 0; v < tile.vectors; ++v)
              storeElements(index, partial, partialAt(r, v), sums[r * tile.vectors + v], {});
        });
      });
    });
  }, blockRows, blockColumns);
}

/// The sums that `load` reads, or `zeros` in the first block of k.
SmallVector<Lanes> DotKernel::loadUnlessFirst(Range depthRange, ArrayRef<Lanes> zeros,
                                              function_ref<Lanes(int64_t, int64_t)> load) {
  Value isFirst = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, depthRange.start, index.constant(0));
  bool complex = isa<ComplexType>(element);
  auto flatten = [&](ArrayRef<Lanes> sums) {
    SmallVector<Value> flat;
    for (Lanes sum : sums) {
      flat.push_back(sum.re);
      if (complex)
        flat.push_back(sum.im);
    }
    return flat;
  };
  SmallVector<Value> flatZeros = flatten(zeros);
  auto branch = scf::IfOp::create(b, ValueRange(flatZeros).getTypes(), isFirst, true, true);
  OpBuilder::InsertionGuard guard(b);
  ElementEmitter::Scope scope(context.emitter);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, flatZeros);
  b.setInsertionPointToStart(branch.elseBlock());
  SmallVector<Lanes> loaded;
  for (int64_t r = 0; r < tile.rows; ++r)
    for (int64_t v = 0; v < tile.vectors; ++v)
      loaded.push_back(load(r, v));
  scf::YieldOp::create(b, flatten(loaded));
  SmallVector<Lanes> result;
  for (size_t i = 0; i < zeros.size(); ++i)
    result.push_back(complex ? Lanes{branch.getResult(2 * i), branch.getResult(2 * i + 1)} : Lanes{branch.getResult(i), {}});
  return result;
}

//===-- Few rows -------------------------------------------------------------------------------===//

/// Reads the right operand in place, lanes along columns.
void DotKernel::emitStreaming() {
  tile = chooseTile(context.target, element, lanes, rows, columns);
  int64_t width = tile.vectors * lanes;
  TileStore store = makeStore();
  emitUnits([&](Range rowRange, Range columnRange) {
    TileSpan rowSpan = makeTileSpan(index, rowRange.start, rows, tile.rows);
    TileSpan columnSpan = makeTileSpan(index, columnRange.start, columns, width);
    SmallVector<Lanes> sums(tile.rows * tile.vectors, emitZero(index, element));
    sums = buildTile(
        context, tile, element, index.constant(0), index.constant(depth), sums,
        [&](int64_t r, Value k) { return loadLhs(index.add(index.uniform(rowSpan.start, rowSpan.multiple), r), index.uniform(k)); },
        [&](int64_t v, Value k) {
          LaneIndex n = index.add(index.consecutive(columnSpan.start, columnSpan.multiple), v * lanes);
          Lanes value = loadRhs(index.uniform(k), n, firstLanes(index, columnSpan.live - v * lanes));
          return value.re ? broadcastLanes(index, value) : value;
        });
    if (!context.emitter.hasFailed())
      store.finish(sums, rowSpan, columnSpan);
  }, tile.rows, width);
}

/// Lanes along k; each result is a sum over lanes.
void DotKernel::emitAlongDepth() {
  tile = {std::min<int64_t>(rows, columns == 1 ? 4 : 2), std::min<int64_t>(columns, 4)};
  int64_t count = tile.rows * tile.vectors;
  bool complex = isa<ComplexType>(element);
  TileStore store = makeStore();
  emitUnits([&](Range rowRange, Range columnRange) {
    TileSpan rowSpan = makeTileSpan(index, rowRange.start, rows, tile.rows);
    TileSpan columnSpan = makeTileSpan(index, columnRange.start, columns, tile.vectors);
    SmallVector<Value> zeros;
    for (int64_t i = 0; i < count; ++i) {
      Lanes zero = emitZero(index, element);
      zeros.push_back(zero.re);
      if (complex)
        zeros.push_back(zero.im);
    }
    auto get = [&](ValueRange flat, int64_t i) { return complex ? Lanes{flat[2 * i], flat[2 * i + 1]} : Lanes{flat[i], {}}; };
    SmallVector<Value> sums = buildLanes(context, depth, zeros, [&](LaneIndex k, Mask mask, ValueRange now) {
      SmallVector<Value> next;
      SmallVector<Lanes> left, right;
      Lanes zero = emitZero(index, element);
      auto masked = [&](Lanes value) {
        if (!value.re)
          return value;
        value = broadcastLanes(index, value);
        return mask ? emitSelect(index, mask.lanes, value, zero) : value;
      };
      for (int64_t r = 0; r < tile.rows; ++r)
        left.push_back(masked(loadLhs(index.add(index.uniform(rowSpan.start), r), k, mask)));
      for (int64_t c = 0; c < tile.vectors; ++c)
        right.push_back(masked(loadRhs(k, index.add(index.uniform(columnSpan.start), c), mask)));
      for (int64_t i = 0; i < count; ++i) {
        if (context.emitter.hasFailed())
          return SmallVector<Value>(now);
        Lanes sum = emitMultiplyAdd(index, element, left[i / tile.vectors], right[i % tile.vectors], get(now, i));
        next.push_back(sum.re);
        if (complex)
          next.push_back(sum.im);
      }
      return next;
    });
    if (context.emitter.hasFailed())
      return;
    SmallVector<Lanes> totals;
    auto total = [&](Value vector) -> Value {
      if (!vector || !isa<VectorType>(vector.getType()))
        return vector;
      auto kind = element.isInteger(1) ? vector::CombiningKind::OR : vector::CombiningKind::ADD;
      return vector::ReductionOp::create(b, kind, vector);
    };
    for (int64_t i = 0; i < count; ++i)
      totals.push_back({total(get(sums, i).re), total(get(sums, i).im)});
    int64_t wide = index.getLanes();
    index.setLanes(1);
    store.finish(totals, rowSpan, columnSpan);
    index.setLanes(wide);
  }, tile.rows, tile.vectors);
}

LogicalResult DotKernel::emit() {
  analyze();
  if (batches * rows * columns == 0) {
    context.schedule.units = 0;
    return success();
  }
  Type part = isa<ComplexType>(element) ? cast<ComplexType>(element).getElementType() : element;
  lanes = context.target.getLanes(std::max<int64_t>(part.getIntOrFloatBitWidth(), 8));
  bool fewRows = rows < kPackingRows;
  bool alongDepth = depthIsMinorOfRhs && (columns == 1 || fewRows);
  int64_t along = alongDepth ? depth : columns;
  while (lanes > 1 && lanes / 2 >= along)
    lanes /= 2;
  index.setLanes(lanes);
  if (alongDepth && depth > 0)
    emitAlongDepth();
  else if (fewRows || depth == 0)
    emitStreaming();
  else
    emitBlocked();
  return success();
}

LogicalResult emitDotKernel(KernelContext &context) {
  hlo::DotOp dot;
  int count = 0;
  for (auto op : context.getBody().getOps<hlo::DotOp>()) {
    dot = op;
    ++count;
  }
  if (count != 1)
    return context.kernel.emitError("expected a dot kernel to hold one dot");
  return DotKernel(context, dot).emit();
}

} // namespace hloc
