// SPDX-License-Identifier: Apache-2.0
// Division of f32 by a number that is the same in all steps of a loop, such as the sum of a
// softmax: as a product with its reciprocal in f64. That has the bits of the quotient for all
// operands. The product is wrong by less than 2^-51 of it, but no quotient of two numbers of 24
// bits is closer than 2^-49 of it to the middle of two others, unless it is that middle or a number
// itself; and zeros, infinities and NaNs have their quotients as products. Test:
// test/codegen/division-by-sums.hlo.
#include "codegen/math/Math.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace hloc {

void expandUniformDivision(Operation *root) {
  SmallVector<arith::DivFOp> divisions;
  root->walk([&](arith::DivFOp op) { divisions.push_back(op); });
  llvm::DenseMap<std::pair<Operation *, Value>, Value> reciprocals;
  for (arith::DivFOp op : divisions) {
    auto type = dyn_cast<VectorType>(op.getType());
    auto splat = op.getRhs().getDefiningOp<vector::BroadcastOp>();
    auto loop = op->getParentOfType<scf::ForOp>();
    if (!type || !type.getElementType().isF32() || !splat || !loop ||
        splat.getSourceType() != type.getElementType() ||
        !loop.isDefinedOutsideOfLoop(splat.getSource()))
      continue;
    ImplicitLocOpBuilder b(op.getLoc(), loop);
    Value &reciprocal = reciprocals[{loop, splat.getSource()}];
    if (!reciprocal) {
      Value divisor = arith::ExtFOp::create(b, b.getF64Type(), splat.getSource());
      Value one = arith::ConstantOp::create(b, b.getF64FloatAttr(1));
      reciprocal = arith::DivFOp::create(b, one, divisor);
    }
    b.setInsertionPoint(op);
    VectorType wide = type.clone(b.getF64Type());
    Value x = arith::ExtFOp::create(b, wide, op.getLhs());
    Value product = arith::MulFOp::create(b, x, vector::BroadcastOp::create(b, wide, reciprocal));
    op.replaceAllUsesWith(arith::TruncFOp::create(b, type, product).getResult());
    op.erase();
  }
}

} // namespace hloc
