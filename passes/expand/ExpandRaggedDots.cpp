// SPDX-License-Identifier: Apache-2.0
// Ragged dots as dots over the part of each group, with no work for anything else: a loop over the
// groups, and for each one loops over ever smaller blocks of its positions. Whole blocks need no
// masks; only what is left at the end is a block with some positions masked. The blocks are
// dynamic slices of the operands where they lie, and results are written in place.
// Test: test/passes/expand/expand-ragged-dots.hlo.
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Build.h"
#include "passes/expand/Expansions.h"
#include "passes/expand/RaggedBlocks.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

using Sizes = SmallVector<int64_t>;

constexpr BlockSizes kRowBlocks{768, 4, 16, 4}, kDepthBlocks{1024, 4, 32, 8};

/// One ragged dot, taken apart. Outer dimensions are those of lhs for whose every place
/// `group_sizes` has sizes of its own.
class RaggedLoops {
public:
  explicit RaggedLoops(RaggedDotOp op);

  bool isBatch() const { return kind == Kind::Batch; }
  Value expand(Build build);

private:
  enum class Kind { Rows, Depth, Batch };
  /// Positions [row, limit) of the ragged dimension, s32 scalars.
  struct Part {
    Value row, limit;
  };
  /// Where the loops are: the group and the place along each outer dimension.
  struct Place {
    Value group;
    SmallVector<Value> outer;
  };

  Value loopOverOuter(Build build, Place place, Value result);
  Value loopOverGroups(Build build, Place place, Value result);
  Value loopOverBlocks(Build build, const Place &place, Part part, Value state, bool isStarted);
  /// Whether a block holds an average group, and comparing all groups is less than the results.
  bool isShort() const {
    return kind == Kind::Depth && outer.empty() && blocks.size() == 1 && groups > 1 &&
           groups * groups <= type.getNumElements();
  }
  Value multiplyShortGroups(Build build);
  Value gatherGroups(Build build, Value operand, int64_t dimension, Value rows, Value limits);
  std::pair<Value, Value> startSum(Build build, const Place &place, Part part,
                                   ArrayRef<int64_t> blocks);
  Value updateRows(Build build, const Place &place, Part part, int64_t size, bool masked,
                   Value state);
  Value multiplyDepth(Build build, const Place &place, Part part, int64_t size, bool masked);
  Value sliceOperand(Build build, Value operand, ArrayRef<int64_t> outerDims, const Place &place,
                     int64_t ragged, Value row, int64_t size);
  Value isInPart(Build build, ArrayRef<int64_t> shape, int64_t dimension, Part part, int64_t size);
  SmallVector<Value> resultStarts(Build build, const Place &place, Value row);
  Value makeDot(Build build, Value left, Value right, ArrayRef<int64_t> shape);

  RaggedDotOp op;
  Kind kind = Kind::Rows;
  RankedTensorType lhsType, rhsType, type; // of the loops' result
  int64_t ragged, rhsRagged = -1, groupDim = -1, resultRagged = -1;
  int64_t groups, positions;
  Sizes lhsBatch, rhsBatch, lhsDepth, rhsDepth;
  /// Of each outer dimension: its number in the operands and the result; -1 where it is not there.
  Sizes outer, rhsOuter, resultOuter;
  Sizes blocks; // see chooseBlocks
  Value sizes;
};

} // namespace

RaggedLoops::RaggedLoops(RaggedDotOp op)
    : op(op), lhsType(arrayType(op.getLhs())), rhsType(arrayType(op.getRhs())), type(arrayType(op)),
      ragged(op.getLhsRaggedDims()[0]), groups(arrayType(op.getGroupSizes()).getShape().back()),
      positions(lhsType.getDimSize(ragged)), lhsBatch(op.getLhsBatchDims()),
      rhsBatch(op.getRhsBatchDims()), lhsDepth(op.getLhsContractingDims()),
      rhsDepth(op.getRhsContractingDims()) {
  if (llvm::is_contained(lhsBatch, ragged)) {
    kind = Kind::Batch;
    return;
  }
  bool contracts = llvm::is_contained(lhsDepth, ragged);
  kind = contracts ? Kind::Depth : Kind::Rows;
  int64_t first = contracts ? 1 : 0; // the result's dimension of groups
  for (auto [i, dimension] : llvm::enumerate(lhsBatch)) {
    outer.push_back(dimension);
    rhsOuter.push_back(rhsBatch[i]);
    resultOuter.push_back(first + i);
  }
  if (contracts) {
    size_t place = llvm::find(lhsDepth, ragged) - lhsDepth.begin();
    rhsRagged = rhsDepth[place];
    outer.append(lhsDepth.begin(), lhsDepth.begin() + place);
    rhsOuter.append(rhsDepth.begin(), rhsDepth.begin() + place);
    resultOuter.append(place, -1);
  } else {
    groupDim = op.getRhsGroupDims()[0];
    int64_t number = first + lhsBatch.size();
    for (int64_t dimension = 0; dimension < lhsType.getRank(); ++dimension) {
      if (llvm::is_contained(lhsBatch, dimension) || llvm::is_contained(lhsDepth, dimension))
        continue;
      if (dimension == ragged) {
        resultRagged = number;
        break;
      }
      outer.push_back(dimension);
      rhsOuter.push_back(-1);
      resultOuter.push_back(number++);
    }
  }
  size_t listed = arrayType(op.getGroupSizes()).getRank() - 1;
  for (Sizes *dims : {&outer, &rhsOuter, &resultOuter})
    dims->resize(std::min(dims->size(), listed));
}

Value RaggedLoops::expand(Build build) {
  Type element = type.getElementType();
  if (isBatch()) // groups of batches: each batch has its own product anyway
    return DotOp::create(build.builder, build.loc, type, op.getLhs(), op.getRhs(), lhsBatch,
                         rhsBatch, lhsDepth, rhsDepth, op.getOperandPrecisionAttr(),
                         op.getAlgorithmAttr());
  if (kind == Kind::Depth) // sums of several blocks are rounded once
    type = type.clone(
        widenSum(getProductSumType(lhsType.getElementType(), rhsType.getElementType(), element)));
  Value result = build.zero(type);
  if (type.getNumElements() == 0 || positions == 0 || groups == 0 || lhsType.getNumElements() == 0)
    return build.convert(result, element);
  blocks = chooseBlocks(positions, groups, kind == Kind::Rows ? kRowBlocks : kDepthBlocks);
  // More than an array has positions: larger sizes mean no more, and sums of these do not overflow.
  constexpr double most = int64_t(1) << 40;
  bool isWide = getElementTypeOrSelf(op.getGroupSizes()).getIntOrFloatBitWidth() == 64;
  sizes = isWide ? build.binary<MinimumOp>(op.getGroupSizes(), most) : op.getGroupSizes();
  sizes = build.convert(sizes, build.builder.getI64Type());
  if (isWide)
    sizes = build.binary<MaximumOp>(sizes, -most);
  result = isShort() ? multiplyShortGroups(build) : loopOverOuter(build, {}, result);
  return build.convert(result, element);
}

Value RaggedLoops::loopOverOuter(Build build, Place place, Value result) {
  if (place.outer.size() == outer.size())
    return loopOverGroups(build, place, result);
  int64_t count = lhsType.getDimSize(outer[place.outer.size()]);
  auto step = [&](Build inner, Value i, ValueRange state) -> SmallVector<Value> {
    Place next = place;
    next.outer.push_back(i);
    return {loopOverOuter(inner, next, state[0])};
  };
  return build.countedLoop(count, /*reversed=*/false, result, step)[0];
}

/// Groups follow each other: each begins where the one before ends, and none goes past the end.
Value RaggedLoops::loopOverGroups(Build build, Place place, Value result) {
  Type i64 = build.builder.getI64Type(), i32 = build.builder.getI32Type();
  auto step = [&](Build inner, Value g, ValueRange state) -> SmallVector<Value> {
    Place at = place;
    at.group = g;
    SmallVector<Value> starts(place.outer);
    while (int64_t(starts.size()) + 1 < arrayType(sizes).getRank())
      starts.push_back(inner.index(0));
    starts.push_back(g);
    Value size = inner.reshape(inner.dynamicSlice(sizes, starts, Sizes(starts.size(), 1)), {});
    Value sum = inner.add(state[1], size), row = state[2];
    Value inside = inner.binary<MinimumOp>(sum, double(positions));
    Value limit =
        inner.binary<MaximumOp>(inner.convert(inner.binary<MaximumOp>(inside, 0.0), i32), row);
    Value updated = state[0];
    if (kind == Kind::Rows) {
      updated = loopOverBlocks(inner, at, {row, limit}, updated, false);
    } else {
      Sizes shape(type.getShape());
      shape[0] = 1;
      for (int64_t dimension : resultOuter)
        if (dimension >= 0)
          shape[dimension] = 1;
      SmallVector<Value> own = resultStarts(inner, at, {});
      // A contracting dimension that is outer adds to what its places before have given.
      bool isBegun = llvm::is_contained(resultOuter, -1);
      auto [next, started] =
          isBegun ? std::pair(row, inner.reshape(inner.dynamicSlice(updated, own, shape),
                                                 ArrayRef(shape).drop_front()))
                  : startSum(inner, at, {row, limit}, blocks);
      Value sums = loopOverBlocks(inner, at, {next, limit}, started, !isBegun);
      updated = inner.dynamicUpdateSlice(updated, inner.reshape(sums, shape), own);
    }
    return {updated, sum, limit};
  };
  Value zero64 = build.scalar(i64, 0.0), zero32 = build.index(0);
  return build.countedLoop(groups, /*reversed=*/false, {result, zero64, zero32}, step)[0];
}

/// `isStarted`: a block of the largest size that fits was before this.
Value RaggedLoops::loopOverBlocks(Build build, const Place &place, Part part, Value state,
                                  bool isStarted) {
  Value row = part.row;
  for (int64_t size : blocks) {
    bool isLast = size == blocks.back(), isSingle = !isLast && 2 * size > positions;
    if (isSingle && isStarted)
      continue;
    auto goesOn = [&](Build inner, ValueRange now) {
      Value end = isLast ? inner.add(now[0], 1.0) : inner.add(now[0], double(size));
      return inner.compare(end, part.limit, Direction::LE);
    };
    auto step = [&](Build inner, ValueRange now) -> SmallVector<Value> {
      Part rest{now[0], part.limit};
      Value next = kind == Kind::Rows
                       ? updateRows(inner, place, rest, size, isLast, now[1])
                       : inner.add(now[1], multiplyDepth(inner, place, rest, size, isLast));
      return {inner.add(now[0], double(size)), next};
    };
    SmallVector<Value> after = isSingle ? doOnce(build, {row, state}, goesOn, step)
                                        : whileLoop(build, {row, state}, goesOn, step);
    row = after[0];
    state = after[1];
  }
  return state;
}

/// Products of many groups of few positions, whose results are large: a batch of the first block of
/// each group, which writes every result once. Longer groups add what is left.
Value RaggedLoops::multiplyShortGroups(Build build) {
  int64_t size = blocks.front();
  auto [rows, limits] = findGroups(build, build.reshape(sizes, {groups}), positions);
  auto behindGroups = [](ArrayRef<int64_t> dimensions, bool isBatch) {
    Sizes moved;
    if (isBatch)
      moved.push_back(0);
    for (int64_t dimension : dimensions)
      moved.push_back(dimension + 1);
    return moved;
  };
  Value left = gatherGroups(build, op.getLhs(), ragged, rows, limits);
  Value right = gatherGroups(build, op.getRhs(), rhsRagged, rows, limits);
  Value first = DotOp::create(build.builder, build.loc, type, left, right,
                              behindGroups(lhsBatch, true), behindGroups(rhsBatch, true),
                              behindGroups(lhsDepth, false), behindGroups(rhsDepth, false),
                              op.getOperandPrecisionAttr(), op.getAlgorithmAttr());
  Sizes shape(type.getShape());
  shape[0] = 1;
  auto addRest = [&](Build inner, Value g, ValueRange state) -> SmallVector<Value> {
    auto ofGroup = [&](Value list) {
      return inner.reshape(inner.dynamicSlice(list, g, Sizes{1}), {});
    };
    Value limit = ofGroup(limits), row = inner.add(ofGroup(rows), double(size));
    auto isLeft = [&](Build at, ValueRange now) {
      return at.compare(now[0], limit, Direction::LT);
    };
    auto add = [&](Build at, ValueRange now) -> SmallVector<Value> {
      Place place{g, {}};
      SmallVector<Value> starts = resultStarts(at, place, {});
      Value product = multiplyDepth(at, place, {now[0], limit}, size, /*masked=*/true);
      Value sums = at.add(at.dynamicSlice(now[1], starts, shape), at.reshape(product, shape));
      return {at.add(now[0], double(size)), at.dynamicUpdateSlice(now[1], sums, starts)};
    };
    return {whileLoop(inner, {row, state[0]}, isLeft, add)[1]};
  };
  return build.countedLoop(groups, /*reversed=*/false, first, addRest)[0];
}

/// The first block of each group, zero past the group's end.
Value RaggedLoops::gatherGroups(Build build, Value operand, int64_t dimension, Value rows,
                                Value limits) {
  int64_t size = blocks.front(), rank = arrayType(operand).getRank();
  Sizes part(arrayType(operand).getShape()), shape{groups}, offsets;
  part[dimension] = size;
  shape.append(part);
  for (int64_t d = 1; d <= rank; ++d)
    offsets.push_back(d);
  Value starts = build.binary<MinimumOp>(rows, double(positions - size));
  Value blocks = GatherOp::create(
      build.builder, build.loc, arrayType(operand).clone(shape), operand, starts, offsets,
      /*collapsed_slice_dims=*/ArrayRef<int64_t>{}, /*operand_batching_dims=*/ArrayRef<int64_t>{},
      /*start_indices_batching_dims=*/ArrayRef<int64_t>{},
      /*start_index_map=*/ArrayRef<int64_t>{dimension}, /*index_vector_dim=*/1, part,
      /*indices_are_sorted=*/true);
  auto ofGroups = [&](Value list) { return build.broadcast(list, shape, {0}); };
  Value at =
      build.add(build.iota(shape, build.builder.getI32Type(), dimension + 1), ofGroups(starts));
  Value live = build.bitAnd(build.compare(at, ofGroups(rows), Direction::GE),
                            build.compare(at, ofGroups(limits), Direction::LT));
  return build.select(live, blocks, build.splatLike(blocks, 0));
}

/// The product of the largest block that fits, with which a sum over blocks begins, and the
/// position behind it. Nothing is added to zeros, which would have to be written and read.
std::pair<Value, Value> RaggedLoops::startSum(Build build, const Place &place, Part part,
                                              ArrayRef<int64_t> blocks) {
  auto end = [&](Build inner) { return inner.add(part.row, double(blocks.front())); };
  if (blocks.size() == 1)
    return {end(build), multiplyDepth(build, place, part, blocks.front(), /*masked=*/true)};
  Value fits = build.compare(end(build), part.limit, Direction::LE);
  auto whole = [&](OpBuilder &builder, Location loc) {
    Build inner(builder, loc);
    Value product = multiplyDepth(inner, place, part, blocks.front(), /*masked=*/false);
    scf::YieldOp::create(builder, loc, ValueRange{end(inner), product});
  };
  auto smaller = [&](OpBuilder &builder, Location loc) {
    auto [next, product] = startSum(Build(builder, loc), place, part, blocks.drop_front());
    scf::YieldOp::create(builder, loc, ValueRange{next, product});
  };
  auto choice = scf::IfOp::create(
      build.builder, build.loc,
      tensor::ExtractOp::create(build.builder, build.loc, fits, ValueRange()), whole, smaller);
  return {choice.getResult(0), choice.getResult(1)};
}

/// The product of `size` positions from `part.row` on, as much of it as belongs to the part if
/// `masked`; a slice that would go past the end begins earlier, as dynamic slices do.
Value RaggedLoops::multiplyDepth(Build build, const Place &place, Part part, int64_t size,
                                 bool masked) {
  Value left = sliceOperand(build, op.getLhs(), outer, place, ragged, part.row, size);
  Value right = sliceOperand(build, op.getRhs(), rhsOuter, place, rhsRagged, part.row, size);
  auto mask = [&](Value operand, int64_t dimension) {
    Value live = isInPart(build, arrayType(operand).getShape(), dimension, part, size);
    return build.select(live, operand, build.splatLike(operand, 0));
  };
  if (masked) {
    left = mask(left, ragged);
    right = mask(right, rhsRagged);
  }
  Sizes shape(type.getShape().drop_front());
  for (int64_t dimension : resultOuter)
    if (dimension >= 0)
      shape[dimension - 1] = 1;
  return makeDot(build, left, right, shape);
}

/// The result with the rows of a block in it.
Value RaggedLoops::updateRows(Build build, const Place &place, Part part, int64_t size, bool masked,
                              Value state) {
  Value left = sliceOperand(build, op.getLhs(), outer, place, ragged, part.row, size);
  Value right = sliceOperand(build, op.getRhs(), rhsOuter, place, rhsRagged, part.row, size);
  Sizes shape(type.getShape());
  shape[resultRagged] = size;
  for (int64_t dimension : resultOuter)
    shape[dimension] = 1;
  Value product = makeDot(build, left, right, shape);
  SmallVector<Value> starts = resultStarts(build, place, part.row);
  if (masked) {
    Value before = build.dynamicSlice(state, starts, shape);
    product = build.select(isInPart(build, shape, resultRagged, part, size), product, before);
  }
  return build.dynamicUpdateSlice(state, product, starts);
}

/// What a block needs of an operand; without the dimension of groups.
Value RaggedLoops::sliceOperand(Build build, Value operand, ArrayRef<int64_t> outerDims,
                                const Place &place, int64_t raggedDim, Value row, int64_t size) {
  RankedTensorType operandType = arrayType(operand);
  Sizes shape(operandType.getShape());
  SmallVector<Value> starts(shape.size(), build.index(0));
  auto restrict = [&](int64_t dimension, Value start, int64_t count) {
    if (dimension < 0)
      return;
    shape[dimension] = count;
    starts[dimension] = start;
  };
  for (auto [dimension, at] : llvm::zip(outerDims, place.outer))
    restrict(dimension, at, 1);
  restrict(raggedDim, row, size);
  bool hasGroups = operand == op.getRhs() && raggedDim < 0;
  // The group's operand does not change in the loop over its blocks. Taking the sign of the row, 0,
  // into its place keeps it there, where the dot reads it as it lies; before the loop it would be a
  // copy.
  if (hasGroups)
    restrict(groupDim, build.add(place.group, build.shiftRight(row, 31)), 1);
  Value slice = build.dynamicSlice(operand, starts, shape);
  if (hasGroups) {
    shape.erase(shape.begin() + groupDim);
    slice = build.reshape(slice, shape);
  }
  return slice;
}

/// Whether a position along `dimension` of a block is one of the part.
Value RaggedLoops::isInPart(Build build, ArrayRef<int64_t> shape, int64_t dimension, Part part,
                            int64_t size) {
  Value start = build.binary<MinimumOp>(part.row, double(positions - size));
  Value at = build.iota(shape, build.builder.getI32Type(), dimension);
  at = build.add(at, build.broadcastLike(start, at, {}));
  Value begun = build.compare(at, build.broadcastLike(part.row, at, {}), Direction::GE);
  return build.bitAnd(begun,
                      build.compare(at, build.broadcastLike(part.limit, at, {}), Direction::LT));
}

/// Where the current block lies in the result: from `row` on, or, without it, all of the group.
SmallVector<Value> RaggedLoops::resultStarts(Build build, const Place &place, Value row) {
  SmallVector<Value> starts(type.getRank(), build.index(0));
  if (kind == Kind::Depth)
    starts[0] = place.group;
  else
    starts[resultRagged] = row;
  for (auto [dimension, at] : llvm::zip(resultOuter, place.outer))
    if (dimension >= 0)
      starts[dimension] = at;
  return starts;
}

Value RaggedLoops::makeDot(Build build, Value left, Value right, ArrayRef<int64_t> shape) {
  auto withoutGroup = [&](Sizes dims) {
    for (int64_t &dimension : dims)
      dimension -= groupDim >= 0 && dimension > groupDim;
    return dims;
  };
  return DotOp::create(build.builder, build.loc, type.clone(shape), left, right, lhsBatch,
                       withoutGroup(rhsBatch), lhsDepth, withoutGroup(rhsDepth),
                       op.getOperandPrecisionAttr(), op.getAlgorithmAttr());
}

namespace {

struct ExpandRaggedDot : OpRewritePattern<RaggedDotOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RaggedDotOp op, PatternRewriter &rewriter) const override {
    Build build(rewriter, op.getLoc());
    rewriter.replaceOp(op, RaggedLoops(op).expand(build));
    return success();
  }
};

} // namespace

void hloc::populateRaggedDotExpansions(RewritePatternSet &patterns) {
  patterns.add<ExpandRaggedDot>(patterns.getContext());
}
