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
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

using Sizes = SmallVector<int64_t>;

/// Positions of the largest block, how many the last, masked one has at least and at most, and how
/// much smaller each is than the one before. Blocks of rows are about what the code of a dot works
/// on at a time; those of the contracting dimension amortize adding to the sums.
struct BlockSizes {
  int64_t largest, leastLast, mostLast, factor;
};
constexpr BlockSizes kRowBlocks{768, 4, 16, 4}, kDepthBlocks{1024, 4, 16, 8};

/// Falling block sizes for `positions` in `groups`: none is larger than the average group, but for
/// the last.
Sizes chooseBlocks(int64_t positions, int64_t groups, BlockSizes limits) {
  int64_t average = llvm::bit_floor(uint64_t(std::max<int64_t>(positions / groups, 1)));
  int64_t last = std::clamp(average, limits.leastLast, limits.mostLast);
  Sizes blocks;
  for (int64_t size = std::min(average, limits.largest); size > last;
       size = std::max(size / limits.factor, last))
    blocks.push_back(size);
  blocks.push_back(std::min(last, positions));
  return blocks;
}

/// `while (condition(state)) state = step(state)`; the condition is a pred scalar.
SmallVector<Value> whileLoop(Build build, ValueRange inits,
                             function_ref<Value(Build, ValueRange)> condition,
                             function_ref<SmallVector<Value>(Build, ValueRange)> step) {
  auto before = [&](OpBuilder &inner, Location loc, ValueRange state) {
    Value holds = condition(Build(inner, loc), state);
    scf::ConditionOp::create(inner, loc, tensor::ExtractOp::create(inner, loc, holds, ValueRange()),
                             state);
  };
  auto after = [&](OpBuilder &inner, Location loc, ValueRange state) {
    scf::YieldOp::create(inner, loc, step(Build(inner, loc), state));
  };
  auto loop =
      scf::WhileOp::create(build.builder, build.loc, inits.getTypes(), inits, before, after);
  return SmallVector<Value>(loop.getResults());
}

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
  Value loopOverBlocks(Build build, const Place &place, Part part, Value state);
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
  sizes = build.convert(op.getGroupSizes(), build.builder.getI64Type());
  return build.convert(loopOverOuter(build, {}, result), element);
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
      updated = loopOverBlocks(inner, at, {row, limit}, updated);
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
      Value sums = loopOverBlocks(inner, at, {next, limit}, started);
      updated = inner.dynamicUpdateSlice(updated, inner.reshape(sums, shape), own);
    }
    return {updated, sum, limit};
  };
  Value zero64 = build.scalar(i64, 0.0), zero32 = build.index(0);
  return build.countedLoop(groups, /*reversed=*/false, {result, zero64, zero32}, step)[0];
}

Value RaggedLoops::loopOverBlocks(Build build, const Place &place, Part part, Value state) {
  Value row = part.row;
  for (int64_t size : blocks) {
    bool isLast = size == blocks.back();
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
    SmallVector<Value> after = whileLoop(build, {row, state}, goesOn, step);
    row = after[0];
    state = after[1];
  }
  return state;
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
