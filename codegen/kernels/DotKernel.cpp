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
// With few rows nothing would be read twice from a packed panel: the right operand is read in
// place. If then k is its minor dimension, lanes lie along k and are summed at the end.
#include "codegen/emit/RegisterTile.h"

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

  void emitUnits(function_ref<void(Value rowStart, int64_t rows, Value columnStart, int64_t columns)> body,
                 int64_t blockRows, int64_t blockColumns);
  void emitBlocked();
  void emitBlock(Value rowStart, int64_t rows, Value columnStart, int64_t columns);
  void emitBlockDepth(Value rowStart, int64_t rows, Value columnStart, int64_t columns, Value depthStart, int64_t depth,
                      bool first, bool last);
  void packRhs(Value columnStart, int64_t columns, Value depthStart, int64_t depth);
  bool packsBySquares();
  void packLhs(Value rowStart, int64_t rows, Value depthStart, int64_t depth);
  void emitStreaming();
  void emitAlongDepth();
  void finish(ArrayRef<Lanes> sums, TileShape tile, LaneIndex row, Value column, int64_t columns);

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
  Value panels, lhsTile, partial; // buffers on the stack
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

/// Gives the finished sums of a tile to the epilogue and stores the results.
void DotKernel::finish(ArrayRef<Lanes> sums, TileShape tile, LaneIndex row, Value column, int64_t columnsLeft) {
  for (int64_t r = 0; r < tile.rows; ++r)
    for (int64_t v = 0; v < tile.vectors; ++v) {
      int64_t left = columnsLeft - v * index.getLanes();
      if (left <= 0)
        continue;
      ElementEmitter::Scope scope(context.emitter);
      Lanes sum = emitConvertLanes(index, sums[r * tile.vectors + v], element, resultType.getElementType());
      context.emitter.bind(dot.getResult(), [sum](ArrayRef<LaneIndex>, Mask) { return sum; });
      LaneIndex n = index.add(index.consecutive(column, index.getLanes()), v * index.getLanes());
      ElementIndex at = resultIndex(index.add(row, r), n);
      Mask mask = firstLanes(index, left);
      SmallVector<Lanes> values;
      SmallVector<ElementIndex> places;
      for (Value result : context.getReturn().getOperands()) {
        auto shape = cast<RankedTensorType>(result.getType()).getShape();
        places.push_back(shape == resultType.getShape() ? at : reshapeIndex(index, resultType.getShape(), shape, at));
        values.push_back(context.emitter.emit(result, places.back(), mask));
      }
      if (context.emitter.hasFailed())
        return;
      for (auto [i, value] : llvm::enumerate(values))
        storeElements(index, context.getOutput(i), places[i], value, mask);
    }
}

/// Loops over units: blocks of the result, of every batch.
void DotKernel::emitUnits(function_ref<void(Value, int64_t, Value, int64_t)> body, int64_t blockRows, int64_t blockColumns) {
  int64_t rowBlocks = (rows + blockRows - 1) / blockRows, columnBlocks = (columns + blockColumns - 1) / blockColumns;
  int64_t units = batches * rowBlocks * columnBlocks;
  double flopsPerCycle = lanes * 2.0;
  context.setUnits(units, 2.0 * std::min(rows, blockRows) * std::min(columns, blockColumns) * depth / flopsPerCycle);
  Value begin = units == 1 ? index.constant(0) : context.getBegin(), end = units == 1 ? index.constant(1) : context.getEnd();
  buildFor(context, begin, end, 1, {}, [&](Value unit, ValueRange) {
    SmallVector<int64_t> space{batches, columnBlocks, rowBlocks};
    ElementIndex at = reshapeIndex(index, units, space, index.uniform(unit));
    batch = at[0];
    Value columnBlock = at[1].base, rowBlock = at[2].base;
    Value rowStart = b.createOrFold<arith::MulIOp>(rowBlock, index.constant(blockRows));
    Value columnStart = b.createOrFold<arith::MulIOp>(columnBlock, index.constant(blockColumns));
    // The last block of a dimension may be smaller: its code is another.
    auto split = [&](Value block, int64_t blocks, int64_t size, int64_t blockSize, function_ref<void(int64_t)> make) {
      int64_t ragged = size - (blocks - 1) * blockSize;
      if (ragged == blockSize || blocks == 1)
        return make(ragged);
      Value isLast = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, block, index.constant(blocks - 1));
      auto branch = scf::IfOp::create(b, isLast, /*withElseRegion=*/true);
      for (auto [inside, count] : {std::pair(branch.thenBlock(), ragged), std::pair(branch.elseBlock(), blockSize)}) {
        OpBuilder::InsertionGuard guard(b);
        ElementEmitter::Scope scope(context.emitter);
        b.setInsertionPointToStart(inside);
        make(count);
      }
    };
    split(rowBlock, rowBlocks, rows, blockRows, [&](int64_t rowsHere) {
      split(columnBlock, columnBlocks, columns, blockColumns,
            [&](int64_t columnsHere) { body(rowStart, rowsHere, columnStart, columnsHere); });
    });
    return SmallVector<Value>();
  });
}

//===-- Blocks of packed panels ----------------------------------------------------------------===//

/// Whether the right operand's block is read in squares that are transposed in registers.
bool DotKernel::packsBySquares() { return depthIsMinorOfRhs && !isa<ComplexType>(element) && lanes > 1; }

/// Packs rhs[depthStart.., columnStart..] as [panel][k][column within the panel], zero past the end.
void DotKernel::packRhs(Value columnStart, int64_t columnsHere, Value depthStart, int64_t depthHere) {
  int64_t width = tile.vectors * lanes, panelCount = (columnsHere + width - 1) / width;
  MemoryArray packed{panels, RankedTensorType::get({panelCount, depthHere, width}, element)};
  auto storePacked = [&](Value panel, LaneIndex k, Value within, Lanes value) {
    storeElements(index, packed, {index.uniform(panel), k, index.consecutive(within, lanes)}, value, {});
  };
  // Vectors of columns, numbered through all panels.
  int64_t vectorCount = panelCount * tile.vectors, whole = columnsHere / lanes;
  auto packVectors = [&](Value lower, Value upper, int64_t live) {
    buildFor(context, lower, upper, 1, {}, [&](Value vector, ValueRange) {
      Value panel = b.createOrFold<arith::DivUIOp>(vector, index.constant(tile.vectors));
      Value within = b.createOrFold<arith::MulIOp>(b.createOrFold<arith::RemUIOp>(vector, index.constant(tile.vectors)), index.constant(lanes));
      Value column = b.createOrFold<arith::AddIOp>(columnStart, b.createOrFold<arith::MulIOp>(vector, index.constant(lanes)));
      Mask mask = firstLanes(index, live);
      if (live == 0) {
        buildFor(context, index.constant(0), index.constant(depthHere), 1, {}, [&](Value k, ValueRange) {
          storePacked(panel, index.uniform(k), within, emitZero(index, element));
          return SmallVector<Value>();
        });
        return SmallVector<Value>();
      }
      int64_t squares = packsBySquares() ? depthHere / lanes * lanes : 0;
      buildFor(context, index.constant(0), index.constant(squares), lanes, {}, [&](Value k, ValueRange) {
        SmallVector<Value> square;
        for (int64_t lane = 0; lane < lanes; ++lane) {
          Value start = b.createOrFold<arith::AddIOp>(depthStart, k);
          if (lane >= live) {
            square.push_back(emitZero(index, element).re);
            continue;
          }
          Lanes row = loadRhs(index.consecutive(start, lanes), index.add(index.uniform(column), lane));
          square.push_back(row.re ? broadcastLanes(index, row).re : emitZero(index, element).re);
        }
        for (auto [lane, row] : llvm::enumerate(transposeSquare(b, square)))
          storePacked(panel, index.add(index.uniform(k), lane), within, {row, {}});
        return SmallVector<Value>();
      });
      buildFor(context, index.constant(squares), index.constant(depthHere), 1, {}, [&](Value k, ValueRange) {
        Value at = b.createOrFold<arith::AddIOp>(depthStart, k);
        Lanes value = loadRhs(index.uniform(at), index.consecutive(column, lanes), mask);
        if (!value.re)
          return SmallVector<Value>();
        value = broadcastLanes(index, value);
        if (mask)
          value = emitSelect(index, mask.lanes, value, emitZero(index, element));
        storePacked(panel, index.uniform(k), within, value);
        return SmallVector<Value>();
      });
      return SmallVector<Value>();
    });
  };
  packVectors(index.constant(0), index.constant(whole), lanes);
  if (columnsHere % lanes)
    packVectors(index.constant(whole), index.constant(whole + 1), columnsHere % lanes);
  int64_t used = (columnsHere + lanes - 1) / lanes;
  if (used < vectorCount)
    packVectors(index.constant(used), index.constant(vectorCount), 0);
}

/// Packs `rowsHere` rows of the left operand as [row][k].
void DotKernel::packLhs(Value rowStart, int64_t rowsHere, Value depthStart, int64_t depthHere) {
  MemoryArray packed{lhsTile, RankedTensorType::get({tile.rows, depthHere}, element)};
  buildNest(context, rowsHere, {}, [&](ArrayRef<LaneIndex> row, ValueRange) {
    return buildLanes(context, depthHere, {}, [&](LaneIndex k, Mask mask, ValueRange) {
      Lanes value = loadLhs(index.add(index.uniform(rowStart), row[0]), index.add(index.uniform(depthStart), k), mask);
      if (value.re)
        storeElements(index, packed, {row[0], k}, value, mask);
      return SmallVector<Value>();
    });
  });
}

void DotKernel::emitBlockDepth(Value rowStart, int64_t rowsHere, Value columnStart, int64_t columnsHere, Value depthStart,
                               int64_t depthHere, bool first, bool last) {
  packRhs(columnStart, columnsHere, depthStart, depthHere);
  int64_t width = tile.vectors * lanes, panelCount = (columnsHere + width - 1) / width;
  MemoryArray packed{panels, RankedTensorType::get({panelCount, depthHere, width}, element)};
  MemoryArray packedRows{lhsTile, RankedTensorType::get({tile.rows, depthHere}, element)};
  MemoryArray sumsSoFar{partial, RankedTensorType::get({rowsHere, panelCount * width}, element)};

  auto emitTiles = [&](Value row, int64_t height) {
    Value globalRow = b.createOrFold<arith::AddIOp>(rowStart, row);
    if (!lhsInPlace)
      packLhs(globalRow, height, depthStart, depthHere);
    auto emitTile = [&](Value panel, int64_t columnsLeft) {
      TileShape shape{height, std::min(tile.vectors, (columnsLeft + lanes - 1) / lanes)};
      Value column = b.createOrFold<arith::MulIOp>(panel, index.constant(width));
      auto partialAt = [&](int64_t r, int64_t v) {
        LaneIndex n = index.add(index.consecutive(column, lanes), v * lanes);
        return ElementIndex{index.add(index.uniform(row), r), n};
      };
      SmallVector<Lanes> sums;
      for (int64_t r = 0; r < height; ++r)
        for (int64_t v = 0; v < shape.vectors; ++v)
          sums.push_back(first ? emitZero(index, element) : loadElements(index, sumsSoFar, partialAt(r, v), {}));
      sums = buildTile(
          context, shape, element, index.constant(0), index.constant(depthHere), sums,
          [&](int64_t r, Value k) {
            if (!lhsInPlace)
              return loadElements(index, packedRows, {index.uniform(r), index.uniform(k)}, {});
            Value at = b.createOrFold<arith::AddIOp>(depthStart, k);
            return loadLhs(index.add(index.uniform(globalRow), r), index.uniform(at));
          },
          [&](int64_t v, Value k) {
            LaneIndex n = index.add(index.consecutive(index.constant(0), lanes), v * lanes);
            return loadElements(index, packed, {index.uniform(panel), index.uniform(k), n}, {});
          });
      if (context.emitter.hasFailed())
        return;
      if (last) {
        Value globalColumn = b.createOrFold<arith::AddIOp>(columnStart, column);
        return finish(sums, shape, index.uniform(globalRow), globalColumn, columnsLeft);
      }
      for (int64_t r = 0; r < height; ++r)
        for (int64_t v = 0; v < shape.vectors; ++v)
          storeElements(index, sumsSoFar, partialAt(r, v), sums[r * shape.vectors + v], {});
    };
    int64_t wholePanels = columnsHere / width;
    buildFor(context, index.constant(0), index.constant(wholePanels), 1, {}, [&](Value panel, ValueRange) {
      emitTile(panel, width);
      return SmallVector<Value>();
    });
    if (columnsHere % width)
      emitTile(index.constant(wholePanels), columnsHere % width);
  };
  int64_t wholeRows = rowsHere / tile.rows * tile.rows;
  buildFor(context, index.constant(0), index.constant(wholeRows), tile.rows, {}, [&](Value row, ValueRange) {
    emitTiles(row, tile.rows);
    return SmallVector<Value>();
  });
  if (wholeRows < rowsHere)
    emitTiles(index.constant(wholeRows), rowsHere - wholeRows);
}

void DotKernel::emitBlock(Value rowStart, int64_t rowsHere, Value columnStart, int64_t columnsHere) {
  int64_t blocks = std::max<int64_t>(1, (depth + kBlockDepth - 1) / kBlockDepth);
  if (blocks == 1)
    return emitBlockDepth(rowStart, rowsHere, columnStart, columnsHere, index.constant(0), depth, true, true);
  emitBlockDepth(rowStart, rowsHere, columnStart, columnsHere, index.constant(0), kBlockDepth, true, false);
  int64_t lastStart = (blocks - 1) * kBlockDepth;
  buildFor(context, index.constant(kBlockDepth), index.constant(lastStart), kBlockDepth, {}, [&](Value start, ValueRange) {
    emitBlockDepth(rowStart, rowsHere, columnStart, columnsHere, start, kBlockDepth, false, false);
    return SmallVector<Value>();
  });
  emitBlockDepth(rowStart, rowsHere, columnStart, columnsHere, index.constant(lastStart), depth - lastStart, false, true);
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
  int64_t padded = (blockColumns + width - 1) / width * width, bytes = getStorageBits(element) / 8;
  int64_t depthHere = std::min(depth, kBlockDepth);
  panels = context.allocateOnStack(padded * depthHere * bytes);
  if (!lhsInPlace)
    lhsTile = context.allocateOnStack(tile.rows * depthHere * bytes);
  if (depth > kBlockDepth)
    partial = context.allocateOnStack(blockRows * padded * bytes);
  emitUnits([&](Value rowStart, int64_t rowsHere, Value columnStart, int64_t columnsHere) {
    emitBlock(rowStart, rowsHere, columnStart, columnsHere);
  }, blockRows, blockColumns);
}

//===-- Few rows -------------------------------------------------------------------------------===//

/// Reads the right operand in place, lanes along columns.
void DotKernel::emitStreaming() {
  tile = chooseTile(context.target, element, lanes, rows, columns);
  int64_t width = tile.vectors * lanes;
  emitUnits([&](Value rowStart, int64_t rowsHere, Value columnStart, int64_t columnsHere) {
    TileShape shape{rowsHere, std::min(tile.vectors, (columnsHere + lanes - 1) / lanes)};
    SmallVector<Lanes> sums(shape.rows * shape.vectors, emitZero(index, element));
    sums = buildTile(
        context, shape, element, index.constant(0), index.constant(depth), sums,
        [&](int64_t r, Value k) { return loadLhs(index.add(index.uniform(rowStart), r), index.uniform(k)); },
        [&](int64_t v, Value k) {
          LaneIndex n = index.add(index.consecutive(columnStart, lanes), v * lanes);
          Lanes value = loadRhs(index.uniform(k), n, firstLanes(index, columnsHere - v * lanes));
          return value.re ? broadcastLanes(index, value) : value;
        });
    if (!context.emitter.hasFailed())
      finish(sums, shape, index.uniform(rowStart), columnStart, columnsHere);
  }, tile.rows, width);
}

/// Lanes along k; each result is a sum over lanes.
void DotKernel::emitAlongDepth() {
  int64_t perUnit = std::min<int64_t>(columns, 4), rowsPerUnit = std::min<int64_t>(rows, columns == 1 ? 4 : 2);
  emitUnits([&](Value rowStart, int64_t rowsHere, Value columnStart, int64_t columnsHere) {
    int64_t count = rowsHere * columnsHere;
    bool complex = isa<ComplexType>(element);
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
      for (int64_t r = 0; r < rowsHere; ++r)
        left.push_back(masked(loadLhs(index.add(index.uniform(rowStart), r), k, mask)));
      for (int64_t c = 0; c < columnsHere; ++c)
        right.push_back(masked(loadRhs(k, index.add(index.uniform(columnStart), c), mask)));
      for (int64_t i = 0; i < count; ++i) {
        if (context.emitter.hasFailed())
          return SmallVector<Value>(now);
        Lanes sum = emitMultiplyAdd(index, element, left[i / columnsHere], right[i % columnsHere], get(now, i));
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
    finish(totals, {rowsHere, columnsHere}, index.uniform(rowStart), columnStart, columnsHere);
    index.setLanes(wide);
  }, rowsPerUnit, perUnit);
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
