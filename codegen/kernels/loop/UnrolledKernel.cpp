// SPDX-License-Identifier: Apache-2.0
// Small kernels as straight-line code: no loops, no masks, and only constant indices. So the
// branches of pads and concatenations disappear, and LLVM keeps in registers what is passed between
// kernels and between iterations of the program's loops. Test: test/codegen/UnrolledKernelTest.cpp.
//
// Results are computed either one element at a time, or in vectors along the minor dimension (as
// many as fit, then half as wide, and so on), whichever is less code.
#include "codegen/KernelEmission.h"
#include "passes/schedule/UpdateProblem.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hloc {

/// The most elements that a small kernel computes, and the most operations times elements.
static constexpr int64_t kMaxElements = 64, kMaxWork = 2048;
/// A kernel with at most this many elements may compute more, as it needs only parts of arrays.
static constexpr int64_t kFewElements = 8, kFewElementsWork = 600;
/// The number of instructions from which a loop is better.
static constexpr int64_t kMaxCost = 600;

static RankedTensorType arrayType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// What the kernel writes: its results, or only the slice of an update.
static SmallVector<Value> getWritten(hlo::KernelFunctionOp kernel) {
  Block &body = kernel.getBody().front();
  if (auto update = findUpdateInPlace(kernel.getKind(), body))
    return {update.getUpdate()};
  return SmallVector<Value>(body.getTerminator()->getOperands());
}

bool isSmall(hlo::KernelFunctionOp kernel) {
  auto kind = kernel.getKind();
  if (kind != hlo::KernelKind::Loop && kind != hlo::KernelKind::Reduce &&
      kind != hlo::KernelKind::Dot && kind != hlo::KernelKind::Update)
    return false;
  int64_t elements = 0, work = 0;
  for (Value value : getWritten(kernel))
    elements += arrayType(value).getNumElements();
  if (elements == 0 || elements > kMaxElements)
    return false;
  bool folds = false;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (isa<hlo::ReduceOp, hlo::DotOp>(op)) {
      folds = true;
      if (getFoldedElements(&op) > kMaxFoldedElements)
        return false;
      work +=
          arrayType(op.getResult(0)).getNumElements() * getFoldedElements(&op) * op.getNumResults();
    } else if (!isa<hlo::ConstantOp>(op)) {
      work += arrayType(op.getResult(0)).getNumElements();
    }
  }
  int64_t operations = kernel.getBody().front().getOperations().size();
  return work <= kMaxWork ||
         (!folds && elements <= kFewElements && elements * operations <= kFewElementsWork);
}

/// The cost of a block's code, in instructions.
static int64_t getCost(Block &block) {
  int64_t cost = 0;
  for (Operation &op : block)
    cost += TypeSwitch<Operation *, int64_t>(&op)
                .Case<LLVM::masked_gather, LLVM::masked_scatter>([](Operation *access) {
                  Type type = access->getNumResults() ? access->getResult(0).getType()
                                                      : access->getOperand(0).getType();
                  return 2 * cast<VectorType>(type).getNumElements();
                })
                .Case<LLVM::MaskedLoadOp, LLVM::MaskedStoreOp>([](auto) { return 4; })
                .Case<scf::IfOp, scf::ForOp>([](Operation *control) {
                  int64_t inner = 4;
                  for (Region &region : control->getRegions())
                    for (Block &nested : region)
                      inner += getCost(nested);
                  return inner;
                })
                .Case<arith::ConstantOp, LLVM::GEPOp, arith::IndexCastOp>([](auto) { return 0; })
                .Default([](Operation *) { return 1; });
  return cost;
}

namespace {

class UnrolledKernel {
public:
  explicit UnrolledKernel(KernelContext &context)
      : context(context), index(context.index), written(getWritten(context.kernel)) {}

  /// Emits the code at the context's insertion point; returns false if it is not worth having.
  bool emit();

private:
  /// Elements of one of the results.
  struct Part {
    unsigned result;
    ElementIndex at;
    VectorValue value;
    int64_t lanes;
  };

  bool emitWith(int64_t mostLanes);
  void computeRow(unsigned result, ArrayRef<int64_t> outer, int64_t mostLanes);
  ElementIndex getStarts();

  KernelContext &context;
  IndexBuilder &index;
  SmallVector<Value> written;
  SmallVector<Part> parts;
};

} // namespace

/// Computes those elements of a row that are in vectors of the index builder's lanes, if no vector
/// has more than `mostLanes`.
void UnrolledKernel::computeRow(unsigned result, ArrayRef<int64_t> outer, int64_t mostLanes) {
  auto shape = arrayType(written[result]).getShape();
  int64_t size = shape.empty() ? 1 : shape.back(), start = 0;
  for (int64_t lanes = mostLanes; lanes >= 1; lanes /= 2)
    for (; size - start >= lanes; start += lanes) {
      if (lanes != index.getLanes())
        continue;
      ElementIndex at;
      for (int64_t x : outer)
        at.push_back(index.uniform(x));
      if (!shape.empty())
        at.push_back(lanes == 1 ? index.uniform(start)
                                : index.consecutive(index.constant(start),
                                                    start ? start & -start : int64_t(1) << 30));
      VectorValue value = context.emitter.emit(written[result], at);
      if (!value.re)
        return;
      parts.push_back({result, at, value, lanes});
    }
}

/// Where a slice is written; zeros if there is no update.
ElementIndex UnrolledKernel::getStarts() {
  ElementIndex starts;
  if (auto update = findUpdateInPlace(context.kernel.getKind(), context.getBody()))
    starts = emitStartIndices(context.emitter, update);
  return starts;
}

/// Everything is computed before anything is stored, because a result may overwrite an input.
bool UnrolledKernel::emitWith(int64_t mostLanes) {
  parts.clear();
  for (int64_t lanes = mostLanes; lanes >= 1; lanes /= 2) {
    // Values in vectors of one size cannot be reused in those of another.
    ElementEmitter::Scope scope(context.emitter);
    index.setLanes(lanes);
    for (unsigned result = 0; result < written.size(); ++result) {
      auto shape = arrayType(written[result]).getShape();
      SmallVector<int64_t> outerShape(shape.empty() ? shape : shape.drop_back());
      int64_t rows = ShapedType::getNumElements(outerShape);
      for (int64_t row = 0; row < rows; ++row) {
        SmallVector<int64_t> outer;
        int64_t rest = row;
        for (int64_t stride : getRowMajorStrides(outerShape)) {
          outer.push_back(rest / stride);
          rest %= stride;
        }
        computeRow(result, outer, mostLanes);
        if (context.emitter.hasFailed())
          return false;
      }
    }
  }
  ElementEmitter::Scope scope(context.emitter);
  ElementIndex starts = getStarts();
  if (context.emitter.hasFailed())
    return false;
  for (Part &part : parts) {
    index.setLanes(part.lanes);
    for (auto [x, start] : llvm::zip(part.at, starts))
      x = index.add(start, x);
    storeElements(index, context.getOutput(part.result), part.at, part.value, {});
  }
  return true;
}

bool UnrolledKernel::emit() {
  auto &b = context.b;
  int64_t lanes = 1, longest = 1, elements = 0;
  bool packed = false;
  for (Value value : written) {
    elements += arrayType(value).getNumElements();
    packed |= getStorageBits(arrayType(value).getElementType()) < 8;
    if (arrayType(value).getRank() > 0)
      longest = std::max(longest, arrayType(value).getShape().back());
  }
  // Elements that share a byte are stored one at a time.
  int64_t target = packed ? 1 : context.target.getLanes(getWidestElement(context.getBody()));
  while (lanes < target && 2 * lanes <= longest)
    lanes *= 2;

  // Each form is built in a separate block, and the cheaper one is kept.
  auto build = [&](int64_t mostLanes) {
    auto block = std::make_unique<Block>();
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(block.get());
    if (!emitWith(mostLanes))
      block.reset();
    return block;
  };
  // What is known of indices must not outlive the code of a form that is discarded.
  llvm::scope_exit forget([&] { index.forgetParts(); });
  std::unique_ptr<Block> chosen = build(1);
  if (!chosen)
    return false;
  int64_t cost = getCost(*chosen);
  if (lanes > 1) {
    std::unique_ptr<Block> wide = build(lanes);
    if (!wide)
      return false;
    if (int64_t wideCost = getCost(*wide); wideCost < cost) {
      cost = wideCost;
      chosen = std::move(wide);
    }
  }
  if (cost > kMaxCost && elements > int64_t(written.size()))
    return false;
  Block *here = b.getInsertionBlock();
  here->getOperations().splice(b.getInsertionPoint(), chosen->getOperations());
  index.setLanes(1);
  context.setUnits(1);
  context.schedule.isUnrolled = true;
  return true;
}

bool emitUnrolledKernel(KernelContext &context) {
  return isSmall(context.kernel) && UnrolledKernel(context).emit();
}

} // namespace hloc
