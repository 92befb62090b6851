// SPDX-License-Identifier: Apache-2.0
// Cancels transposes through elementwise operations and stacks of rows. Tests:
// test/passes/simplify/simplify-transposes.hlo, test/passes/simplify/reduce-of-transposes.hlo.
#include "compiler/hlo/Movement.h"
#include "compiler/target/VectorAccess.h"
#include "passes/simplify/Match.h"
#include "passes/simplify/RewriteRules.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

/// The most elementwise operations that transposes are moved across.
constexpr size_t kMostOperations = 64;

/// The permutation of the dimensions with more than one element.
SmallVector<int64_t> getMoved(TransposeOp op) {
  SmallVector<int64_t> kept = getNonUnitDimensions(arrayType(op.getOperand())), moved;
  for (int64_t dimension : op.getDimensions())
    if (auto at = llvm::find(kept, dimension); at != kept.end())
      moved.push_back(at - kept.begin());
  return moved;
}

/// The operand of a reshape that only adds or drops dimensions of size one, or null.
Value skipUnitReshape(Value value) {
  auto reshape = value.getDefiningOp<ReshapeOp>();
  return reshape && isUnitReshape(reshape) ? reshape.getOperand() : Value();
}

/// Where the dimensions of the operand that have more than one element are among those of the
/// result.
SmallVector<int64_t> getPlaces(BroadcastOp op) {
  SmallVector<int64_t> kept = getNonUnitDimensions(arrayType(op)), places;
  for (int64_t d : getNonUnitDimensions(arrayType(op.getOperand())))
    places.push_back(llvm::find(kept, op.getDimensions()[d]) - kept.begin());
  return places;
}

/// These places after the result is transposed by `moved`.
SmallVector<int64_t> movePlaces(ArrayRef<int64_t> places, ArrayRef<int64_t> moved) {
  return llvm::map_to_vector(
      places, [&](int64_t place) { return llvm::find(moved, place) - moved.begin(); });
}

/// Elementwise operations that a value is computed with and that nothing else needs.
class ElementwiseTree {
public:
  /// The operations from transposes, broadcasts and scalars up to `root`, which `user` uses.
  ElementwiseTree(Value root, Operation *user) : root(root) {
    SmallVector<Value> open{root};
    while (!open.empty() && inner.size() <= kMostOperations) {
      Value value = open.pop_back_val();
      if (isLeaf(value))
        leaves.insert(value);
      else if (Operation *op = value.getDefiningOp(); inner.insert(op))
        llvm::append_range(open, op->getOperands());
    }
    auto isHere = [&](Operation *op) { return op == user || inner.contains(op); };
    isClosed = inner.size() <= kMostOperations && llvm::all_of(inner, [&](Operation *op) {
                 return llvm::all_of(op->getUsers(), isHere);
               });
  }

  /// The first transpose; null if there is none.
  TransposeOp findTranspose() const {
    for (Value leaf : leaves)
      if (auto transpose = leaf.getDefiningOp<TransposeOp>())
        return transpose;
    return nullptr;
  }

  /// True if the root, transposed by `moved` (its dimensions with more than one element), needs no
  /// transpose: that undoes all transposes, of which there is one, and all else are broadcasts of
  /// scalars and rows.
  bool cancels(ArrayRef<int64_t> moved) const {
    return isClosed && findTranspose() &&
           llvm::all_of(leaves, [&](Value leaf) { return cancels(leaf, moved); });
  }

  /// The root, transposed by `moved`, in `shape`; requires `cancels`.
  Value rebuild(Build build, ArrayRef<int64_t> moved, ArrayRef<int64_t> shape) {
    rebuilt.clear();
    return rebuild(build, root, moved, shape);
  }

private:
  static bool isLeaf(Value value) {
    Operation *op = value.getDefiningOp();
    bool isInner =
        op && op->getNumResults() == 1 && (op->hasTrait<Elementwise>() || skipUnitReshape(value));
    return !isInner || arrayType(value).getRank() == 0;
  }
  static bool cancels(Value leaf, ArrayRef<int64_t> moved);
  Value rebuild(Build build, Value value, ArrayRef<int64_t> moved, ArrayRef<int64_t> shape);

  Value root;
  llvm::SetVector<Operation *> inner;
  llvm::SetVector<Value> leaves;
  bool isClosed = false;
  llvm::DenseMap<Value, Value> rebuilt;
};

bool ElementwiseTree::cancels(Value leaf, ArrayRef<int64_t> moved) {
  if (arrayType(leaf).getRank() == 0)
    return true;
  if (auto broadcast = leaf.getDefiningOp<BroadcastOp>())
    return llvm::is_sorted(movePlaces(getPlaces(broadcast), moved));
  auto transpose = leaf.getDefiningOp<TransposeOp>();
  if (!transpose)
    return false;
  SmallVector<int64_t> back = getMoved(transpose);
  for (auto [i, dimension] : llvm::enumerate(moved))
    if (back[dimension] != int64_t(i))
      return false;
  return true;
}

Value ElementwiseTree::rebuild(Build build, Value value, ArrayRef<int64_t> moved,
                               ArrayRef<int64_t> shape) {
  if (arrayType(value).getRank() == 0)
    return value;
  if (auto found = rebuilt.find(value); found != rebuilt.end())
    return found->second;
  Value result;
  if (auto broadcast = value.getDefiningOp<BroadcastOp>()) {
    SmallVector<int64_t> kept = getNonUnitDimensions(arrayType(broadcast).clone(shape)), rowShape;
    SmallVector<int64_t> dimensions = movePlaces(getPlaces(broadcast), moved);
    for (int64_t &dimension : dimensions) {
      dimension = kept[dimension];
      rowShape.push_back(shape[dimension]);
    }
    result = build.broadcast(build.reshape(broadcast.getOperand(), rowShape), shape, dimensions);
  } else if (auto transpose = value.getDefiningOp<TransposeOp>()) {
    result = build.reshape(transpose.getOperand(), shape);
  } else if (Value inner = skipUnitReshape(value)) {
    result = rebuild(build, inner, moved, shape);
  } else {
    Operation *op = value.getDefiningOp();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(rebuild(build, operand, moved, shape));
    Operation *clone = build.builder.clone(*op);
    clone->setOperands(operands);
    result = clone->getResult(0);
    result.setType(arrayType(value).clone(shape));
  }
  return rebuilt[value] = result;
}

/// Modules whose result is a transpose often have a layout that undoes it in memory, and products
/// that sum nothing are in another order of dimensions than their operand.
Value transposeOfElementwise(TransposeOp op, Build build) {
  Value source = op.getOperand();
  Operation *user = op;
  if (Value inner = skipUnitReshape(source); inner && source.hasOneUse()) {
    user = source.getDefiningOp();
    source = inner;
  }
  Operation *inner = source.getDefiningOp();
  if (!inner || !inner->hasTrait<Elementwise>())
    return nullptr;
  ElementwiseTree tree(source, user);
  SmallVector<int64_t> moved = getMoved(op);
  return tree.cancels(moved) ? tree.rebuild(build, moved, arrayType(op).getShape()) : Value();
}

/// What is reduced is transposed after it is computed, not before: the reduction can then be one of
/// the dimensions before the transpose.
struct ReduceOfElementwise : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    Value source = op.getInputs()[0];
    Operation *inner = source.getDefiningOp();
    if (op.getCount() != 1 || !inner || !inner->hasTrait<Elementwise>())
      return rewriter.notifyMatchFailure(op, "not of one elementwise operation");
    ElementwiseTree tree(source, op);
    TransposeOp transpose = tree.findTranspose();
    if (!transpose)
      return rewriter.notifyMatchFailure(op, "no transpose");
    SmallVector<int64_t> moved = getMoved(transpose), back(moved.size()), shape;
    for (auto [i, dimension] : llvm::enumerate(moved))
      back[dimension] = i;
    if (!tree.cancels(back))
      return rewriter.notifyMatchFailure(op, "operands are not transposed alike");
    RankedTensorType type = arrayType(transpose.getOperand());
    for (int64_t dimension : getNonUnitDimensions(type))
      shape.push_back(type.getDimSize(dimension));
    Build build(rewriter, op.getLoc());
    Value turned = build.transpose(tree.rebuild(build, back, shape), moved);
    rewriter.modifyOpInPlace(
        op, [&] { op->setOperand(0, build.reshape(turned, arrayType(source).getShape())); });
    return success();
  }
};

/// Drop dimensions of size one before the transpose, so that it is next to its users.
Value reshapeOfTranspose(ReshapeOp op, Build build) {
  auto transpose = op.getOperand().getDefiningOp<TransposeOp>();
  if (!transpose || !transpose->hasOneUse())
    return nullptr;
  auto type = arrayType(transpose.getOperand());
  SmallVector<int64_t> shape, moved = getMoved(transpose), movedShape;
  for (int64_t dimension : getNonUnitDimensions(type))
    shape.push_back(type.getDimSize(dimension));
  for (int64_t dimension : moved)
    movedShape.push_back(shape[dimension]);
  if (int64_t(moved.size()) == type.getRank() || arrayType(op).getShape() != ArrayRef(movedShape))
    return nullptr;
  return build.transpose(build.reshape(transpose.getOperand(), shape), moved);
}

/// A few single rows that are stacked and transposed are stacked along the minor dimension, so that
/// kernels compute the elements of a row of the result together: the coordinates of points, for
/// instance, which a cross product computes one by one.
Value transposeOfStack(TransposeOp op, Build build) {
  auto stack = op.getOperand().getDefiningOp<ConcatenateOp>();
  auto type = arrayType(op);
  if (!stack || !stack->hasOneUse() || stack->getNumOperands() > kMostStacked ||
      op.getDimensions().back() != int64_t(stack.getDimension()) ||
      llvm::any_of(op->getUsers(), [](Operation *user) { return isa<TransposeOp>(user); }))
    return nullptr; // or two transposes, which may cancel
  SmallVector<Value> operands;
  for (Value operand : stack.getOperands()) {
    auto row = arrayType(operand);
    SmallVector<int64_t> shape, moved;
    for (int64_t dimension : op.getDimensions()) {
      shape.push_back(row.getDimSize(dimension));
      if (shape.back() != 1)
        moved.push_back(dimension);
    }
    if (shape.back() != 1 || !llvm::is_sorted(moved))
      return nullptr;
    operands.push_back(build.reshape(operand, shape));
  }
  return build.concatenate(operands, type.getRank() - 1);
}

} // namespace

void hloc::populateTransposeRules(RewritePatternSet &patterns) {
  addRule<ReshapeOp>(patterns, "reshape(transpose(x)) without unit dimensions", reshapeOfTranspose);
  addRule<TransposeOp>(patterns, "transpose(concatenate(rows))", transposeOfStack);
  addRule<TransposeOp>(patterns, "transpose(f(transpose(x), s)) = f(x, s)", transposeOfElementwise);
  patterns.add<ReduceOfElementwise>(patterns.getContext());
}
