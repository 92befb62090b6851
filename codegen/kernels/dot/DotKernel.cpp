// SPDX-License-Identifier: Apache-2.0
// Kernels of kind `dot`: result[b, m, n] = sum over k of lhs[b, m, k] * rhs[b, k, n], with whatever
// is fused into the operands and onto the result, executed as the schedule says
// (passes/schedule/DotStrategies.cpp).
//
// dot.packed: the result is cut into units of blockRows x blockColumns. Within a unit, for each
// block of k:
// - the right operand's block is packed into panels as wide as a register tile, so that the tile
//   reads it sequentially whatever its layout, type and prologue; unless another kernel has packed
//   it (`packed_right`);
// - the left operand is read in place if its stored elements can be multiplied directly; otherwise
//   the rows of a tile are packed too, or those of a block if the row dimension is minor
//   (`pack_left`);
// - data needed soon are prefetched between steps of tiles (DotPrefetch.cpp);
// - register tiles run over the block, of vectors or of matrix registers (`matrix_registers`,
//   DotMatrix.cpp); partial sums are kept in a buffer, and the last block applies the epilogue when
//   it stores them.
//
// The register tile is by far the largest part of the code and is emitted once: ranges of rows,
// columns and k are run-time values, and ragged edges are handled by TileStore. Where masks say
// which rows and k matter (DotProblem.h), the ranges cover only these; the masks are still applied,
// so that a range may cover more.
//
// dot.row_blocks reads the right operand in place, a block of its rows at a time
// (DotRowBlocks.cpp). dot.stream reads it in place, all rows of a strip of columns; dot.along_depth
// has lanes along k and adds them at the end; dot.axpy adds whole rows of the right operand
// (DotAxpy.cpp).
#include "codegen/kernels/dot/DotKernel.h"
#include "passes/schedule/DotSchedule.h"
#include "passes/schedule/OperandPanels.h"
#include "passes/schedule/Strategies.h"
#include "passes/schedule/UpdateProblem.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// Splits `at`, a row-major position in `sizes`, into the indices of `full` at `dimensions`.
static void place(IndexBuilder &index, ElementIndex &full, ArrayRef<int64_t> dimensions,
                  ArrayRef<int64_t> sizes, VectorIndex at) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  ElementIndex parts = reshapeIndex(index, product, sizes, at);
  for (auto [d, part] : llvm::zip(dimensions, parts))
    full[d] = part;
}

ElementIndex DotKernel::lhsIndex(VectorIndex m, VectorIndex k) {
  ElementIndex at(lhsType.getRank());
  place(index, at, lhsBatch, batchSizes, batch);
  place(index, at, lhsRows, rowSizes, m);
  place(index, at, lhsDepth, depthSizes, k);
  return at;
}

ElementIndex DotKernel::rhsIndex(VectorIndex k, VectorIndex n) {
  ElementIndex at(rhsType.getRank());
  place(index, at, rhsBatch, batchSizes, batch);
  place(index, at, rhsColumns, columnSizes, n);
  place(index, at, rhsDepth, depthSizes, k);
  return at;
}

ElementIndex DotKernel::resultIndex(VectorIndex m, VectorIndex n) {
  ElementIndex at = reshapeIndex(index, batches, batchSizes, batch);
  ElementIndex row = reshapeIndex(index, rows, rowSizes, m),
               column = reshapeIndex(index, columns, columnSizes, n);
  at.append(swapped ? column : row);
  at.append(swapped ? row : column);
  return at;
}

VectorValue DotKernel::loadLhs(VectorIndex m, VectorIndex k, Mask mask) {
  VectorValue value = context.emitter.emit(lhs, lhsIndex(m, k), mask);
  return value.re ? emitConvertLanes(index, value, lhsType.getElementType(), factor) : value;
}

VectorValue DotKernel::loadRhs(VectorIndex k, VectorIndex n, Mask mask) {
  VectorValue value = context.emitter.emit(rhs, rhsIndex(k, n), mask);
  return value.re ? emitConvertLanes(index, value, rhsType.getElementType(), factor) : value;
}

/// Loads groups of successive k from `start` on, one group per lane; k past the end are zero.
Value DotKernel::loadGroups(Value start, function_ref<VectorValue(VectorIndex, Mask)> load) {
  int64_t count = group * index.getLanes();
  ScopedLanes all(index, count);
  VectorIndex k = index.consecutive(start, count);
  Mask mask = hasWholeGroups(count) ? Mask{} : index.inRange(k, INT64_MIN, depth);
  VectorValue value = load(k, mask);
  if (value.re) {
    value = broadcastLanes(index, value);
    if (mask)
      value = emitSelect(index, mask.lanes, value, emitZero(index, factor));
  } else {
    value = emitZero(index, factor);
  }
  return value.re;
}

/// The sums of a tile of `shape` that are in `memory`, those of each vector of a row where `at`
/// says.
SmallVector<VectorValue> DotKernel::loadTile(MemoryArray memory, TileShape shape, PlaceInTile at) {
  SmallVector<VectorValue> sums;
  for (int64_t r = 0; r < shape.rows; ++r)
    for (int64_t v = 0; v < shape.vectors; ++v)
      sums.push_back(loadElements(index, memory, at(r, v), {}));
  return sums;
}

void DotKernel::storeTile(MemoryArray memory, TileShape shape, ArrayRef<VectorValue> sums,
                          PlaceInTile at) {
  for (int64_t r = 0; r < shape.rows; ++r)
    for (int64_t v = 0; v < shape.vectors; ++v)
      storeElements(index, memory, at(r, v), sums[r * shape.vectors + v], {});
}

TileStore DotKernel::makeStore(TileShape shape) {
  return TileStore(
      context, dot.getResult(), element, shape,
      [this](VectorIndex row, VectorIndex column) { return resultIndex(row, column); });
}

/// Uses vectors as wide as the tile's rows, unless that is not a power of two: such a vector would
/// be rounded up instead of being split.
void DotKernel::widenTile() {
  int64_t width = tile.vectors * lanes;
  tileLanes = llvm::isPowerOf2_64(width) ? width : lanes;
  tile.vectors = width / tileLanes;
}

/// True if `operand` is an array in memory that nothing else reads, with its batch dimensions
/// outermost.
bool DotKernel::leadsWithBatches(Value operand, ArrayRef<int64_t> batch) {
  return isa<BlockArgument>(operand) && operand.hasOneUse() &&
         llvm::equal(batch, llvm::seq<int64_t>(0, batch.size()));
}

/// Describes which parts of operands and result a unit accesses.
void DotKernel::describeUnits(int64_t blockRows, int64_t blockColumns) {
  int64_t rowBlocks = llvm::divideCeil(rows, blockRows),
          columnBlocks = llvm::divideCeil(columns, blockColumns);
  // The last tile may move back into the block before.
  auto isApart = [](int64_t size, int64_t block, int64_t tile) {
    return size % block == 0 || size % block >= tile || size % tile == 0;
  };
  if (context.packsOutputs() || liveRows ||
      findUpdateInPlace(context.kernel.getKind(), context.getBody()))
    return;
  TileAccess &blocks = context.schedule.blocks;
  blocks.batches = batches;
  blocks.batchUnits = rowBlocks * columnBlocks;
  for (auto [operand, batch] :
       {std::pair(lhs, ArrayRef(lhsBatch)), std::pair(rhs, ArrayRef(rhsBatch))})
    if (leadsWithBatches(operand, batch))
      blocks.batchInputs.push_back(cast<BlockArgument>(operand).getArgNumber());
  auto follow = [](ArrayRef<int64_t> dimensions, ArrayRef<int64_t> batch) {
    return llvm::equal(dimensions,
                       llvm::seq<int64_t>(batch.size(), batch.size() + dimensions.size()));
  };
  auto describe = [&](int64_t size, int64_t block, int64_t units) {
    blocks.rows = size;
    blocks.blockRows = block;
    blocks.blockUnits = units;
  };
  if (swapped)
    return;
  bool byColumns = rowBlocks == 1 && columnBlocks > 1 &&
                   isApart(columns, blockColumns, tile.vectors * tileLanes);
  if (byColumns && leadsWithBatches(rhs, rhsBatch) && follow(rhsColumns, rhsBatch)) {
    describe(columns, blockColumns, 1);
    blocks.writesRows = false;
    blocks.rowInputs.push_back(cast<BlockArgument>(rhs).getArgNumber());
  } else if ((batches > 1 || columnBlocks == 1) && isApart(rows, blockRows, tile.rows)) {
    describe(rows, blockRows, columnBlocks);
    if (leadsWithBatches(lhs, lhsBatch) && follow(lhsRows, lhsBatch))
      blocks.rowInputs.push_back(cast<BlockArgument>(lhs).getArgNumber());
  }
}

/// Loops over units: blocks of the result, for every batch. `body` gets the ranges of rows and
/// columns of one.
void DotKernel::emitUnits(function_ref<void(Range rows, Range columns)> body, int64_t blockRows,
                          int64_t blockColumns) {
  int64_t rowBlocks = llvm::divideCeil(rows, blockRows),
          columnBlocks = llvm::divideCeil(columns, blockColumns);
  int64_t units = batches * rowBlocks * columnBlocks;
  context.setUnits(units);
  describeUnits(blockRows, blockColumns);
  Value begin = units == 1 ? index.constant(0) : context.getBegin(),
        end = units == 1 ? index.constant(1) : context.getEnd();
  auto emitUnit = [&](Range rowRange, Range columnRange) {
    if (!liveRows)
      return body(rowRange, columnRange);
    Value isLive =
        b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, rowRange.start, rowRange.end);
    auto branch = scf::IfOp::create(b, isLive, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    ElementEmitter::Scope scope(context.emitter);
    b.setInsertionPointToStart(branch.thenBlock());
    body(rowRange, columnRange);
  };
  buildFor(context, begin, end, 1, [&](Value unit) {
    // The units of one matrix use one block of the right operand, the larger one, after the other.
    bool byRows = batches > 1;
    SmallVector<int64_t> space{batches, byRows ? rowBlocks : columnBlocks,
                               byRows ? columnBlocks : rowBlocks};
    ElementIndex at = reshapeIndex(index, units, space, index.uniform(unit));
    batch = at[0];
    Range rowRange = makeRange(at[byRows ? 1 : 2].base, rows, blockRows);
    if (liveRows) { // blocks begin with the first live row
      rowRange.start = b.createOrFold<arith::AddIOp>(rowRange.start, wantedRows.start);
      rowRange.end = b.createOrFold<arith::AddIOp>(rowRange.end, wantedRows.start);
      rowRange.end = b.createOrFold<arith::MinSIOp>(rowRange.end, wantedRows.end);
    }
    emitUnit(rowRange, makeRange(at[byRows ? 2 : 1].base, columns, blockColumns));
  });
}

/// Range number `block` of size `blockSize` in [0, size); the last one may be smaller.
DotKernel::Range DotKernel::makeRange(Value block, int64_t size, int64_t blockSize) {
  if (blockSize >= size)
    return {index.constant(0), index.constant(size)};
  Value start = b.createOrFold<arith::MulIOp>(block, index.constant(blockSize));
  Value end = b.createOrFold<arith::AddIOp>(start, index.constant(blockSize));
  return {start,
          size % blockSize == 0 ? end : b.createOrFold<arith::MinSIOp>(end, index.constant(size))};
}

/// Computes the ranges of rows and k that masks leave.
void DotKernel::findLiveParts() {
  auto boundOf = [&](Value scalar, int64_t limit, int64_t otherwise) {
    return scalar ? emitClampedIndex(context.emitter, scalar, limit).base
                  : index.constant(otherwise);
  };
  wantedRows = {boundOf(liveRows.begin, rows, 0), boundOf(liveRows.end, rows, rows)};
  multipliedDepth = {boundOf(liveDepth.begin, depth - 1, 0), boundOf(liveDepth.end, depth, depth)};
  if (!liveDepth)
    return;
  multipliedDepth.start = beginOfBlock(group); // no group is in two blocks
  Value one = b.createOrFold<arith::AddIOp>(multipliedDepth.start, index.constant(1));
  multipliedDepth.end = b.createOrFold<arith::MaxSIOp>(multipliedDepth.end, one);
}

/// Where the block of `block` k begins that contains the first live k.
Value DotKernel::beginOfBlock(int64_t block) {
  Value rest = b.createOrFold<arith::RemUIOp>(multipliedDepth.start, index.constant(block));
  return b.createOrFold<arith::SubIOp>(multipliedDepth.start, rest);
}

/// The part of the k from `start` to `end` that is multiplied.
DotKernel::Range DotKernel::clipDepth(Value start, Value end) {
  if (!liveDepth)
    return {start, end};
  return {b.createOrFold<arith::MaxSIOp>(start, multipliedDepth.start),
          b.createOrFold<arith::MinSIOp>(end, multipliedDepth.end)};
}

/// The span of the tile at the rows from `nominal` on.
TileSpan DotKernel::spanRows(Value nominal) {
  return makeTileSpan(index, nominal, rows, tile.rows, /*isAligned=*/!liveRows);
}

LogicalResult DotKernel::emit() {
  if (isEmpty()) {
    context.schedule.units = 0;
    return success();
  }
  hlo::ScheduleAttr chosen = context.chosen;
  lanes = tileLanes = chosen.getLanes();
  index.setLanes(lanes);
  tile = {chosen.getTile()[0], chosen.getTile()[1]};
  group = chosen.getGroup();
  usesMatrices = context.schedule.usesMatrices = chosen.has(kMatrixRegisters);
  leftIsMatrix = leftIsInMatrices(context.target, *this, chosen);
  resultIsMatrix = usesMatrices && isResultOfTiles(context.getBody(), context.kernel.getReuse(),
                                                   *this, tile.rows, tile.vectors * lanes);
  lhsIsOffset = group == 4 && !usesMatrices && !lhsType.getElementType().isUnsignedInteger();
  sumDepth = getSumDepth(group);
  // The instructions that add several products work on signless i32, whose sums have the same bits.
  if (group != 1 && element.isUnsignedInteger(32))
    element = b.getI32Type();
  if (chosen.has(kPackedRight)) {
    packedPanels = findPanels(*this);
    if (!packedPanels || packedPanels.getType() != getPanelType(*this, tile.vectors * lanes))
      return context.kernel.emitError("expected an operand in panels, as the schedule says");
  }
  findLiveParts();
  factor = group == 1       ? element
           : factorIsBf16() ? Type(b.getBF16Type())
                            : b.getIntegerType(32 / group);
  if (chosen.getStrategy() == "dot.stream")
    emitStreaming();
  else if (chosen.getStrategy() == "dot.along_depth")
    emitAlongDepth();
  else if (chosen.getStrategy() == "dot.axpy")
    emitAxpy();
  else if (chosen.getStrategy() == "dot.row_blocks")
    emitRowBlocks();
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
