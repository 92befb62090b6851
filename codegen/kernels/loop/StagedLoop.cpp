// SPDX-License-Identifier: Apache-2.0
// Loop kernels through staged blocks, for results whose minor dimension is not the one along which
// an operand is contiguous. A block of such an operand is transposed in registers, tile by tile,
// into memory that stays in L1; then the block of the results is computed row by row. So the lines
// of a row of results are written one after the other, however far rows are apart.
// Test: test/codegen/transposes.hlo.
#include "codegen/emit/MovedIndex.h"
#include "codegen/kernels/loop/TransposedTile.h"
#include "passes/Build.h"

using namespace mlir;

namespace hloc {

namespace {

class StagedLoop : TransposedSpace {
public:
  explicit StagedLoop(KernelContext &context)
      : TransposedSpace(context), context(context), b(context.b), index(context.index),
        tile(context.chosen.getTile()[0]), lanes(context.chosen.getLanes()),
        height(context.chosen.getBlock()[0]), width(context.chosen.getBlock()[1]) {
    for (hlo::TransposeOp op : problem.transposes) {
      auto type =
          RankedTensorType::get({height, width}, arrayType(op.getResult()).getElementType());
      staged.push_back({context.allocateOnStack(getByteSize(type)), type});
    }
  }

  void emit() {
    index.setLanes(lanes);
    SmallVector<int64_t> outerSizes = getOuterSizes();
    int64_t outerCount = ShapedType::getNumElements(outerSizes),
            blocks = llvm::divideCeil(shape[across], height), units = outerCount * blocks;
    context.setUnits(units);
    Value begin = units == 1 ? index.constant(0) : context.getBegin();
    Value end = units == 1 ? index.constant(1) : context.getEnd();
    buildFor(context, begin, end, 1, [&](Value unit) {
      Value block = b.createOrFold<arith::RemUIOp>(unit, index.constant(blocks));
      Value outer = b.createOrFold<arith::DivUIOp>(unit, index.constant(blocks));
      outerAt = reshapeIndex(index, outerCount, outerSizes, index.uniform(outer));
      emitBlocks(b.createOrFold<arith::MulIOp>(block, index.constant(height)));
    });
  }

private:
  Value least(Value x, int64_t limit) {
    return b.createOrFold<arith::MinSIOp>(x, index.constant(limit));
  }

  /// The blocks of the results from row `first` on.
  void emitBlocks(Value first) {
    Value limit = b.createOrFold<arith::AddIOp>(first, index.constant(height)), from = first;
    if (shape[across] % height != 0) {
      limit = least(limit, shape[across]);
      from = least(first, shape[across] - height);
    }
    int64_t whole = llvm::alignDown(shape[minor], width);
    buildFor(context, index.constant(0), index.constant(whole), width, [&](Value column) {
      stage(from, column);
      emitRows(from, first, limit, column, 0, width);
    });
    if (int64_t rest = shape[minor] - whole; rest > 0) {
      stage(from, index.constant(shape[minor] - width));
      emitRows(from, first, limit, index.constant(whole), width - rest, rest);
    }
  }

  /// Transposes the block of each operand that begins at (row, column) of the results. It is a
  /// whole one: the last ones overlap those before them.
  void stage(Value row, Value column) {
    ScopedLanes side(index, tile);
    // Tiles in this order read lines of the operand completely.
    buildFor(context, index.constant(0), index.constant(width), tile, [&](Value j) {
      buildFor(context, index.constant(0), index.constant(height), tile, [&](Value i) {
        for (auto [op, memory] : llvm::zip(problem.transposes, staged))
          stageTile(op, memory, row, column, i, j);
      });
    });
  }

  /// The tile at (i, j) of the block.
  void stageTile(hlo::TransposeOp op, MemoryArray memory, Value row, Value column, Value i,
                 Value j) {
    VectorIndex rows = index.consecutive(b.createOrFold<arith::AddIOp>(row, i), tile),
                columns = index.uniform(b.createOrFold<arith::AddIOp>(column, j));
    SmallVector<VectorValue> lines;
    for (int64_t k = 0; k < tile; ++k) {
      ElementIndex source =
          mapIndex(index, hlo::getIndexMap(op), getPosition(rows, index.add(columns, k)));
      VectorValue line = context.emitter.emit(op.getOperand(), source, {});
      if (!line.re)
        return;
      lines.push_back(broadcastLanes(index, line));
    }
    for (auto [k, line] : llvm::enumerate(transposeTile(b, lines)))
      storeElements(index, memory,
                    {index.add(index.uniform(i), int64_t(k)), index.consecutive(j, tile)}, line,
                    {});
  }

  /// The rows of the results from `first` to `limit`, of `count` elements from `column` on. They
  /// are staged from row `from` and column `before` of the block on.
  void emitRows(Value from, Value first, Value limit, Value column, int64_t before, int64_t count) {
    buildFor(context, first, limit, 1, [&](Value row) {
      VectorIndex stagedRow = index.uniform(b.createOrFold<arith::SubIOp>(row, from));
      int64_t whole = llvm::alignDown(count, lanes);
      auto vectorAt = [&](Value i, Mask mask) {
        VectorIndex stagedColumn = index.consecutive(
            b.createOrFold<arith::AddIOp>(i, index.constant(before)), before == 0 ? lanes : 1);
        ElementIndex at = getPosition(
            index.uniform(row), index.consecutive(b.createOrFold<arith::AddIOp>(column, i), lanes));
        for (auto [op, memory] : llvm::zip(problem.transposes, staged))
          bindTransposed(context, op, at, mask,
                         loadElements(index, memory, {stagedRow, stagedColumn}, mask));
        context.storeResults(shape, at, mask);
      };
      buildFor(context, index.constant(0), index.constant(whole), lanes,
               [&](Value i) { vectorAt(i, {}); });
      if (whole < count)
        vectorAt(index.constant(whole), firstLanes(index, count - whole));
    });
    for (hlo::TransposeOp op : problem.transposes)
      context.emitter.unbind(op);
  }

  KernelContext &context;
  ImplicitLocOpBuilder &b;
  IndexBuilder &index;
  int64_t tile, lanes, height, width;
  SmallVector<MemoryArray> staged; // for each transpose
};

} // namespace

void emitStagedLoop(KernelContext &context) { StagedLoop(context).emit(); }

} // namespace hloc
