// SPDX-License-Identifier: Apache-2.0
// Cancels transposes through elementwise operations and stacks of rows. Test:
// test/passes/simplify/simplify-transposes.hlo.
#include "compiler/hlo/Movement.h"
#include "compiler/target/VectorAccess.h"
#include "passes/simplify/Match.h"
#include "passes/simplify/RewriteRules.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

/// The most elementwise operations between two transposes.
constexpr unsigned kDeepest = 16;

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

/// True if `value`, transposed by `moved` (its dimensions with more than one element), needs no
/// transpose: it consists of transposes that this undoes (`found` says that there is one),
/// broadcasts of scalars and rows, and elementwise operations on these that have no other users.
bool cancels(Value value, ArrayRef<int64_t> moved, bool &found, unsigned depth = 0) {
  if (arrayType(value).getRank() == 0)
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || depth == kDeepest)
    return false;
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return llvm::is_sorted(movePlaces(getPlaces(broadcast), moved));
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    SmallVector<int64_t> back = getMoved(transpose);
    for (auto [i, dimension] : llvm::enumerate(moved))
      if (back[dimension] != int64_t(i))
        return false;
    found = true;
    return true;
  }
  if (Value inner = skipUnitReshape(value))
    return op->hasOneUse() && cancels(inner, moved, found, depth + 1);
  return op->hasTrait<Elementwise>() && op->getNumResults() == 1 && op->hasOneUse() &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return cancels(operand, moved, found, depth + 1); });
}

/// `value`, transposed by `moved`, in `shape`; requires `cancels`.
Value rebuild(Build build, Value value, ArrayRef<int64_t> moved, ArrayRef<int64_t> shape) {
  if (arrayType(value).getRank() == 0)
    return value;
  if (auto broadcast = value.getDefiningOp<BroadcastOp>()) {
    SmallVector<int64_t> kept = getNonUnitDimensions(arrayType(broadcast).clone(shape)), rowShape;
    SmallVector<int64_t> dimensions = movePlaces(getPlaces(broadcast), moved);
    for (int64_t &dimension : dimensions) {
      dimension = kept[dimension];
      rowShape.push_back(shape[dimension]);
    }
    return build.broadcast(build.reshape(broadcast.getOperand(), rowShape), shape, dimensions);
  }
  if (auto transpose = value.getDefiningOp<TransposeOp>())
    return build.reshape(transpose.getOperand(), shape);
  if (Value inner = skipUnitReshape(value))
    return rebuild(build, inner, moved, shape);
  Operation *op = value.getDefiningOp();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(rebuild(build, operand, moved, shape));
  Operation *clone = build.builder.clone(*op);
  clone->setOperands(operands);
  clone->getResult(0).setType(arrayType(value).clone(shape));
  return clone->getResult(0);
}

/// Modules whose result is a transpose often have a layout that undoes it in memory, and products
/// that sum nothing are in another order of dimensions than their operand.
Value transposeOfElementwise(TransposeOp op, Build build) {
  Value source = op.getOperand();
  if (Value inner = skipUnitReshape(source); inner && source.hasOneUse())
    source = inner;
  Operation *inner = source.getDefiningOp();
  SmallVector<int64_t> moved = getMoved(op);
  bool found = false;
  if (!inner || !inner->hasTrait<Elementwise>() || !cancels(source, moved, found) || !found)
    return nullptr;
  return rebuild(build, source, moved, arrayType(op).getShape());
}

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
}
