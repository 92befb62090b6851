// SPDX-License-Identifier: Apache-2.0
// Kernels of kind `window`: one reduce_window, with elementwise code before and after it. Test:
// test/codegen/WindowKernelTest.cpp.
//
// Each output element folds its window on its own; lanes lie along the outputs' minor dimension. If
// windows extend into padding, a branch separates the outputs whose windows are entirely inside the
// array. These fold without bounds checks; the others check each position, and positions in padding
// or between dilated elements count as the initial value. The unroll factor is chosen by the
// schedule (passes/schedule/WindowStrategies.cpp).
#include "codegen/KernelEmission.h"
#include "codegen/emit/Fold.h"
#include "passes/frontend/NotSupported.h"

using namespace mlir;

namespace hloc {

namespace {

class WindowKernel {
public:
  WindowKernel(KernelContext &context, hlo::ReduceWindowOp op, Fold fold)
      : context(context), b(context.b), index(context.index), op(op), fold(std::move(fold)),
        window(op.getWindow()),
        inputShape(cast<RankedTensorType>(op.getInputs()[0].getType()).getShape()),
        shape(cast<RankedTensorType>(op.getResult(0).getType()).getShape()) {}

  LogicalResult emit();

private:
  /// The outputs [low, high) of a dimension whose windows are inside the array in that dimension.
  struct Interior {
    int64_t low, high;
  };
  void findInterior();
  void emitRows();
  /// Reports once that the computation cannot be emitted here.
  void refuse();
  void emitOutputs(ArrayRef<VectorIndex> at, Mask mask, int64_t live);
  Value isInterior(ArrayRef<VectorIndex> at, int64_t live);
  SmallVector<VectorValue> foldWindow(ArrayRef<VectorIndex> at, Mask mask,
                                      ArrayRef<VectorValue> start, bool checked);
  SmallVector<VectorValue> foldPosition(ArrayRef<VectorIndex> at, ArrayRef<VectorIndex> position,
                                        Mask mask, ArrayRef<VectorValue> sofar, bool checked);

  KernelContext &context;
  ImplicitLocOpBuilder &b;
  IndexBuilder &index;
  hlo::ReduceWindowOp op;
  Fold fold;
  hlo::WindowAttr window;
  ArrayRef<int64_t> inputShape, shape;
  int64_t positions = 1;
  SmallVector<Interior> interior;
  bool hasPadding = false, hasInterior = true;
  SmallVector<VectorValue> initial; // widened, uniform
};

} // namespace

/// The size of a dimension of the input, including the holes of its dilation.
static int64_t getDilatedExtent(int64_t size, int64_t dilation) {
  return size == 0 ? 0 : (size - 1) * dilation + 1;
}

void WindowKernel::findInterior() {
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t stride = window.getStrides()[d], low = window.getPaddingLow()[d];
    int64_t reach = (window.getSizes()[d] - 1) * window.getWindowDilations()[d];
    // The first output whose window begins inside, and the last one whose window ends inside.
    int64_t first = low > 0 ? llvm::divideCeil(low, stride) : 0;
    int64_t room = inputShape[d] - 1 + low - reach;
    int64_t end = room < 0 ? 0 : std::min(shape[d], room / stride + 1);
    if (window.getBaseDilations()[d] != 1)
      first = end = 0;
    interior.push_back({first, end});
    hasPadding |= first > 0 || end < shape[d];
    hasInterior &= first < end;
  }
}

LogicalResult WindowKernel::emit() {
  int64_t count = ShapedType::getNumElements(shape);
  for (Value result : context.getReturn().getOperands())
    if (cast<RankedTensorType>(result.getType()).getNumElements() != count)
      return context.kernel.emitError(
          "expected a window kernel's results to have as many elements as its windows");
  if (count == 0) {
    context.schedule.units = 0;
    return success();
  }
  for (int64_t size : window.getSizes())
    positions *= size;
  findInterior();
  index.setLanes(context.chosen.getTile()[1] * context.chosen.getLanes());
  for (auto [i, value] : llvm::enumerate(op.getInitialValues())) {
    ScopedLanes scalar(index, 1);
    VectorValue lanes = context.emitter.emit(value, {});
    if (!lanes.re)
      return failure();
    initial.push_back(fold.widen(i, lanes));
  }
  if (shape.empty())
    emitOutputs({}, {}, 1);
  else
    emitRows();
  return success();
}

/// Lanes lie along the minor dimension; units are indices into the other ones.
void WindowKernel::emitRows() {
  bool sharesBytes = index.getLanes() == 1;
  buildRows(context, shape, /*parallel=*/!sharesBytes, [&](ArrayRef<VectorIndex> at, Mask mask) {
    emitOutputs(at, mask, mask ? shape.back() % index.getLanes() : index.getLanes());
  });
}

/// True if the windows of the first `live` lanes at `at` are inside the array; null if they always
/// are.
Value WindowKernel::isInterior(ArrayRef<VectorIndex> at, int64_t live) {
  Value all;
  auto require = [&](arith::CmpIPredicate predicate, Value x, int64_t limit) {
    Value holds = b.createOrFold<arith::CmpIOp>(predicate, x, index.constant(limit));
    all = all ? b.createOrFold<arith::AndIOp>(all, holds) : holds;
  };
  for (auto [d, range] : llvm::enumerate(interior)) {
    if (range.low > 0)
      require(arith::CmpIPredicate::sge, at[d].base, range.low);
    if (range.high < shape[d])
      require(arith::CmpIPredicate::sle, at[d].base, range.high - (at[d].isUniform() ? 1 : live));
  }
  return all;
}

SmallVector<VectorValue> WindowKernel::foldPosition(ArrayRef<VectorIndex> at,
                                                    ArrayRef<VectorIndex> position, Mask mask,
                                                    ArrayRef<VectorValue> sofar, bool checked) {
  ElementIndex source;
  Mask inside;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t dilation = window.getBaseDilations()[d];
    VectorIndex x = index.add(index.multiply(at[d], window.getStrides()[d]),
                              index.multiply(position[d], window.getWindowDilations()[d]));
    x = index.add(x, -window.getPaddingLow()[d]);
    if (checked && (interior[d].low > 0 || interior[d].high < shape[d])) {
      Mask here = index.inRange(x, 0, getDilatedExtent(inputShape[d], dilation));
      if (dilation > 1) {
        auto [between, quotient] = index.divideWithRemainder(index.orZero(x, here), dilation);
        here = index.both(here, index.inRange(between, INT64_MIN, 1));
        x = quotient;
      }
      inside = index.both(inside, here);
    }
    source.push_back(x);
  }
  SmallVector<VectorValue> next;
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    VectorValue value = context.emitter.emit(input, source, index.both(mask, inside));
    if (!value.re)
      return {};
    value = fold.widen(i, value);
    if (inside.lanes)
      value = emitSelect(index, inside.lanes, value, initial[i]);
    if (inside.uniform)
      value = emitSelect(index, inside.uniform, value, initial[i]);
    next.push_back(value);
  }
  return fold.combine(sofar, next);
}

SmallVector<VectorValue> WindowKernel::foldWindow(ArrayRef<VectorIndex> at, Mask mask,
                                                  ArrayRef<VectorValue> start, bool checked) {
  auto sizes = window.getSizes();
  // Code for windows that extend into padding is kept short if there is also code for the others.
  bool unroll = context.chosen.has("unroll") && (!checked || !hasInterior);
  SmallVector<VectorValue> total(start);
  if (unroll) {
    for (int64_t number = 0; number < positions && !total.empty(); ++number) {
      ElementIndex position;
      int64_t rest = number;
      for (int64_t stride : getRowMajorStrides(sizes)) {
        position.push_back(index.uniform(rest / stride));
        rest %= stride;
      }
      total = foldPosition(at, position, mask, total, checked);
    }
    return total;
  }
  SmallVector<Value> values = buildNest(
      context, sizes, fold.pack(start), [&](ArrayRef<VectorIndex> position, ValueRange now) {
        SmallVector<VectorValue> next = foldPosition(at, position, mask, fold.unpack(now), checked);
        if (next.empty())
          refuse();
        return next.empty() ? SmallVector<Value>(now) : fold.pack(next);
      });
  return fold.unpack(values);
}

void WindowKernel::refuse() {
  if (!context.emitter.hasFailed())
    emitNotSupported(op.getLoc(), "a window that is folded with this computation");
  context.emitter.setFailed();
}

void WindowKernel::emitOutputs(ArrayRef<VectorIndex> at, Mask mask, int64_t live) {
  ElementEmitter::Scope scope(context.emitter);
  SmallVector<VectorValue> start, total;
  for (VectorValue lanes : initial)
    start.push_back(broadcastLanes(index, lanes));
  Value inside = hasPadding && hasInterior ? isInterior(at, live) : Value();
  if (inside) {
    auto branch = scf::IfOp::create(b, ValueRange(fold.pack(start)).getTypes(), inside, true, true);
    OpBuilder::InsertionGuard guard(b);
    for (bool checked : {false, true}) {
      ElementEmitter::Scope branchScope(context.emitter);
      b.setInsertionPointToEnd(checked ? branch.elseBlock() : branch.thenBlock());
      SmallVector<VectorValue> folded = foldWindow(at, mask, start, checked);
      scf::YieldOp::create(b, fold.pack(folded.empty() ? start : folded));
      total = folded;
    }
    if (!total.empty())
      total = fold.unpack(branch.getResults());
  } else {
    total = foldWindow(at, mask, start, hasPadding);
  }
  if (total.empty())
    refuse();
  if (context.emitter.hasFailed())
    return;
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    VectorValue lanes = fold.narrow(i, total[i]);
    context.emitter.bind(result, [lanes](ArrayRef<VectorIndex>, Mask) { return lanes; });
  }
  context.storeResults(shape, at, mask);
}

LogicalResult emitWindowKernel(KernelContext &context) {
  hlo::ReduceWindowOp op;
  int count = 0;
  for (auto found : context.getBody().getOps<hlo::ReduceWindowOp>()) {
    op = found;
    ++count;
  }
  if (count != 1)
    return context.kernel.emitError("expected a window kernel to hold one reduce_window");
  hlo::ComputationOp computation = context.emitter.lookup(op.getToApplyAttr());
  if (!computation)
    return op.emitOpError("names no computation");
  SmallVector<Type> elements;
  for (Value input : op.getInputs())
    elements.push_back(cast<RankedTensorType>(input.getType()).getElementType());
  return WindowKernel(context, op, Fold(context.index, elements, computation)).emit();
}

} // namespace hloc
