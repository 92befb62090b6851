// SPDX-License-Identifier: Apache-2.0
// Sorts with comparators that kernels cannot apply lane by lane become a sorting network, each
// stage of which compares all its pairs at once. The network sorts positions, which break ties, so
// the sort is stable. Test: test/passes/expand/element-computations.mlir.
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Build.h"
#include "passes/Computations.h"
#include "passes/expand/ApplyToElements.h"
#include "passes/expand/Expansions.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

/// Batcher's bitonic network over `size` places, a power of two, in each of `rows` rows. Places
/// from `length` on come after all others.
class Network {
public:
  Network(ComputationOp comparator, ArrayRef<Value> operands, int64_t rows, int64_t length)
      : comparator(comparator), operands(operands), rows(rows), length(length),
        size(llvm::PowerOf2Ceil(length)) {}

  /// For each place of the sorted rows, the position of its elements among all elements.
  Value sort(Build build) {
    int64_t merges = llvm::Log2_64(size), stages = merges * (merges + 1) / 2;
    remarkLoop(build.loc, comparator, stages);
    Type i32 = build.builder.getI32Type();
    // The place of its row that each element comes from, and the bits of the merge and of the
    // stage.
    SmallVector<Value> state = {build.iota({rows, size}, i32, 1), build.index(1), build.index(0)};
    Value order = build.countedLoop(
        stages, /*reversed=*/false, state, [&](Build inner, Value, ValueRange state) {
          Value merge = state[1], bit = state[2];
          Value sorted = emitStage(inner, state[0], merge, bit);
          Value isLast = inner.compare(bit, 0.0, Direction::EQ);
          return SmallVector<Value>{sorted, inner.select(isLast, inner.add(merge, 1), merge),
                                    inner.select(isLast, merge, inner.sub(bit, 1))};
        })[0];
    return toPositions(build, build.sliceOf(order, 1, 0, length));
  }

private:
  /// The positions, in vectors with `length` elements per row, of elements in all rows.
  Value toPositions(Build build, Value places) {
    auto type = arrayType(places);
    Value row = build.iota(type.getShape(), type.getElementType(), 0);
    return build.add(build.mul(row, double(length)), places);
  }

  /// `columns` of each row of `table`.
  static Value pick(Build build, Value table, Value columns) {
    auto type = arrayType(table);
    SmallVector<int64_t> shape{type.getDimSize(0), arrayType(columns).getDimSize(0)};
    Value row = build.iota(shape, getElementTypeOrSelf(columns), 0);
    Value places =
        build.add(build.mul(row, double(type.getDimSize(1))), build.broadcast(columns, shape, {1}));
    return build.elementsAt(build.flatten(table), places);
  }

  /// True if the comparator puts the elements at `left` before those at `right`.
  Value compare(Build build, ValueRange left, ValueRange right, Value counts) {
    SmallVector<Value> arguments;
    for (auto [x, y] : llvm::zip(left, right)) {
      arguments.push_back(x);
      arguments.push_back(y);
    }
    return applyToElements(build, comparator, arguments, counts)[0];
  }

  /// Orders the pairs whose numbers differ in `bit`, in ascending order where bit `merge` is 0.
  Value emitStage(Build build, Value order, Value merge, Value bit) {
    Type i32 = build.builder.getI32Type();
    auto spread = [&](Value scalar, Value like) { return build.broadcastLike(scalar, like, {}); };
    Value one = build.index(1);
    Value step = build.binary<ShiftLeftOp>(one, bit), below = build.sub(step, one);
    auto bits = [&](Value value, Value mask) { return build.bitAnd(value, spread(mask, value)); };
    auto up = [&](Value value, Value by) {
      return build.binary<ShiftLeftOp>(value, spread(by, value));
    };
    auto down = [&](Value value, Value by) {
      return build.binary<ShiftRightLogicalOp>(value, spread(by, value));
    };
    Value pair = build.iota({size / 2}, i32, 0);
    Value low = build.bitOr(up(down(pair, bit), build.add(bit, one)), bits(pair, below));
    Value high = build.bitOr(low, spread(step, low));
    Value isUpwards =
        build.compare(bits(low, build.binary<ShiftLeftOp>(one, merge)), 0.0, Direction::EQ);

    Value first = pick(build, order, low), second = pick(build, order, high);
    SmallVector<Value> left, right;
    for (auto [places, elements] : {std::pair(first, &left), std::pair(second, &right)}) {
      Value inside = build.binary<MinimumOp>(places, double(length - 1));
      Value positions = build.flatten(toPositions(build, inside));
      for (Value operand : operands)
        elements->push_back(build.elementsAt(operand, positions));
    }
    Value isEarlier = build.flatten(build.compare(second, first, Direction::LT));
    Value counts = build.flatten(
        build.compare(build.binary<MaximumOp>(first, second), double(length), Direction::LT));
    Value isBefore = compare(build, right, left, counts);
    Value isAfter = compare(build, left, right, counts);
    Value isSmaller = build.bitOr(isBefore, build.bitAnd(build.unary<NotOp>(isAfter), isEarlier));
    isSmaller = build.reshape(build.select(counts, isSmaller, isEarlier), {rows, size / 2});
    Value exchanged =
        build.compare(isSmaller, build.broadcast(isUpwards, {rows, size / 2}, {1}), Direction::EQ);
    Value lower = build.select(exchanged, second, first);
    Value upper = build.select(exchanged, first, second);

    Value place = build.iota({size}, i32, 0);
    Value from = build.bitOr(up(down(place, build.add(bit, one)), bit), bits(place, below));
    Value isUpper = build.compare(bits(place, step), 0.0, Direction::NE);
    return build.select(build.broadcast(isUpper, {rows, size}, {1}), pick(build, upper, from),
                        pick(build, lower, from));
  }

  ComputationOp comparator;
  ArrayRef<Value> operands;
  int64_t rows, length, size;
};

struct ExpandSort : OpRewritePattern<SortOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SortOp op, PatternRewriter &rewriter) const override {
    ComputationOp comparator = lookupComputation(op, op.getToApplyAttr());
    if (!comparator || isLanewise(comparator))
      return rewriter.notifyMatchFailure(op, "kernels do its comparator");
    auto type = arrayType(op->getOperand(0));
    int64_t dimension = op.getDimension(), elements = type.getNumElements();
    if (elements <= 1 || type.getDimSize(dimension) == 1) {
      rewriter.replaceOp(op, op->getOperands());
      return success();
    }
    int64_t length = type.getDimSize(dimension), rows = elements / length;
    if (rows * int64_t(llvm::PowerOf2Ceil(length)) > std::numeric_limits<int32_t>::max())
      return rewriter.notifyMatchFailure(op, "too many elements to count");
    Build build(rewriter, op.getLoc());
    // Move the sorted dimension to the end.
    SmallVector<int64_t> order = iotaVector(type.getRank());
    std::rotate(order.begin() + dimension, order.begin() + dimension + 1, order.end());
    SmallVector<int64_t> shape, back(order.size());
    for (auto [i, d] : llvm::enumerate(order)) {
      shape.push_back(type.getDimSize(d));
      back[d] = i;
    }
    SmallVector<Value> vectors;
    for (Value operand : op->getOperands())
      vectors.push_back(build.flatten(build.transpose(operand, order)));
    Value positions = Network(comparator, vectors, rows, length).sort(build);
    SmallVector<Value> sorted;
    for (Value vector : vectors) {
      Value rowsInOrder = build.elementsAt(vector, positions);
      sorted.push_back(build.transpose(build.reshape(rowsInOrder, shape), back));
    }
    rewriter.replaceOp(op, sorted);
    return success();
  }
};

} // namespace

void hloc::populateComparatorExpansions(RewritePatternSet &patterns) {
  patterns.add<ExpandSort>(patterns.getContext());
}
