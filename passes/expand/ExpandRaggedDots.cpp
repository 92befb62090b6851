// SPDX-License-Identifier: Apache-2.0
// Ragged dots as dots over the part of each group: a loop over the groups, and for each one a dot
// of a block of its positions, or of several if it is large. The blocks are dynamic slices of the
// operands where they lie, with positions of other groups masked, for which dots do no work
// (passes/schedule/DotProblem.h), and results are written in place.
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

/// How many average groups a block holds, so that most groups are one: its dot does what packing
/// takes once. And positions that are no work to speak of.
struct BlockSize {
  int64_t groups, least;
};
constexpr BlockSize kRowBlock{2, 4}, kDepthBlock{2, 64};

/// One ragged dot, taken apart. Outer dimensions are those of lhs for whose every place
/// `group_sizes` has sizes of its own.
class RaggedLoops {
public:
  explicit RaggedLoops(RaggedDotOp op);

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
  using BlockStep = function_ref<Value(Build, Part, Value)>;
  Value forEachBlock(Build build, Part part, Value state, BlockStep step);
  Value finishRows(Build build, const Place &place, Value row, Value state);
  Value sumDepth(Build build, const Place &place, Part part, Value state);
  Value updateRows(Build build, const Place &place, Part part, Value state);
  Value writeRows(Build build, const Place &place, Part part, Value product, Value state);
  Value multiplyDepth(Build build, const Place &place, Part part);
  Value getStart(Build build, Value row);
  Value sliceOperand(Build build, Value operand, ArrayRef<int64_t> outerDims, const Place &place,
                     int64_t ragged, Value row);
  Value isInPart(Build build, ArrayRef<int64_t> shape, int64_t dimension, Part part);
  SmallVector<int64_t> rowsShape();
  SmallVector<Value> resultStarts(Build build, const Place &place, Value row);
  Value makeDot(Build build, Value left, Value right, ArrayRef<int64_t> shape);
  /// Whether parts of one sum are places of an outer dimension.
  bool addsUp() const { return llvm::is_contained(resultOuter, -1); }
  Type sumType() {
    return widenSum(getProductSumType(lhsType.getElementType(), rhsType.getElementType(),
                                      arrayType(op).getElementType()));
  }

  RaggedDotOp op;
  Kind kind = Kind::Rows;
  RankedTensorType lhsType, rhsType, type; // of the loops' result
  int64_t ragged, rhsRagged = -1, groupDim = -1, resultRagged = -1;
  int64_t groups, positions;
  SmallVector<int64_t> lhsBatch, rhsBatch, lhsDepth, rhsDepth;
  /// Of each outer dimension: its number in the operands and the result; -1 where it is not there.
  SmallVector<int64_t> outer, rhsOuter, resultOuter;
  int64_t size = 0; // positions of a block
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
  for (SmallVector<int64_t> *dims : {&outer, &rhsOuter, &resultOuter})
    dims->resize(std::min(dims->size(), listed));
}

Value RaggedLoops::expand(Build build) {
  Type element = type.getElementType();
  if (kind == Kind::Batch) // groups of batches: each batch has its own product anyway
    return DotOp::create(build.builder, build.loc, type, op.getLhs(), op.getRhs(), lhsBatch,
                         rhsBatch, lhsDepth, rhsDepth, op.getOperandPrecisionAttr(),
                         op.getAlgorithmAttr());
  if (type.getNumElements() == 0 || positions == 0 || groups == 0 || lhsType.getNumElements() == 0)
    return build.zero(type);
  BlockSize block = kind == Kind::Rows ? kRowBlock : kDepthBlock;
  size = std::min(positions, std::max(block.groups * int64_t(llvm::divideCeil(positions, groups)),
                                      block.least));
  // More than an array has positions: larger sizes mean no more, and sums of these do not overflow.
  constexpr double most = int64_t(1) << 40;
  bool isWide = getElementTypeOrSelf(op.getGroupSizes()).getIntOrFloatBitWidth() == 64;
  sizes = isWide ? build.binary<MinimumOp>(op.getGroupSizes(), most) : op.getGroupSizes();
  sizes = build.convert(sizes, build.builder.getI64Type());
  if (isWide)
    sizes = build.binary<MaximumOp>(sizes, -most);
  if (addsUp()) // sums of several blocks are rounded once
    type = type.clone(sumType());
  Value result = addsUp() ? build.zero(type)
                          : Value(tensor::EmptyOp::create(build.builder, build.loc, type.getShape(),
                                                          type.getElementType()));
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
    Value size = inner.reshape(
        inner.dynamicSlice(sizes, starts, SmallVector<int64_t>(starts.size(), 1)), {});
    Value sum = inner.add(state[1], size), row = state[2];
    Value inside = inner.binary<MinimumOp>(sum, double(positions));
    Value limit =
        inner.binary<MaximumOp>(inner.convert(inner.binary<MaximumOp>(inside, 0.0), i32), row);
    Part part{row, limit};
    Value updated = kind == Kind::Rows ? updateRows(inner, at, part, state[0])
                                       : sumDepth(inner, at, part, state[0]);
    return {updated, sum, limit};
  };
  Value zero64 = build.scalar(i64, 0.0), zero32 = build.index(0);
  SmallVector<Value> after =
      build.countedLoop(groups, /*reversed=*/false, {result, zero64, zero32}, step);
  return kind == Kind::Rows ? finishRows(build, place, after[2], after[0]) : after[0];
}

/// Does `step` for the positions of a block, and as long as there are any left.
Value RaggedLoops::forEachBlock(Build build, Part part, Value state, BlockStep step) {
  auto goesOn = [&](Build inner, ValueRange now) {
    return inner.compare(now[0], part.limit, Direction::LT);
  };
  auto next = [&](Build inner, ValueRange now) -> SmallVector<Value> {
    return {inner.add(now[0], double(size)), step(inner, {now[0], part.limit}, now[1])};
  };
  return size == positions ? doOnce(build, {part.row, state}, goesOn, next)[1]
                           : whileLoop(build, {part.row, state}, goesOn, next)[1];
}

/// The result with the rows of a group in it.
Value RaggedLoops::updateRows(Build build, const Place &place, Part part, Value state) {
  return forEachBlock(build, part, state, [&](Build inner, Part rest, Value now) {
    Value left = sliceOperand(inner, op.getLhs(), outer, place, ragged, rest.row);
    Value right = sliceOperand(inner, op.getRhs(), rhsOuter, place, rhsRagged, rest.row);
    return writeRows(inner, place, rest, makeDot(inner, left, right, rowsShape()), now);
  });
}

/// The same with zeros from `row` on, which is in no group.
Value RaggedLoops::finishRows(Build build, const Place &place, Value row, Value state) {
  return forEachBlock(build, {row, build.index(positions)}, state,
                      [&](Build inner, Part rest, Value now) {
                        Value zeros = inner.zero(type.clone(rowsShape()));
                        return writeRows(inner, place, rest, zeros, now);
                      });
}

/// Of the rows of a block those that belong to the part.
Value RaggedLoops::writeRows(Build build, const Place &place, Part part, Value product,
                             Value state) {
  SmallVector<int64_t> shape = rowsShape();
  SmallVector<Value> starts = resultStarts(build, place, getStart(build, part.row));
  Value before = build.dynamicSlice(state, starts, shape);
  Value rows = build.select(isInPart(build, shape, resultRagged, part), product, before);
  return build.dynamicUpdateSlice(state, rows, starts);
}

/// The result with the product of a group in it, or added to what places before have given along
/// contracting dimensions that are outer ones.
Value RaggedLoops::sumDepth(Build build, const Place &place, Part part, Value state) {
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = 1;
  for (int64_t dimension : resultOuter)
    if (dimension >= 0)
      shape[dimension] = 1;
  auto write = [&](Build inner, Value product, Value now) {
    Value converted = inner.reshape(inner.convert(product, type.getElementType()), shape);
    return inner.dynamicUpdateSlice(now, converted, resultStarts(inner, place, {}));
  };
  if (addsUp())
    return forEachBlock(build, part, state, [&](Build inner, Part rest, Value now) {
      Value before = inner.dynamicSlice(now, resultStarts(inner, place, {}), shape);
      Value product = inner.reshape(multiplyDepth(inner, place, rest), shape);
      return inner.dynamicUpdateSlice(now, inner.add(before, product),
                                      resultStarts(inner, place, {}));
    });
  if (size == positions)
    return write(build, multiplyDepth(build, place, part), state);
  Value behind = build.add(part.row, double(size));
  auto one = [&](OpBuilder &builder, Location loc) {
    Build inner(builder, loc);
    scf::YieldOp::create(builder, loc, write(inner, multiplyDepth(inner, place, part), state));
  };
  auto several = [&](OpBuilder &builder, Location loc) {
    Build inner(builder, loc);
    Value first = multiplyDepth(inner, place, part);
    Value sum =
        forEachBlock(inner, {behind, part.limit}, first, [&](Build at, Part rest, Value now) {
          return at.add(now, multiplyDepth(at, place, rest));
        });
    scf::YieldOp::create(builder, loc, write(inner, sum, state));
  };
  Value fits = build.compare(behind, part.limit, Direction::GE);
  fits = tensor::ExtractOp::create(build.builder, build.loc, fits, ValueRange());
  return scf::IfOp::create(build.builder, build.loc, fits, one, several).getResult(0);
}

/// The product of the positions of a block that belong to the part.
Value RaggedLoops::multiplyDepth(Build build, const Place &place, Part part) {
  auto maskedSlice = [&](Value operand, ArrayRef<int64_t> outerDims, int64_t dimension) {
    Value slice = sliceOperand(build, operand, outerDims, place, dimension, part.row);
    Value live = isInPart(build, arrayType(slice).getShape(), dimension, part);
    return build.select(live, slice, build.splatLike(slice, 0));
  };
  Value left = maskedSlice(op.getLhs(), outer, ragged),
        right = maskedSlice(op.getRhs(), rhsOuter, rhsRagged);
  SmallVector<int64_t> shape(type.getShape().drop_front());
  for (int64_t dimension : resultOuter)
    if (dimension >= 0)
      shape[dimension - 1] = 1;
  return makeDot(build, left, right, shape);
}

/// Where the block begins that is to have the positions from `row` on, as many as there are.
Value RaggedLoops::getStart(Build build, Value row) {
  return size == positions ? build.index(0)
                           : build.binary<MinimumOp>(row, double(positions - size));
}

/// What a block needs of an operand; without the dimension of groups.
Value RaggedLoops::sliceOperand(Build build, Value operand, ArrayRef<int64_t> outerDims,
                                const Place &place, int64_t raggedDim, Value row) {
  RankedTensorType operandType = arrayType(operand);
  SmallVector<int64_t> shape(operandType.getShape());
  SmallVector<Value> starts(shape.size(), build.index(0));
  auto restrict = [&](int64_t dimension, Value start, int64_t count) {
    if (dimension < 0)
      return;
    shape[dimension] = count;
    starts[dimension] = start;
  };
  for (auto [dimension, at] : llvm::zip(outerDims, place.outer))
    restrict(dimension, at, 1);
  restrict(raggedDim, getStart(build, row), size);
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
Value RaggedLoops::isInPart(Build build, ArrayRef<int64_t> shape, int64_t dimension, Part part) {
  Value start = getStart(build, part.row);
  Value at = build.iota(shape, build.builder.getI32Type(), dimension);
  auto compare = [&](Value bound, Direction direction) {
    return build.compare(at, build.broadcastLike(build.sub(bound, start), at, {}), direction);
  };
  return build.bitAnd(compare(part.row, Direction::GE), compare(part.limit, Direction::LT));
}

/// Of the rows of a block.
SmallVector<int64_t> RaggedLoops::rowsShape() {
  SmallVector<int64_t> shape(type.getShape());
  shape[resultRagged] = size;
  for (int64_t dimension : resultOuter)
    shape[dimension] = 1;
  return shape;
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
  auto withoutGroup = [&](SmallVector<int64_t> dims) {
    for (int64_t &dimension : dims)
      dimension -= groupDim >= 0 && dimension > groupDim;
    return dims;
  };
  Type element = kind == Kind::Rows ? type.getElementType() : sumType();
  return DotOp::create(build.builder, build.loc, RankedTensorType::get(shape, element), left, right,
                       lhsBatch, withoutGroup(rhsBatch), lhsDepth, withoutGroup(rhsDepth),
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
