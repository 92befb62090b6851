// SPDX-License-Identifier: Apache-2.0
// Operations on constants, done by the reference evaluator; bounded, so that compile time stays
// linear. Moving data within large constants, such as weights, is free or one copy.
// Test: test/passes/simplify/fold-constants.mlir.
#include "compiler/evaluator/core/Evaluator.h"
#include "compiler/hlo/Literal.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "passes/simplify/Match.h"
#include "passes/simplify/RewriteRules.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

/// Greatest number of elements of what the evaluator computes, and greatest work.
constexpr int64_t kMaxElements = 1 << 14;
/// Greatest constant that is transposed.
constexpr int64_t kMaxTransposedBytes = int64_t(1) << 28;

/// A constant's elements in another shape share its memory.
Value reshapeConstant(ReshapeOp op, Build build) {
  auto constant = op.getOperand().getDefiningOp<ConstantOp>();
  if (!constant)
    return nullptr;
  auto type = arrayType(op);
  if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
    return ConstantOp::create(build.builder, op.getLoc(), type, dense.reshape(type));
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue()))
    return ConstantOp::create(build.builder, op.getLoc(), type,
                              DenseResourceElementsAttr::get(type, resource.getRawHandle()));
  return nullptr;
}

/// A large constant that only this transposes: once, at compile time.
Value transposeConstant(TransposeOp op, Build build) {
  auto constant = op.getOperand().getDefiningOp<ConstantOp>();
  auto type = arrayType(op);
  auto value = constant ? dyn_cast<ElementsAttr>(constant.getValue()) : ElementsAttr();
  if (!value || type.getNumElements() < kMaxElements || !constant->hasOneUse())
    return nullptr;
  int64_t size = getLiteralElementBytes(type.getElementType());
  if (type.getNumElements() * size > kMaxTransposedBytes)
    return nullptr;
  SmallVector<char> storage;
  ArrayRef<char> source = getLiteralBytes(value, storage);
  if (int64_t(source.size()) != type.getNumElements() * size)
    return nullptr;
  // The step in the source that goes with a step in each dimension of the result.
  auto from = arrayType(op.getOperand());
  SmallVector<int64_t> sourceSteps(from.getRank(), 1), steps, index(type.getRank(), 0);
  for (int64_t i = from.getRank() - 2; i >= 0; --i)
    sourceSteps[i] = sourceSteps[i + 1] * from.getDimSize(i + 1);
  for (int64_t dimension : op.getDimensions())
    steps.push_back(sourceSteps[dimension] * size);
  std::vector<char> result(source.size());
  int64_t rows = type.getNumElements() / type.getShape().back(), at = 0;
  char *out = result.data();
  for (int64_t row = 0; row < rows; ++row) {
    const char *in = source.data() + at;
    for (int64_t i = 0; i < type.getShape().back(); ++i, out += size, in += steps.back())
      std::copy(in, in + size, out);
    for (int64_t i = type.getRank() - 2; i >= 0; --i) {
      at += steps[i];
      if (++index[i] < type.getDimSize(i))
        break;
      at -= steps[i] * index[i];
      index[i] = 0;
    }
  }
  return ConstantOp::create(build.builder, op.getLoc(), type, makeLiteral(type, result));
}

/// Any pure operation of small constants.
struct FoldOperation : RewritePattern {
  explicit FoldOperation(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isa_and_present<HLODialect>(op->getDialect()) || op->getNumOperands() == 0 ||
        isa<BroadcastOp>(op) || op->hasTrait<OpTrait::IsTerminator>() || op->getNumRegions() != 0 ||
        op->getNumResults() == 0 || !isPure(op))
      return rewriter.notifyMatchFailure(op, "not an operation to fold");
    SmallVector<ElementsAttr> operands;
    for (Value operand : op->getOperands()) {
      auto constant = operand.getDefiningOp<ConstantOp>();
      auto value = constant ? dyn_cast<ElementsAttr>(constant.getValue()) : ElementsAttr();
      if (!value || value.getNumElements() > kMaxElements)
        return rewriter.notifyMatchFailure(op, "an operand is not a small constant");
      operands.push_back(value);
    }
    for (Type type : op->getResultTypes())
      if (auto array = dyn_cast<RankedTensorType>(type);
          !array || array.getNumElements() > kMaxElements)
        return rewriter.notifyMatchFailure(op, "a result is large");
    auto results = evaluator::foldOperation(op, operands, kMaxElements);
    if (failed(results))
      return rewriter.notifyMatchFailure(op, "the evaluator declined");
    SmallVector<Value> constants;
    for (auto [value, type] : llvm::zip(*results, op->getResultTypes()))
      constants.push_back(ConstantOp::create(rewriter, op->getLoc(), type, value));
    rewriter.replaceOp(op, constants);
    return success();
  }
};

} // namespace

void hloc::populateConstantFolding(RewritePatternSet &patterns) {
  addRule<ReshapeOp>(patterns, "reshape(constant)", reshapeConstant);
  addRule<TransposeOp>(patterns, "transpose(constant)", transposeConstant);
  patterns.add<FoldOperation>(patterns.getContext());
}
