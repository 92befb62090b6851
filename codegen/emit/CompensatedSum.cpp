// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/CompensatedSum.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace hloc {

CompensatedSum addCompensated(ImplicitLocOpBuilder &b, CompensatedSum sofar, Value term) {
  Value sum = arith::AddFOp::create(b, sofar.sum, term);
  Value termSeen = arith::SubFOp::create(b, sum, sofar.sum);
  Value sofarSeen = arith::SubFOp::create(b, sum, termSeen);
  Value lost = arith::AddFOp::create(b, arith::SubFOp::create(b, sofar.sum, sofarSeen),
                                     arith::SubFOp::create(b, term, termSeen));
  return {sum, arith::AddFOp::create(b, sofar.error, lost)};
}

Value settle(ImplicitLocOpBuilder &b, CompensatedSum total) {
  // An infinite sum makes the error NaN; a sum of negative zeros must stay negative, so a zero
  // error is not added.
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(total.error.getType()));
  Value counts = arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, total.error, zero);
  return arith::SelectOp::create(b, counts, arith::AddFOp::create(b, total.sum, total.error),
                                 total.sum);
}

} // namespace hloc
