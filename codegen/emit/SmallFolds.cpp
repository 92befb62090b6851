// SPDX-License-Identifier: Apache-2.0
// Reductions and dots over few elements as expressions: one result element at a time, unrolled.
#include "codegen/emit/ElementEmitter.h"
#include "codegen/emit/Fold.h"
#include "codegen/emit/RegisterTile.h"
#include "codegen/math/Math.h"
#include "compiler/hlo/ElementType.h"
#include "passes/Build.h"

using namespace mlir;

namespace hloc {

/// Products of a dot that form one chain of additions; the sums of chains are then added pairwise.
static constexpr int64_t kChain = 4;

int64_t getFoldedElements(Operation *op) {
  bool isDot = isa<hlo::DotOp>(op);
  ArrayRef<int64_t> dimensions = isDot ? cast<hlo::DotOp>(op).getLhsContractingDims()
                                       : cast<hlo::ReduceOp>(op).getDimensions();
  int64_t count = 1;
  for (int64_t d : dimensions)
    count *= arrayType(op->getOperand(0)).getDimSize(d);
  return count;
}

/// All positions along `dimensions` of an array of `shape`, in row-major order.
static SmallVector<SmallVector<int64_t>> getPositions(ArrayRef<int64_t> shape,
                                                      ArrayRef<int64_t> dimensions) {
  SmallVector<SmallVector<int64_t>> positions{{}};
  for (int64_t d : dimensions) {
    SmallVector<SmallVector<int64_t>> longer;
    for (const auto &position : positions)
      for (int64_t x = 0; x < shape[d]; ++x) {
        longer.push_back(position);
        longer.back().push_back(x);
      }
    positions = longer;
  }
  return positions;
}

/// The number of lanes that a value at `at` needs: one if the index is uniform.
static int64_t getSharedLanes(IndexBuilder &index, ArrayRef<VectorIndex> at) {
  return llvm::all_of(at, [](const VectorIndex &x) { return x.isUniform(); }) ? 1
                                                                              : index.getLanes();
}

VectorValue ElementEmitter::emitReduce(OpResult result, ArrayRef<VectorIndex> at, Mask mask) {
  auto op = cast<hlo::ReduceOp>(result.getOwner());
  hlo::ComputationOp computation = lookup(op.getToApplyAttr());
  if (!computation || getFoldedElements(op) > kMaxFoldedElements)
    return {};
  ScopedLanes shared(index, getSharedLanes(index, at));
  SmallVector<Type> elements;
  for (Value input : op.getInputs())
    elements.push_back(arrayType(input).getElementType());
  Fold fold(index, elements, computation);
  SmallVector<VectorValue> total;
  for (auto [i, value] : llvm::enumerate(op.getInitialValues())) {
    VectorValue lanes = emit(value, {}, {});
    if (!lanes.re)
      return {};
    total.push_back(fold.widen(i, lanes));
  }
  auto shape = arrayType(op.getInputs()[0]).getShape();
  SmallVector<SmallVector<VectorValue>> terms;
  for (const auto &position : getPositions(shape, op.getDimensions())) {
    ElementIndex source(shape.size());
    for (auto [d, x] : llvm::zip(op.getDimensions(), position))
      source[d] = index.uniform(x);
    size_t next = 0;
    for (VectorIndex &x : source)
      if (!x.base)
        x = at[next++];
    SmallVector<VectorValue> &term = terms.emplace_back();
    for (auto [i, value] : llvm::enumerate(op.getInputs())) {
      VectorValue lanes = emit(value, source, mask);
      if (!lanes.re)
        return {};
      term.push_back(fold.widen(i, lanes));
    }
  }
  // If the order is free, combine pairwise, which shortens the chain of dependences.
  while (fold.getMonoid() && terms.size() > 1) {
    SmallVector<SmallVector<VectorValue>> sums;
    for (size_t i = 0; i + 1 < terms.size(); i += 2)
      sums.push_back(fold.combine(terms[i], terms[i + 1]));
    if (terms.size() % 2)
      sums.push_back(terms.back());
    terms = sums;
  }
  for (const auto &term : terms) {
    total = fold.combine(total, term);
    if (total.empty())
      return {};
  }
  for (auto [i, lanes] : llvm::enumerate(total)) {
    total[i] = fold.narrow(i, lanes);
    if (int64_t(i) != result.getResultNumber())
      record(op->getResult(i), at, mask, total[i]);
  }
  return total[result.getResultNumber()];
}

/// sum + x * y. A complex product is rounded on its own, as `multiply` does it, so that a number
/// times its conjugate is real.
static VectorValue addProduct(IndexBuilder &index, Type element, VectorValue x, VectorValue y,
                              VectorValue sum) {
  if (!isa<ComplexType>(element))
    return emitMultiplyAdd(index, element, x, y, sum);
  x = broadcastLanes(index, x);
  y = broadcastLanes(index, y);
  ComplexValue product = emitComplexMultiply(index.b, {x.re, x.im}, {y.re, y.im});
  return emitMonoid(index, Monoid::Add, element, sum, {product.re, product.im});
}

VectorValue ElementEmitter::emitDot(hlo::DotOp op, ArrayRef<VectorIndex> at, Mask mask) {
  if (getFoldedElements(op) > kMaxFoldedElements)
    return {};
  RankedTensorType lhs = arrayType(op.getLhs()), rhs = arrayType(op.getRhs()),
                   result = arrayType(op.getResult());
  Type element = getAccumulatorType(result.getElementType());
  ElementIndex left(lhs.getRank()), right(rhs.getRank());
  size_t next = 0;
  for (auto [l, r] : llvm::zip(op.getLhsBatchDims(), op.getRhsBatchDims()))
    left[l] = right[r] = at[next++];
  auto isContracted = [](ArrayRef<int64_t> dimensions, int64_t d) {
    return llvm::is_contained(dimensions, d);
  };
  for (int64_t d = 0; d < lhs.getRank(); ++d)
    if (!isContracted(op.getLhsContractingDims(), d) && !isContracted(op.getLhsBatchDims(), d))
      left[d] = at[next++];
  for (int64_t d = 0; d < rhs.getRank(); ++d)
    if (!isContracted(op.getRhsContractingDims(), d) && !isContracted(op.getRhsBatchDims(), d))
      right[d] = at[next++];
  ScopedLanes shared(index, getSharedLanes(index, at));
  VectorValue zero = emitZero(index, element);
  SmallVector<VectorValue> sums;
  for (auto [i, position] :
       llvm::enumerate(getPositions(lhs.getShape(), op.getLhsContractingDims()))) {
    for (auto [l, r, x] :
         llvm::zip(op.getLhsContractingDims(), op.getRhsContractingDims(), position))
      left[l] = right[r] = index.uniform(x);
    VectorValue x = emit(op.getLhs(), left, mask), y = emit(op.getRhs(), right, mask);
    if (!x.re || !y.re)
      return {};
    x = emitConvertLanes(index, x, lhs.getElementType(), element);
    y = emitConvertLanes(index, y, rhs.getElementType(), element);
    if (i % kChain == 0)
      sums.push_back(zero);
    sums.back() = addProduct(index, element, x, y, sums.back());
  }
  if (sums.empty())
    sums.push_back(zero);
  while (sums.size() > 1) {
    SmallVector<VectorValue> pairs;
    for (size_t i = 0; i + 1 < sums.size(); i += 2)
      pairs.push_back(emitMonoid(index, hlo::isPred(element) ? Monoid::Or : Monoid::Add, element,
                                 sums[i], sums[i + 1]));
    if (sums.size() % 2)
      pairs.push_back(sums.back());
    sums = pairs;
  }
  return emitConvertLanes(index, sums[0], element, result.getElementType());
}

} // namespace hloc
