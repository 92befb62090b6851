// SPDX-License-Identifier: Apache-2.0
// Kernels of kind `scatter`: windows of updates combined into operands, in the operands' memory.
// Test: test/codegen/ScatterKernelTest.cpp.
//
// Windows are applied one after the other in row-major order of their scatter indices, and one of
// which any element would lie outside is dropped whole. VectorValue lie along a window's minor
// dimension if that is the operand's too. Units split a window dimension that no index moves, so
// that each unit owns its part of the operand and still sees the windows in order.
//
// Windows of a single element go one by one, but where their indices and updates are computed, that
// is done for many at a time, in vectors, ahead of them: the stages.
#include "codegen/KernelEmission.h"
#include "compiler/hlo/ElementType.h"

using namespace mlir;

namespace hloc {

/// Windows whose indices are computed ahead.
static constexpr int64_t kStagedWindows = 512;

namespace {

class ScatterKernel {
public:
  ScatterKernel(KernelContext &context, hlo::ScatterOp op, hlo::ComputationOp computation)
      : context(context), b(context.b), index(context.index), op(op), computation(computation),
        operandType(cast<RankedTensorType>(op.getOperandArrays()[0].getType())),
        indicesType(cast<RankedTensorType>(op.getIndices().getType())),
        updateType(cast<RankedTensorType>(op.getUpdates()[0].getType())) {}

  LogicalResult emit();

private:
  LogicalResult analyze();
  void planUnits();
  void planStages();
  void fillStages(ArrayRef<VectorIndex> outer, Value start, Value end);
  void emitStagedWindows();
  VectorValue emitScalar(Value array, ArrayRef<VectorIndex> place, ArrayRef<VectorIndex> scatter,
                         int64_t component);
  ElementIndex indicesPlace(ArrayRef<VectorIndex> scatter, int64_t component);
  void emitWindow(ArrayRef<VectorIndex> scatter, Value unit);
  void emitWindowElements(ArrayRef<VectorIndex> scatter, ArrayRef<VectorIndex> starts, Value unit);
  void combineAt(ArrayRef<VectorIndex> scatter, ArrayRef<VectorIndex> starts,
                 ArrayRef<VectorIndex> within, Mask mask);

  KernelContext &context;
  ImplicitLocOpBuilder &b;
  IndexBuilder &index;
  hlo::ScatterOp op;
  hlo::ComputationOp computation;
  RankedTensorType operandType, indicesType, updateType;

  SmallVector<unsigned> outputOf;               // of each operand
  SmallVector<int64_t> scatterDims, windowDims; // of the updates
  SmallVector<int64_t> scatterSizes, windowSizes;
  SmallVector<int64_t> operandDims; // of the operand, for each window dimension
  int64_t lanes = 1;
  /// The window dimension that units split, -1 for none, and how many positions each takes.
  int64_t splitDim = -1, splitSize = 1, units = 1;

  /// Elements of `array`, indices or updates, for some windows along the minor of the scatter
  /// dimensions: [component][window].
  struct Stage {
    Value array;
    MemoryArray memory;
  };
  SmallVector<Stage> stages;
  Value stageStart; ///< the first window of the stages
};

/// Whether elements of `array` take more than a load.
bool isComputed(Value array) {
  while (auto reshape = array.getDefiningOp<hlo::ReshapeOp>())
    array = reshape.getOperand();
  return array.getDefiningOp() &&
         !isa<hlo::ConstantOp, hlo::IotaOp, hlo::BroadcastOp>(array.getDefiningOp());
}

} // namespace

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
  for (int64_t d = 0; d < updateType.getRank(); ++d) {
    bool isWindow = llvm::is_contained(op.getUpdateWindowDims(), d);
    (isWindow ? windowDims : scatterDims).push_back(d);
    (isWindow ? windowSizes : scatterSizes).push_back(updateType.getDimSize(d));
  }
  for (int64_t d = 0; d < operandType.getRank(); ++d)
    if (!llvm::is_contained(op.getInsertedWindowDims(), d) &&
        !llvm::is_contained(op.getInputBatchingDims(), d))
      operandDims.push_back(d);
  return success();
}

void ScatterKernel::planUnits() {
  bool packed = false;
  for (Value operand : op.getOperandArrays())
    packed |= getStorageBits(cast<RankedTensorType>(operand.getType()).getElementType()) < 8;
  bool alongMinor = !operandDims.empty() && operandDims.back() == operandType.getRank() - 1;
  if (alongMinor && !packed) {
    lanes = context.target.getLanes(getWidestElement(context.getBody()));
    while (lanes > 1 && lanes / 2 >= windowSizes.back())
      lanes /= 2;
  }
  index.setLanes(lanes);
  double windows = ShapedType::getNumElements(scatterSizes),
         elements = ShapedType::getNumElements(windowSizes);
  if (!packed)
    for (auto [w, d] : llvm::enumerate(operandDims))
      if (!llvm::is_contained(op.getScatterDimsToOperandDims(), d) && windowSizes[w] > 1 &&
          (splitDim < 0 || windowSizes[w] > windowSizes[splitDim]))
        splitDim = w;
  double time = windows * (context.costs.fromCycles(10 + elements * 2 / lanes) +
                           elements * context.costs.getElementTime(context.getBody()));
  if (splitDim >= 0) {
    // Each unit goes through all indices, so the units are few.
    int64_t step = splitDim == int64_t(windowSizes.size()) - 1 ? 4 * lanes : 1,
            size = windowSizes[splitDim];
    splitSize = std::max<int64_t>((size + 7) / 8, 1);
    splitSize = (splitSize + step - 1) / step * step;
    units = (size + splitSize - 1) / splitSize;
  }
  context.setUnits(units, time / units);
}

void ScatterKernel::planStages() {
  if (!windowSizes.empty() || scatterSizes.empty() || scatterSizes.back() < 16)
    return;
  int64_t windows = std::min(scatterSizes.back(), kStagedWindows),
          components = op.getScatterDimsToOperandDims().size();
  auto plan = [&](Value array, int64_t rows) {
    Type element = cast<RankedTensorType>(array.getType()).getElementType();
    if (!isComputed(array) || isa<ComplexType>(element) || getStorageBits(element) < 8)
      return;
    auto type = RankedTensorType::get({rows, windows}, element);
    stages.push_back({array, {context.allocateOnStack(getByteSize(type)), type}});
  };
  plan(op.getIndices(), components);
  for (Value updates : op.getUpdates())
    plan(updates, 1);
}

/// Computes the stages of the windows from `start` to `end`.
void ScatterKernel::fillStages(ArrayRef<VectorIndex> outer, Value start, Value end) {
  int64_t size = scatterSizes.back(),
          wide = context.target.getLanes(getWidestElement(context.getBody()));
  while (wide > 1 && wide / 2 >= size)
    wide /= 2;
  index.setLanes(wide);
  buildFor(context, start, end, wide, {}, [&](Value first, ValueRange) {
    ElementIndex scatter(outer);
    scatter.push_back(index.consecutive(first, wide));
    Mask mask = size % wide == 0 ? Mask{} : index.inRange(scatter.back(), INT64_MIN, size);
    VectorIndex to = index.consecutive(b.createOrFold<arith::SubIOp>(first, start), wide);
    for (const Stage &stage : stages) {
      bool isIndices = stage.array == op.getIndices();
      for (int64_t component = 0; component < stage.memory.type.getDimSize(0); ++component) {
        VectorValue value = context.emitter.emit(
            stage.array, isIndices ? indicesPlace(scatter, component) : scatter, mask);
        if (value.re)
          storeElements(index, stage.memory, {index.uniform(component), to},
                        broadcastLanes(index, value), mask);
      }
    }
    return SmallVector<Value>();
  });
  index.setLanes(lanes);
}

void ScatterKernel::emitStagedWindows() {
  int64_t size = scatterSizes.back();
  buildNest(context, ArrayRef(scatterSizes).drop_back(), {},
            [&](ArrayRef<VectorIndex> outer, ValueRange) {
              buildFor(context, index.constant(0), index.constant(size), kStagedWindows,
                       [&](Value start) {
                         Value end =
                             b.createOrFold<arith::AddIOp>(start, index.constant(kStagedWindows));
                         if (size % kStagedWindows != 0)
                           end = b.createOrFold<arith::MinSIOp>(end, index.constant(size));
                         stageStart = start;
                         fillStages(outer, start, end);
                         buildFor(context, start, end, 1, {}, [&](Value window, ValueRange) {
                           ElementIndex scatter(outer);
                           scatter.push_back(index.uniform(window));
                           emitWindow(scatter, {});
                           return SmallVector<Value>();
                         });
                       });
              return SmallVector<Value>();
            });
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
  planUnits();
  planStages();
  if (!stages.empty()) {
    emitStagedWindows();
    return success();
  }
  Value begin = units == 1 ? index.constant(0) : context.getBegin();
  Value end = units == 1 ? index.constant(1) : context.getEnd();
  buildFor(context, begin, end, 1, {}, [&](Value unit, ValueRange) {
    buildNest(context, scatterSizes, {}, [&](ArrayRef<VectorIndex> scatter, ValueRange) {
      emitWindow(scatter, unit);
      return SmallVector<Value>();
    });
    return SmallVector<Value>();
  });
  return success();
}

/// Finds where the window at `scatter` starts, and applies it unless it crosses the bounds.
void ScatterKernel::emitWindow(ArrayRef<VectorIndex> scatter, Value unit) {
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
    // One unsigned comparison: a negative start is a huge one.
    Value fits =
        b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ule, starts[d].base,
                                      index.constant(operandType.getDimSize(d) - extents[d]));
    if (extents[d] > operandType.getDimSize(d))
      return; // never fits
    inBounds = inBounds ? b.createOrFold<arith::AndIOp>(inBounds, fits) : fits;
  }
  if (!inBounds)
    return emitWindowElements(scatter, starts, unit);
  auto branch = scf::IfOp::create(b, inBounds, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  ElementEmitter::Scope scope(context.emitter);
  b.setInsertionPointToStart(branch.thenBlock());
  emitWindowElements(scatter, starts, unit);
}

void ScatterKernel::emitWindowElements(ArrayRef<VectorIndex> scatter, ArrayRef<VectorIndex> starts,
                                       Value unit) {
  if (windowSizes.empty())
    return combineAt(scatter, starts, {}, {});
  // The range of the dimension that this unit owns.
  Value splitLower, splitUpper;
  if (splitDim >= 0) {
    splitLower = b.createOrFold<arith::MulIOp>(unit, index.constant(splitSize));
    splitUpper = b.createOrFold<arith::AddIOp>(splitLower, index.constant(splitSize));
    splitUpper = b.createOrFold<arith::MinSIOp>(splitUpper, index.constant(windowSizes[splitDim]));
  }
  ElementIndex within;
  std::function<void(size_t)> walk = [&](size_t w) {
    bool minor = w + 1 == windowSizes.size(), split = int64_t(w) == splitDim && units > 1;
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
  for (auto [d, x] : llvm::zip(scatterDims, scatter))
    source[d] = x;
  for (auto [w, x] : llvm::enumerate(within)) {
    source[windowDims[w]] = x;
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
    arguments[i] = loadElements(index, context.getOutput(outputOf[i]), target, mask);
  }
  SmallVector<VectorValue> values = emitComputation(index, computation, arguments);
  if (values.size() != count || !values[0].re) {
    if (!context.emitter.hasFailed())
      op.emitOpError("combines with a computation that no code can be generated for");
    context.emitter.setFailed();
    return;
  }
  for (size_t i = 0; i < count; ++i)
    if (result.getNumOperands() != count ||
        result.getOperand(i) != computation.getBody().front().getArgument(i))
      storeElements(index, context.getOutput(outputOf[i]), target, values[i], mask);
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
