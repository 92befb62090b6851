// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/BlockedSum.h"
#include "codegen/emit/CompensatedSum.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

SmallVector<Value> beginTotals(ValueRange zeros) {
  SmallVector<Value> totals(zeros);
  totals.append(zeros.begin(), zeros.end());
  return totals;
}

SmallVector<Value> addToTotals(ImplicitLocOpBuilder &b, ValueRange totals, ValueRange sums) {
  SmallVector<Value> next, errors;
  for (auto [total, error, sum] :
       llvm::zip(totals.take_front(sums.size()), totals.drop_front(sums.size()), sums)) {
    CompensatedSum exact = addCompensated(b, {total, error}, sum);
    next.push_back(exact.sum);
    errors.push_back(exact.error);
  }
  next.append(errors);
  return next;
}

SmallVector<Value> settleTotals(ImplicitLocOpBuilder &b, ValueRange totals) {
  size_t count = totals.size() / 2;
  SmallVector<Value> settled;
  for (auto [total, error] : llvm::zip(totals.take_front(count), totals.drop_front(count)))
    settled.push_back(settle(b, {total, error}));
  return settled;
}

SmallVector<Value> addBlocks(KernelContext &context, Value size, int64_t block, ValueRange totals,
                             function_ref<SmallVector<Value>(Value, Value)> sumOf, Value first) {
  auto &b = context.b;
  return buildFor(context, first ? first : context.index.constant(0), size, block, totals,
                  [&](Value start, ValueRange now) {
                    Value end = b.createOrFold<arith::AddIOp>(start, context.index.constant(block));
                    if (getConstant(size).value_or(1) % block != 0)
                      end = b.createOrFold<arith::MinSIOp>(end, size);
                    return addToTotals(b, now, sumOf(start, end));
                  });
}

} // namespace hloc
