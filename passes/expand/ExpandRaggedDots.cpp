// SPDX-License-Identifier: Apache-2.0
// Ragged dots as dots over the parts of groups: a loop over the groups, and for each group a dot of
// a block of its positions, or several if the group is large. The blocks are dynamic slices of the
// operands in place, with positions of other groups masked, for which dots do no work
// (passes/schedule/DotProblem.h); results are written in place. Test:
// test/passes/expand/expand-ragged-dots.hlo.
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Build.h"
#include "passes/expand/Expansions.h"
#include "passes/expand/RaggedBlocks.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

/// The size of a block in average groups, so that most groups are one block, whose dot packs its
/// operands once; and the fewest positions of a block.
struct BlockSize {
  int64_t groups, least;
};
constexpr BlockSize kRowBlock{2, 4}, kDepthBlock{2, 64};

/// The parts of one ragged dot. Outer dimensions are those of lhs for each of whose positions
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
  /// Position of the loops: the group, and the position along each outer dimension.
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
  /// True if an outer dimension is contracting, so that its positions contribute to one sum.
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
  /// For each outer dimension, its number in the operands and the result; -1 if it does not occur
  /// there.
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
  if (kind == Kind::Batch) // groups of batches: each batch has a product of its own
    return DotOp::create(build.builder, build.loc, type, op.getLhs(), op.getRhs(), lhsBatch,
                         rhsBatch, lhsDepth, rhsDepth, op.getOperandPrecisionAttr(),
                         op.getAlgorithmAttr());
  if (type.getNumElements() == 0 || positions == 0 || groups == 0 || lhsType.getNumElements() == 0)
    return build.zero(type);
  BlockSize block = kind == Kind::Rows ? kRowBlock : kDepthBlock;
  size = std::min(positions, std::max(block.groups * int64_t(llvm::divideCeil(positions, groups)),
                                      block.least));
  // Larger sizes than any array's have the same effect, and sums of clamped sizes do not overflow.
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

/// Each group begins where the one before ends, and none extends past the end.
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

/// Runs `step` for the positions of a block, and repeats as long as positions remain.
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

/// The result with the rows of a group written.
Value RaggedLoops::updateRows(Build build, const Place &place, Part part, Value state) {
  return forEachBlock(build, part, state, [&](Build inner, Part rest, Value now) {
    Value left = sliceOperand(inner, op.getLhs(), outer, place, ragged, rest.row);
    Value right = sliceOperand(inner, op.getRhs(), rhsOuter, place, rhsRagged, rest.row);
    return writeRows(inner, place, rest, makeDot(inner, left, right, rowsShape()), now);
  });
}

/// Likewise with zeros from `row` on, where there is no group.
Value RaggedLoops::finishRows(Build build, const Place &place, Value row, Value state) {
  return forEachBlock(build, {row, build.index(positions)}, state,
                      [&](Build inner, Part rest, Value now) {
                        Value zeros = inner.zero(type.clone(rowsShape()));
                        return writeRows(inner, place, rest, zeros, now);
                      });
}

/// Writes only the rows of a block that belong to the part.
Value RaggedLoops::writeRows(Build build, const Place &place, Part part, Value product,
                             Value state) {
  SmallVector<int64_t> shape = rowsShape();
  SmallVector<Value> starts = resultStarts(build, place, getStart(build, part.row));
  Value before = build.dynamicSlice(state, starts, shape);
  Value rows = build.select(isInPart(build, shape, resultRagged, part), product, before);
  return build.dynamicUpdateSlice(state, rows, starts);
}

/// The result with the product of a group written, or added to those of earlier positions along
/// outer contracting dimensions.
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

/// The product over the positions of a block that belong to the part.
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

/// The start of the block with the positions from `row` on, moved back so that it is in bounds.
Value RaggedLoops::getStart(Build build, Value row) {
  return size == positions ? build.index(0)
                           : build.binary<MinimumOp>(row, double(positions - size));
}

/// The slice of an operand that a block needs, without the dimension of groups.
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
  // The group's operand is invariant in the loop over its blocks. Adding the sign of the row, 0, to
  // its position keeps the slice in the loop, where the dot reads it in place; if it were hoisted,
  // it would be copied.
  if (hasGroups)
    restrict(groupDim, build.add(place.group, build.shiftRight(row, 31)), 1);
  Value slice = build.dynamicSlice(operand, starts, shape);
  if (hasGroups) {
    shape.erase(shape.begin() + groupDim);
    slice = build.reshape(slice, shape);
  }
  return slice;
}

/// True for positions along `dimension` of a block that belong to the part.
Value RaggedLoops::isInPart(Build build, ArrayRef<int64_t> shape, int64_t dimension, Part part) {
  Value start = getStart(build, part.row);
  Value at = build.iota(shape, build.builder.getI32Type(), dimension);
  auto compare = [&](Value bound, Direction direction) {
    return build.compare(at, build.broadcastLike(build.sub(bound, start), at, {}), direction);
  };
  return build.bitAnd(compare(part.row, Direction::GE), compare(part.limit, Direction::LT));
}

/// The result's shape for the rows of a block.
SmallVector<int64_t> RaggedLoops::rowsShape() {
  SmallVector<int64_t> shape(type.getShape());
  shape[resultRagged] = size;
  for (int64_t dimension : resultOuter)
    shape[dimension] = 1;
  return shape;
}

/// Start indices of the current block in the result: from `row` on or, without it, the whole group.
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
