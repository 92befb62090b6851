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
// With few rows a packed panel would be read too seldom to pay: the right operand is read in place.
// If then k is its minor dimension, lanes lie along k and are summed at the end.
#include "codegen/kernels/dot/DotKernel.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// Rows from which packing the right operand pays: where it takes more than a load to read it, or
/// it is too large to stay in a cache from one tile of rows to the next, or else.
static constexpr int64_t kPackingRows = 9, kPackingRowsOfLarge = 13, kPackingRowsOfPlain = 33;
static constexpr int64_t kLargeBytes = 4 << 20;
/// Columns that are few, against a depth that is long enough for lanes along it.
static constexpr int64_t kFewColumns = 4, kLongDepth = 64;

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
  // A single column is a single row of the problem with the operands exchanged, which has the large
  // operand on the side that is streamed. So are a few columns, too few for lanes, if lanes can lie
  // along k.
  int64_t lhsCount = columnsOf(lhs, lhsBatch, lhsDepth),
          rhsCount = columnsOf(rhs, rhsBatch, rhsDepth), depthCount = 1;
  for (int64_t d : lhsDepth)
    depthCount *= cast<RankedTensorType>(lhs.getType()).getDimSize(d);
  bool depthIsMinor =
      !lhsDepth.empty() && lhsDepth.back() == cast<RankedTensorType>(lhs.getType()).getRank() - 1;
  if (lhsCount > rhsCount &&
      (rhsCount == 1 || (rhsCount <= kFewColumns && lhsCount >= kPackingRows &&
                         depthCount >= kLongDepth && depthIsMinor))) {
    swapped = true;
    std::swap(lhs, rhs);
    std::swap(lhsBatch, rhsBatch);
    std::swap(lhsDepth, rhsDepth);
  }
  lhsType = cast<RankedTensorType>(lhs.getType());
  rhsType = cast<RankedTensorType>(rhs.getType());
  lhsRows = rest(lhsType.getRank(), lhsBatch, lhsDepth);
  rhsColumns = rest(rhsType.getRank(), rhsBatch, rhsDepth);
  auto sizes = [](RankedTensorType type, ArrayRef<int64_t> dimensions,
                  SmallVectorImpl<int64_t> &out) {
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
  element = getAccumulatorType(lhsType.getElementType(), rhsType.getElementType(),
                               resultType.getElementType());
  depthIsMinorOfRhs = !rhsDepth.empty() && rhsDepth.back() == rhsType.getRank() - 1;
  bool plain = element.isF32() || element.isF64();
  lhsInPlace = plain && isa<BlockArgument>(lhs) && lhsType.getElementType() == element;
}

/// Puts the indices of `at`, the row-major position in `sizes`, at `dimensions` of `full`.
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

/// Groups of neighbouring k from `start` on, a group a lane; those past the end are zero.
Value DotKernel::loadGroups(Value start, function_ref<VectorValue(VectorIndex, Mask)> load) {
  int64_t count = group * index.getLanes();
  ScopedLanes all(index, count);
  VectorIndex k = index.consecutive(start, count);
  Mask mask = depth % count == 0 ? Mask{} : index.inRange(k, INT64_MIN, depth);
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

bool DotKernel::factorIsBf16() {
  return lhsType.getElementType().isBF16() && rhsType.getElementType().isBF16();
}

/// How many k the target multiplies and adds at once, for these operands; `packs` says that both
/// are packed.
int64_t DotKernel::chooseGroup(bool packs) {
  Type left = lhsType.getElementType(), right = rhsType.getElementType();
  auto fits = [](Type type, unsigned bits) {
    return isa<IntegerType>(type) && !type.isInteger(1) &&
           (type.getIntOrFloatBitWidth() < bits || type.isSignlessInteger(bits));
  };
  if (lanes < 4 || depth < 2)
    return 1;
  if (factorIsBf16())
    return context.target.usesBf16Dot && element.isF32() ? 2 : 1;
  if (!element.isInteger(32))
    return 1;
  bool lhsIsBytes = fits(left, 8) || left.isUnsignedInteger(8);
  if (packs && context.target.hasQuadMultiplyAdd && lhsIsBytes && fits(right, 8)) {
    lhsIsOffset = !left.isUnsignedInteger();
    return 4;
  }
  return context.target.hasPairMultiplyAdd && fits(left, 16) && fits(right, 16) ? 2 : 1;
}

/// Where the results of tiles of shape `tile` go.
TileStore DotKernel::makeStore() {
  return TileStore(
      context, dot.getResult(), element, tile,
      [this](VectorIndex row, VectorIndex column) { return resultIndex(row, column); });
}

/// Writes the tile in vectors as wide as its rows, unless that is no power of two: such a vector
/// would not be split, but rounded up.
void DotKernel::widenTile() {
  int64_t width = tile.vectors * lanes;
  tileLanes = llvm::isPowerOf2_64(width) ? width : lanes;
  tile.vectors = width / tileLanes;
}

/// Whether `operand` is an array in memory that nothing else reads, with its batches outermost.
bool DotKernel::leadsWithBatches(Value operand, ArrayRef<int64_t> batch) {
  return isa<BlockArgument>(operand) && operand.hasOneUse() &&
         llvm::equal(batch, llvm::seq<int64_t>(0, batch.size()));
}

/// Says how units lie in operands and result.
void DotKernel::describeUnits(int64_t blockRows, int64_t blockColumns) {
  int64_t rowBlocks = llvm::divideCeil(rows, blockRows),
          columnBlocks = llvm::divideCeil(columns, blockColumns);
  // The last tile may go back to what is in the block before.
  auto isApart = [](int64_t size, int64_t block, int64_t tile) {
    return size % block == 0 || size % block >= tile || size % tile == 0;
  };
  if (context.packsOutputs())
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

/// Loops over units: blocks of the result, of every batch. `body` gets the ranges of rows and
/// columns of one.
void DotKernel::emitUnits(function_ref<void(Range rows, Range columns)> body, int64_t blockRows,
                          int64_t blockColumns) {
  int64_t rowBlocks = llvm::divideCeil(rows, blockRows),
          columnBlocks = llvm::divideCeil(columns, blockColumns);
  int64_t units = batches * rowBlocks * columnBlocks;
  double flopsPerCycle = lanes * 2.0;
  context.setUnits(units, 2.0 * std::min(rows, blockRows) * std::min(columns, blockColumns) *
                              depth / flopsPerCycle);
  describeUnits(blockRows, blockColumns);
  Value begin = units == 1 ? index.constant(0) : context.getBegin(),
        end = units == 1 ? index.constant(1) : context.getEnd();
  buildFor(context, begin, end, 1, [&](Value unit) {
    // Those of one matrix read a block of the right operand after the other, which is the larger
    // one.
    bool byRows = batches > 1;
    SmallVector<int64_t> space{batches, byRows ? rowBlocks : columnBlocks,
                               byRows ? columnBlocks : rowBlocks};
    ElementIndex at = reshapeIndex(index, units, space, index.uniform(unit));
    batch = at[0];
    body(makeRange(at[byRows ? 1 : 2].base, rows, blockRows),
         makeRange(at[byRows ? 2 : 1].base, columns, blockColumns));
  });
}

/// Range number `block` of `blockSize` in `size`; the last may be smaller.
DotKernel::Range DotKernel::makeRange(Value block, int64_t size, int64_t blockSize) {
  if (blockSize >= size)
    return {index.constant(0), index.constant(size)};
  Value start = b.createOrFold<arith::MulIOp>(block, index.constant(blockSize));
  Value end = b.createOrFold<arith::AddIOp>(start, index.constant(blockSize));
  return {start,
          size % blockSize == 0 ? end : b.createOrFold<arith::MinSIOp>(end, index.constant(size))};
}

/// Whether the right operand is better read in place for each tile of rows than packed once.
bool DotKernel::readsRhsInPlace() {
  if (rows < kPackingRows)
    return true;
  bool isPlain = lhsInPlace && findWhole(rhs) && rhsType.getElementType() == element &&
                 llvm::is_contained(rhsColumns, rhsType.getRank() - 1);
  return isPlain && rows < (getByteSize(rhsType) / batches > kLargeBytes ? kPackingRowsOfLarge
                                                                         : kPackingRowsOfPlain);
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
  tileLanes = lanes;
  bool streams = depth == 0 || (!alongDepth && readsRhsInPlace());
  group = streams ? 1 : chooseGroup(/*packs=*/!alongDepth);
  // Instructions that add several products have 32 bits without a sign, and sums are the same with
  // one.
  if (group != 1 && element.isUnsignedInteger(32))
    element = b.getI32Type();
  factor = group == 1       ? element
           : factorIsBf16() ? Type(b.getBF16Type())
                            : b.getIntegerType(32 / group);
  if (streams)
    emitStreaming();
  else if (alongDepth)
    emitAlongDepth();
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
