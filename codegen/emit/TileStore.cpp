// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/TileStore.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "passes/schedule/UpdateProblem.h"
#include <numeric>

using namespace mlir;

namespace hloc {

/// The most instructions of an epilogue that is unrolled for each vector of a tile, such as four
/// simple operations; longer ones are emitted once, in a loop over the tile.
static constexpr double kShortEpilogue = 8;

TileSpan makeTileSpan(IndexBuilder &index, Value nominal, int64_t size, int64_t tile,
                      bool isAligned) {
  auto &b = index.b;
  if (tile >= size)
    return {index.constant(0), int64_t(1) << 30, {}, size};
  if (isAligned && size % tile == 0)
    return {nominal, tile, {}, tile};
  Value start = b.createOrFold<arith::MinSIOp>(nominal, index.constant(size - tile));
  return {start, isAligned ? std::gcd(tile, size) : 1,
          b.createOrFold<arith::SubIOp>(nominal, start), tile};
}

TileStore::TileStore(KernelContext &context, Value result, Type accumulator, TileShape shape,
                     Place place)
    : context(context), result(result), resultType(cast<RankedTensorType>(result.getType())),
      accumulator(accumulator), shape(shape), place(std::move(place)),
      loopLanes(context.index.getLanes()),
      isInPlace(llvm::any_of(context.kernel.getReuse(), [](int64_t input) { return input >= 0; })),
      update(findUpdateInPlace(context.kernel.getKind(), context.getBody())) {
  llvm::SetVector<Operation *> epilogue;
  getForwardSlice(result, &epilogue);
  double instructions = 0;
  for (Operation *op : epilogue)
    instructions += op == update ? 0 : CostModel::getInstructions(op);
  isShort = instructions <= kShortEpilogue && !context.packsOutputs();
  if (!update)
    return;
  starts = emitStartIndices(context.emitter, update);
  isInPlace = !update.getOperand().hasOneUse();
}

void TileStore::finishVector(VectorValue sum, VectorIndex row, VectorIndex column, Mask mask) {
  IndexBuilder &index = context.index;
  ElementEmitter::Scope scope(context.emitter);
  sum = emitConvertLanes(index, sum, accumulator, resultType.getElementType());
  context.emitter.bind(result, [sum](ArrayRef<VectorIndex>, Mask) { return sum; });
  ElementIndex at = place(row, column);
  SmallVector<VectorValue> values;
  SmallVector<ElementIndex> places;
  for (Value value : context.getReturn().getOperands()) {
    if (update)
      value = update.getUpdate();
    auto type = cast<RankedTensorType>(value.getType());
    bool same = type.getShape() == resultType.getShape();
    places.push_back(same ? at : reshapeIndex(index, resultType.getShape(), type.getShape(), at));
    values.push_back(context.emitter.emit(value, places.back(), mask));
    for (auto [x, start] : llvm::zip(places.back(), starts))
      x = index.add(start, x);
  }
  if (context.emitter.hasFailed())
    return;
  for (auto [i, value] : llvm::enumerate(values))
    storeElements(index, context.getOutput(i), places[i], value, mask);
}

void TileStore::finishInRegisters(ArrayRef<VectorValue> sums, const TileSpan &rows,
                                  const TileSpan &columns) {
  IndexBuilder &index = context.index;
  int64_t lanes = index.getLanes();
  for (int64_t r = 0; r < std::min(shape.rows, rows.live); ++r)
    for (int64_t v = 0; v < shape.vectors && v * lanes < columns.live; ++v) {
      VectorIndex column = index.add(index.consecutive(columns.start, columns.multiple), v * lanes);
      VectorIndex row = index.add(index.uniform(rows.start, rows.multiple), r);
      finishVector(sums[r * shape.vectors + v], row, column,
                   firstLanes(index, columns.live - v * lanes));
    }
}

void TileStore::finishThroughBuffer(ArrayRef<VectorValue> sums, const TileSpan &rows,
                                    const TileSpan &columns) {
  IndexBuilder &index = context.index;
  auto &b = context.b;
  int64_t lanes = index.getLanes(), width = shape.vectors * lanes;
  auto tileType = RankedTensorType::get({shape.rows, width}, accumulator);
  if (!buffer)
    buffer = context.allocateOnStack(getByteSize(tileType));
  MemoryArray tile{buffer, tileType};
  for (int64_t r = 0; r < shape.rows; ++r)
    for (int64_t v = 0; v < shape.vectors; ++v) {
      VectorIndex within = index.add(index.consecutive(index.constant(0), width), v * lanes);
      storeElements(index, tile, {index.uniform(r), within}, sums[r * shape.vectors + v], {});
    }
  ScopedLanes narrow(index, context.packsOutputs() ? 1 : std::min(lanes, loopLanes));
  lanes = index.getLanes();
  Value firstRow = rows.skip ? rows.skip : index.constant(0);
  Value rowEnd = index.constant(std::min(shape.rows, rows.live)),
        columnEnd = index.constant(std::min(width, columns.live));
  buildFor(context, firstRow, rowEnd, 1, {}, [&](Value r, ValueRange) {
    buildFor(context, index.constant(0), columnEnd, lanes, {}, [&](Value c, ValueRange) {
      VectorIndex within = index.consecutive(c, lanes);
      VectorIndex column = index.consecutive(b.createOrFold<arith::AddIOp>(columns.start, c),
                                             std::gcd(columns.multiple, lanes));
      VectorIndex row = index.uniform(b.createOrFold<arith::AddIOp>(rows.start, r));
      Mask mask;
      if (columns.skip) {
        Value negated = b.createOrFold<arith::SubIOp>(index.constant(0), columns.skip);
        mask = index.inRange(index.add(within, index.uniform(negated)), 0, INT64_MAX);
      } else if (columns.live % lanes != 0) {
        mask = index.inRange(within, INT64_MIN, columns.live);
      }
      finishVector(loadElements(index, tile, {index.uniform(r), within}, {}), row, column, mask);
      return SmallVector<Value>();
    });
    return SmallVector<Value>();
  });
}

void TileStore::finish(ArrayRef<VectorValue> sums, TileSpan rows, TileSpan columns) {
  auto &b = context.b;
  if (!isInPlace)
    rows.skip = columns.skip = {};
  if (!isShort)
    return finishThroughBuffer(sums, rows, columns);
  if (!rows.skip && !columns.skip)
    return finishInRegisters(sums, rows, columns);
  Value zero = context.index.constant(0), whole;
  for (Value skip : {rows.skip, columns.skip}) {
    if (!skip)
      continue;
    Value none = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, skip, zero);
    whole = whole ? b.createOrFold<arith::AndIOp>(whole, none) : none;
  }
  auto branch = scf::IfOp::create(b, whole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  ElementEmitter::Scope scope(context.emitter);
  b.setInsertionPointToStart(branch.thenBlock());
  // In this branch nothing is skipped.
  TileSpan wholeRows = rows, wholeColumns = columns;
  wholeRows.skip = wholeColumns.skip = {};
  finishInRegisters(sums, wholeRows, wholeColumns);
  b.setInsertionPointToStart(branch.elseBlock());
  finishThroughBuffer(sums, rows, columns);
}

} // namespace hloc
