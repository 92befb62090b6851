// SPDX-License-Identifier: Apache-2.0
// Kernels of kind `scatter`: combine windows of updates into operands, in the operands' memory.
// Test: test/codegen/ScatterKernelTest.cpp.
//
// Windows are applied in row-major order of their scatter indices; a window that is partly out of
// bounds is skipped as a whole. Units split a window dimension that no index moves, or a dimension
// of the operand along which windows have one place, so that each owns its part of the operand and
// still sees its windows in order. A task with several units goes through the windows once.
//
// Windows of a single element are applied one by one. If their indices and updates are computed,
// this may be done beforehand in vectors for many windows at a time: these are the stages. They may
// be added to the operand and to copies of it in turn; several units have copies of their own. The
// schedule decides (passes/schedule/ScatterStrategies.cpp).
#include "codegen/kernels/scatter/ScatterKernel.h"
#include "compiler/hlo/ElementType.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/frontend/NotSupported.h"

using namespace mlir;

namespace hloc {

LogicalResult ScatterKernel::analyze() {
  for (OpResult result : op->getResults()) {
    auto returned = context.getReturn().getOperands();
    auto found = llvm::find(returned, Value(result));
    if (found == returned.end())
      return context.kernel.emitError(
          "expected a scatter kernel to return every result of its scatter");
    outputOf.push_back(found - returned.begin());
  }
  if (context.getReturn().getNumOperands() != op->getNumResults())
    return context.kernel.emitError(
        "expected a scatter kernel to return its scatter's results alone");
  return success();
}

void ScatterKernel::planUnits() {
  int64_t size = problem.getSplitSize(), step = problem.splitsMinor() ? lanes : 1,
          part = llvm::alignTo(llvm::divideCeil(size, context.chosen.getUnits()), step),
          units = llvm::divideCeil(size, part);
  context.setUnits(units);
  if (units == 1)
    return;
  Value each = index.constant(part);
  splitLower = b.createOrFold<arith::MulIOp>(context.getBegin(), each);
  splitUpper = b.createOrFold<arith::MulIOp>(context.getEnd(), each);
  splitUpper = b.createOrFold<arith::MinSIOp>(splitUpper, index.constant(size));
}

/// The index of component `component` of the start of the window at `scatter`.
ElementIndex ScatterKernel::indicesPlace(ArrayRef<VectorIndex> scatter, int64_t component) {
  ElementIndex place(scatter);
  int64_t vectorDim = op.getIndexVectorDim();
  if (vectorDim < indicesType.getRank())
    place.insert(place.begin() + vectorDim, index.uniform(component));
  return place;
}

/// The element of indices or updates at `place`, for the window at `scatter`.
VectorValue ScatterKernel::emitScalar(Value array, ArrayRef<VectorIndex> place,
                                      ArrayRef<VectorIndex> scatter, int64_t component) {
  auto stage = llvm::find_if(stages, [&](const Stage &stage) { return stage.array == array; });
  if (stage == stages.end())
    return context.emitter.emit(array, place);
  Value at = b.createOrFold<arith::SubIOp>(scatter.back().base, stageStart);
  return loadElements(index, stage->memory, {index.uniform(component), index.uniform(at)}, {});
}

LogicalResult ScatterKernel::emit() {
  if (failed(analyze()))
    return failure();
  if (updateType.getNumElements() == 0 || operandType.getNumElements() == 0) {
    context.schedule.units = 0;
    return success();
  }
  if (context.chosen.getStrategy() == "scatter.staged") {
    planStages();
    emitStagedWindows();
    return success();
  }
  lanes = context.chosen.getLanes();
  index.setLanes(lanes);
  if (context.chosen.has(kRanges)) {
    emitRanges();
    return success();
  }
  planUnits();
  buildNest(context, scatterSizes, {}, [&](ArrayRef<VectorIndex> scatter, ValueRange) {
    emitWindow(scatter);
    return SmallVector<Value>();
  });
  return success();
}

/// Computes the start of the window at `scatter`, and applies the window if it is within bounds.
void ScatterKernel::emitWindow(ArrayRef<VectorIndex> scatter) {
  int64_t vectorDim = op.getIndexVectorDim();
  ElementIndex starts(operandType.getRank(), index.uniform(0));
  for (auto [operandDim, indicesDim] :
       llvm::zip(op.getInputBatchingDims(), op.getScatterIndicesBatchingDims()))
    starts[operandDim] = scatter[indicesDim > vectorDim ? indicesDim - 1 : indicesDim];
  SmallVector<int64_t> extents(operandType.getRank(), 1);
  for (auto [w, d] : llvm::enumerate(operandDims))
    extents[d] = windowSizes[w];
  Value inBounds;
  for (auto [component, d] : llvm::enumerate(op.getScatterDimsToOperandDims())) {
    VectorValue start =
        emitScalar(op.getIndices(), indicesPlace(scatter, component), scatter, component);
    if (!start.re)
      return;
    Type element = indicesType.getElementType();
    bool isSigned = !hlo::isZeroExtended(element);
    starts[d] = index.fromInteger(start.re, isSigned);
    // A single unsigned comparison, as a negative start is a large unsigned number.
    Value fits =
        b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ule, starts[d].base,
                                      index.constant(operandType.getDimSize(d) - extents[d]));
    if (extents[d] > operandType.getDimSize(d))
      return; // it never fits
    inBounds = inBounds ? b.createOrFold<arith::AndIOp>(inBounds, fits) : fits;
  }
  if (!inBounds)
    return emitWindowElements(scatter, starts);
  auto branch = scf::IfOp::create(b, inBounds, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  ElementEmitter::Scope scope(context.emitter);
  b.setInsertionPointToStart(branch.thenBlock());
  emitWindowElements(scatter, starts);
}

void ScatterKernel::emitWindowElements(ArrayRef<VectorIndex> scatter,
                                       ArrayRef<VectorIndex> starts) {
  if (windowSizes.empty())
    return combineAt(scatter, starts, {}, {});
  ElementIndex within;
  std::function<void(size_t)> walk = [&](size_t w) {
    bool minor = w + 1 == windowSizes.size(), split = int64_t(w) == problem.splitDim && splitLower;
    auto inner = [&](VectorIndex x, Mask mask) {
      within.push_back(x);
      minor ? combineAt(scatter, starts, within, mask) : walk(w + 1);
      within.pop_back();
    };
    if (minor && !split) {
      buildLanes(context, windowSizes[w], {}, [&](VectorIndex x, Mask mask, ValueRange) {
        inner(x, mask);
        return SmallVector<Value>();
      });
      return;
    }
    Value lower = split ? splitLower : index.constant(0),
          upper = split ? splitUpper : index.constant(windowSizes[w]);
    buildFor(context, lower, upper, minor ? lanes : 1, {}, [&](Value i, ValueRange) {
      VectorIndex x = minor ? index.consecutive(i, lanes) : index.uniform(i);
      bool ragged = minor && windowSizes[w] % lanes != 0;
      inner(x, ragged ? index.inRange(x, INT64_MIN, windowSizes[w]) : Mask{});
      return SmallVector<Value>();
    });
  };
  walk(0);
}

/// Combines the updates at `within` of a window into the operands.
void ScatterKernel::combineAt(ArrayRef<VectorIndex> scatter, ArrayRef<VectorIndex> starts,
                              ArrayRef<VectorIndex> within, Mask mask) {
  ElementIndex source(updateType.getRank()), target(starts);
  for (auto [d, x] : llvm::zip(problem.scatterDims, scatter))
    source[d] = x;
  for (auto [w, x] : llvm::enumerate(within)) {
    source[problem.windowDims[w]] = x;
    target[operandDims[w]] = index.add(starts[operandDims[w]], x);
  }
  size_t count = op.getCount();
  auto result = cast<hlo::ReturnOp>(computation.getBody().front().getTerminator());
  SmallVector<VectorValue> arguments(2 * count);
  for (size_t i = 0; i < count; ++i) {
    arguments[count + i] = within.empty() ? emitScalar(op.getUpdates()[i], source, scatter, 0)
                                          : context.emitter.emit(op.getUpdates()[i], source, mask);
    if (!arguments[count + i].re)
      return;
    arguments[i] = loadElements(index, getTable(i), target, mask);
  }
  SmallVector<VectorValue> values = emitComputation(index, computation, arguments);
  if (values.size() != count || !values[0].re) {
    if (!context.emitter.hasFailed())
      emitNotSupported(op.getLoc(), "a scatter that combines with this computation");
    context.emitter.setFailed();
    return;
  }
  for (size_t i = 0; i < count; ++i)
    if (result.getNumOperands() != count ||
        result.getOperand(i) != computation.getBody().front().getArgument(i))
      storeElements(index, getTable(i), target, values[i], mask);
}

LogicalResult emitScatterKernel(KernelContext &context) {
  auto ops = context.getBody().getOps<hlo::ScatterOp>();
  if (ops.empty() || std::next(ops.begin()) != ops.end())
    return context.kernel.emitError("expected a scatter kernel to hold one scatter");
  hlo::ScatterOp op = *ops.begin();
  hlo::ComputationOp computation = context.emitter.lookup(op.getToApplyAttr());
  if (!computation)
    return op.emitOpError("names no computation");
  return ScatterKernel(context, op, computation).emit();
}

} // namespace hloc
