// SPDX-License-Identifier: Apache-2.0
// Units that own a range of a dimension of the operand: each looks through all windows for its own,
// as many at a time as the schedule says, and then applies these in order.
#include "codegen/emit/UnitAccess.h"
#include "codegen/kernels/scatter/ScatterKernel.h"
#include "compiler/hlo/ElementType.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/schedule/SortProblem.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// True for windows that begin in the task's range.
Value ScatterKernel::isInRange(Value start) {
  auto vector = dyn_cast<VectorType>(start.getType());
  unsigned width = std::max(32u, getElementTypeOrSelf(start.getType()).getIntOrFloatBitWidth());
  IntegerType integer = b.getIntegerType(width);
  Type type = vector ? Type(vector.clone(integer)) : integer;
  bool isSigned = !hlo::isZeroExtended(indicesType.getElementType());
  if (type != start.getType())
    start = isSigned ? arith::ExtSIOp::create(b, type, start).getResult()
                     : arith::ExtUIOp::create(b, type, start).getResult();
  auto bound = [&](Value number) -> Value {
    Value scalar = arith::IndexCastOp::create(b, integer, number);
    return vector ? vector::BroadcastOp::create(b, type, scalar).getResult() : scalar;
  };
  // A start below the range is a large unsigned number.
  Value length = arith::SubIOp::create(b, rangeUpper, rangeLower);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                               arith::SubIOp::create(b, start, bound(rangeLower)), bound(length));
}

/// Stores the numbers of the windows from `start` to `end` that begin in the task's range. Returns
/// how many there are.
Value ScatterKernel::findWindows(ArrayRef<VectorIndex> outer, Value start, Value end) {
  int64_t size = scatterSizes.back(), wide = compress ? context.target.getLanes(32) : 1;
  ScopedLanes scoped(index, wide);
  Type integer = b.getI32Type();
  return buildFor(context, start, end, wide, index.constant(0), [&](Value first, ValueRange now) {
    ElementIndex scatter(outer);
    scatter.push_back(wide > 1 ? index.consecutive(first, wide) : index.uniform(first));
    Mask mask = size % wide == 0 ? Mask{} : index.inRange(scatter.back(), INT64_MIN, size);
    VectorValue at =
        context.emitter.emit(op.getIndices(), indicesPlace(scatter, problem.rangeComponent), mask);
    if (!at.re)
      return SmallVector<Value>(now);
    Value to =
        movePointer(index, found.pointer, arith::MulIOp::create(b, now[0], index.constant(4)));
    if (!compress) {
      LLVM::StoreOp::create(b, arith::IndexCastOp::create(b, integer, first), to);
      Value step = arith::IndexCastUIOp::create(b, b.getIndexType(), isInRange(at.re));
      return SmallVector<Value>{arith::AddIOp::create(b, now[0], step)};
    }
    Value chosen = isInRange(broadcastLanes(index, at).re);
    if (Value live = index.asVector(mask))
      chosen = arith::AndIOp::create(b, chosen, live);
    Value numbers = index.asVector(scatter.back());
    auto type = VectorType::get({wide}, integer);
    if (numbers.getType() != type)
      numbers = arith::TruncIOp::create(b, type, numbers);
    LLVM::StoreOp::create(b, compress->emit(numbers, chosen), to, /*alignment=*/4);
    return SmallVector<Value>{arith::AddIOp::create(b, now[0], compress->count(chosen))};
  })[0];
}

/// Applies the windows in the task's range: finds them among some at a time.
void ScatterKernel::emitRanges() {
  int64_t part = llvm::divideCeil(problem.rangeSize, context.chosen.getUnits()),
          size = scatterSizes.back(), block = context.chosen.getBlock()[0];
  context.setUnits(llvm::divideCeil(problem.rangeSize, part));
  Value each = index.constant(part);
  rangeLower = arith::MulIOp::create(b, context.getBegin(), each);
  rangeUpper = arith::MinSIOp::create(b, arith::MulIOp::create(b, context.getEnd(), each),
                                      index.constant(problem.rangeSize));
  if (canCompress(context.target))
    compress.emplace(context, b.getI32Type());
  // A vector is stored whole at the end.
  int64_t wide = context.target.getLanes(32), count = int64_t(llvm::alignTo(block, wide)) + wide;
  found = {context.allocateOnStack(count * 4), RankedTensorType::get({count}, b.getI32Type())};
  buildNest(context, scatterSizes.drop_back(), {}, [&](ArrayRef<VectorIndex> outer, ValueRange) {
    int64_t step = int64_t(llvm::alignTo(block, wide));
    buildFor(context, index.constant(0), index.constant(size), step, [&](Value start) {
      Value end = b.createOrFold<arith::AddIOp>(start, index.constant(step));
      if (size % step != 0)
        end = b.createOrFold<arith::MinSIOp>(end, index.constant(size));
      Value number = findWindows(outer, start, end);
      buildFor(context, index.constant(0), number, 1, [&](Value i) {
        Value window = loadElements(index, found, {index.uniform(i)}, {}).re;
        ElementIndex scatter(outer);
        scatter.push_back(index.uniform(arith::IndexCastUIOp::create(b, b.getIndexType(), window)));
        emitWindow(scatter);
      });
    });
    return SmallVector<Value>();
  });
}

} // namespace hloc
