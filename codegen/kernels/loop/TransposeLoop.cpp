// SPDX-License-Identifier: Apache-2.0
// Loop kernels in tiles, for results whose minor dimension is not the one along which an operand is
// contiguous. Such a kernel iterates over square tiles of these two dimensions. A tile's operand is
// computed row by row with lanes along its own minor dimension, then transposed in registers, so
// that each cache line is read once and completely. If the results' rows are short, tiles go
// through several rows before they move on, so that each cache line is written completely, too.
// Test: test/codegen/transposes.hlo.
#include "codegen/emit/MovedIndex.h"
#include "codegen/kernels/loop/TransposedTile.h"

using namespace mlir;

namespace hloc {

namespace {

class TransposeLoop : TransposedSpace {
public:
  explicit TransposeLoop(KernelContext &context)
      : TransposedSpace(context), context(context), b(context.b), index(context.index),
        tile(context.chosen.getLanes()),
        rows(context.chosen.getBlock().empty() ? 1 : context.chosen.getBlock()[0]),
        width(tile * (context.chosen.getTile().empty() ? 1 : context.chosen.getTile()[1])),
        transposes(problem.transposes) {}

  void emit() {
    index.setLanes(tile);
    int64_t blocks = llvm::divideCeil(shape[across], width);
    // Units are blocks of positions in all other dimensions, with `rows` positions of the last.
    SmallVector<int64_t> unitSizes = getOuterSizes();
    int64_t allRows = problem.countRowsOfTiles();
    if (rows > 1)
      unitSizes.back() = llvm::divideCeil(allRows, rows);
    int64_t outerCount = ShapedType::getNumElements(unitSizes), units = outerCount * blocks;
    context.setUnits(units);
    Value begin = units == 1 ? index.constant(0) : context.getBegin();
    Value end = units == 1 ? index.constant(1) : context.getEnd();
    buildFor(context, begin, end, 1, {}, [&](Value unit, ValueRange) {
      Value block = b.createOrFold<arith::RemUIOp>(unit, index.constant(blocks));
      Value outer = b.createOrFold<arith::DivUIOp>(unit, index.constant(blocks));
      outerAt = reshapeIndex(index, outerCount, unitSizes, index.uniform(outer));
      if (rows == 1) {
        emitBlock(block, blocks);
        return SmallVector<Value>();
      }
      Value first = index.multiply(outerAt.back(), rows).base,
            last = b.createOrFold<arith::AddIOp>(first, index.constant(rows));
      if (allRows % rows != 0)
        last = b.createOrFold<arith::MinSIOp>(last, index.constant(allRows));
      buildFor(context, first, last, 1, {}, [&](Value row, ValueRange) {
        outerAt.back() = index.uniform(row);
        emitBlock(block, blocks);
        return SmallVector<Value>();
      });
      return SmallVector<Value>();
    });
  }

private:
  /// `width` positions of the dimension `across`, and all of the minor one. The last block may have
  /// fewer.
  void emitBlock(Value block, int64_t blocks) {
    Value first = b.createOrFold<arith::MulIOp>(block, index.constant(width));
    int64_t rest = shape[across] % width;
    if (rest == 0)
      return emitTiles(first, width);
    Value isWhole =
        b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, block, index.constant(blocks - 1));
    auto branch = scf::IfOp::create(b, isWhole, /*withElseRegion=*/true);
    for (auto [region, count] :
         {std::pair(branch.thenBlock(), width), std::pair(branch.elseBlock(), rest)}) {
      OpBuilder::InsertionGuard guard(b);
      ElementEmitter::Scope scope(context.emitter);
      b.setInsertionPointToStart(region);
      emitTiles(first, count);
    }
  }

  void emitTiles(Value first, int64_t count) {
    int64_t whole = llvm::alignDown(shape[minor], tile);
    buildFor(context, index.constant(0), index.constant(whole), tile, {}, [&](Value i, ValueRange) {
      emitTilesAt(i, tile, first, count);
      return SmallVector<Value>();
    });
    if (whole < shape[minor])
      emitTilesAt(index.constant(whole), shape[minor] - whole, first, count);
  }

  /// Tiles next to each other: `count` positions of the dimension `across`.
  void emitTilesAt(Value column, int64_t columns, Value first, int64_t count) {
    int64_t whole = llvm::alignDown(count, tile);
    buildFor(context, index.constant(0), index.constant(whole), tile, {}, [&](Value i, ValueRange) {
      emitTile(b.createOrFold<arith::AddIOp>(first, i), tile, column, columns);
      return SmallVector<Value>();
    });
    if (whole < count)
      emitTile(b.createOrFold<arith::AddIOp>(first, index.constant(whole)), count - whole, column,
               columns);
  }

  /// `rows` by `columns` elements of the results, beginning at (row, column).
  void emitTile(Value row, int64_t rows, Value column, int64_t columns) {
    auto plus = [&](Value base, int64_t offset) { return index.add(index.uniform(base), offset); };
    Mask rowMask = firstLanes(index, rows), columnMask = firstLanes(index, columns);
    SmallVector<SmallVector<VectorValue>> transposed;
    for (hlo::TransposeOp op : transposes) {
      SmallVector<VectorValue> lines;
      for (int64_t i = 0; i < tile; ++i) {
        if (i >= columns) {
          lines.push_back(lines.front()); // of lanes that are not stored
          continue;
        }
        ElementIndex at = getPosition(index.consecutive(row, tile), plus(column, i)),
                     source = mapIndex(index, hlo::getIndexMap(op), at);
        VectorValue line = context.emitter.emit(op.getOperand(), source, rowMask);
        if (!line.re)
          return;
        lines.push_back(broadcastLanes(index, line));
      }
      transposed.push_back(transposeTile(b, lines));
    }
    for (int64_t i = 0; i < rows; ++i) {
      ElementIndex at = getPosition(plus(row, i), index.consecutive(column, tile));
      for (auto [op, lines] : llvm::zip(transposes, transposed))
        bindTransposed(context, op, at, columnMask, lines[i]);
      context.storeResults(shape, at, columnMask);
    }
    for (hlo::TransposeOp op : transposes)
      context.emitter.unbind(op);
  }

  KernelContext &context;
  ImplicitLocOpBuilder &b;
  IndexBuilder &index;
  int64_t tile, rows, width;
  ArrayRef<hlo::TransposeOp> transposes;
};

} // namespace

void emitTransposeLoop(KernelContext &context) { TransposeLoop(context).emit(); }

} // namespace hloc
