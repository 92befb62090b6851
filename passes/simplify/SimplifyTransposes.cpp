// SPDX-License-Identifier: Apache-2.0
// Cancels transposes through elementwise operations and stacks of rows. Test:
// test/passes/simplify/simplify-transposes.hlo.
#include "compiler/target/VectorAccess.h"
#include "passes/simplify/RewriteRules.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

/// The most elementwise operations between two transposes.
constexpr unsigned kDeepest = 16;

/// The scalar that `value` repeats, or null.
Value getRepeated(Value value) {
  if (arrayType(value).getRank() == 0)
    return value;
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  return broadcast && arrayType(broadcast.getOperand()).getRank() == 0 ? broadcast.getOperand()
                                                                       : Value();
}

/// True if `value`, transposed by `permutation`, needs no transpose: it consists of transposes that
/// the permutation undoes (`found` says that there is one), scalars, and elementwise operations on
/// these that have no other users.
bool cancels(Value value, ArrayRef<int64_t> permutation, bool &found, unsigned depth = 0) {
  if (getRepeated(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || depth == kDeepest)
    return false;
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    for (auto [i, dimension] : llvm::enumerate(permutation))
      if (transpose.getDimensions()[dimension] != int64_t(i))
        return false;
    found = true;
    return true;
  }
  return op->hasTrait<Elementwise>() && op->getNumResults() == 1 && op->hasOneUse() &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return cancels(operand, permutation, found, depth + 1);
         });
}

/// `value` without the transposes, in `shape`; requires `cancels`.
Value rebuild(Build build, Value value, ArrayRef<int64_t> shape) {
  if (Value scalar = getRepeated(value))
    return arrayType(value).getRank() == 0 ? value : build.broadcast(scalar, shape, {});
  if (auto transpose = value.getDefiningOp<TransposeOp>())
    return transpose.getOperand();
  Operation *op = value.getDefiningOp();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(rebuild(build, operand, shape));
  Operation *clone = build.builder.clone(*op);
  clone->setOperands(operands);
  clone->getResult(0).setType(arrayType(value).clone(shape));
  return clone->getResult(0);
}

/// Modules whose result is a transpose often have a layout that undoes it in memory.
Value transposeOfElementwise(TransposeOp op, Build build) {
  Operation *inner = op.getOperand().getDefiningOp();
  bool found = false;
  if (!inner || !inner->hasTrait<Elementwise>() ||
      !cancels(op.getOperand(), op.getDimensions(), found) || !found)
    return nullptr;
  return rebuild(build, op.getOperand(), arrayType(op).getShape());
}

/// Drop dimensions of size one before the transpose, so that it is next to its users.
Value reshapeOfTranspose(ReshapeOp op, Build build) {
  auto transpose = op.getOperand().getDefiningOp<TransposeOp>();
  if (!transpose || !transpose->hasOneUse())
    return nullptr;
  auto type = arrayType(transpose.getOperand());
  SmallVector<int64_t> kept, shape, permutation, moved;
  for (auto [dimension, size] : llvm::enumerate(type.getShape()))
    if (size != 1) {
      kept.push_back(dimension);
      shape.push_back(size);
    }
  for (int64_t dimension : transpose.getDimensions())
    if (type.getDimSize(dimension) != 1) {
      permutation.push_back(llvm::find(kept, dimension) - kept.begin());
      moved.push_back(type.getDimSize(dimension));
    }
  if (int64_t(kept.size()) == type.getRank() || arrayType(op).getShape() != ArrayRef(moved))
    return nullptr;
  return build.transpose(build.reshape(transpose.getOperand(), shape), permutation);
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
