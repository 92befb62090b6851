// SPDX-License-Identifier: Apache-2.0
#include "codegen/KernelEmission.h"
#include "codegen/emit/IndexReach.h"
#include "codegen/emit/StreamPrefetch.h"
#include "codegen/emit/UnitAccess.h"
#include "codegen/lower/LowerLoops.h"
#include "passes/schedule/Prediction.h"
#include "passes/schedule/Streams.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// Leading dimensions are divided into units until there are this many.
static constexpr int64_t kMaxRowUnits = 64;

/// Lane indices are i32 if twice any index fits, since complex numbers are two units of memory.
static Type laneTypeFor(hlo::KernelFunctionOp kernel) {
  std::optional<int64_t> reach = findIndexReach(kernel);
  bool small = reach && *reach < int64_t(1) << 29;
  return IntegerType::get(kernel.getContext(), small ? 32 : 64);
}

KernelContext::KernelContext(hlo::KernelFunctionOp kernel, ModuleOp program, const Target &target,
                             LLVM::LLVMFuncOp function)
    : kernel(kernel), program(program), target(target), costs(target), function(function),
      b(kernel.getLoc(), kernel.getContext()), index(b, 1, laneTypeFor(kernel)),
      emitter(index, program) {
  b.setInsertionPointToStart(&function.getBody().front());
  describeAccess(function, target);
  if (target.reproducible) // contraction would differ between processors
    index.floatFlags = arith::FastMathFlags::none;
  if (target.fastMath)
    index.floatFlags =
        index.floatFlags | arith::FastMathFlags::reassoc | arith::FastMathFlags::arcp;
}

MemoryArray KernelContext::getInput(unsigned which) {
  return {function.getArgument(which),
          cast<RankedTensorType>(getBody().getArgument(which).getType())};
}

FailureOr<SmallVector<int64_t>> KernelContext::findOutputs(Operation *op) {
  auto returned = getReturn().getOperands();
  for (Value value : returned)
    if (value.getDefiningOp() != op)
      return kernel.emitError("expected a kernel to return the results of its ") << op->getName();
  SmallVector<int64_t> outputs;
  for (OpResult result : op->getResults()) {
    auto found = llvm::find(returned, Value(result));
    outputs.push_back(found == returned.end() ? -1 : found - returned.begin());
  }
  return outputs;
}

MemoryArray KernelContext::getOutput(unsigned which) {
  return {function.getArgument(getBody().getNumArguments() + which),
          cast<RankedTensorType>(getReturn().getOperand(which).getType())};
}

void KernelContext::storeResults(ArrayRef<int64_t> shape, ArrayRef<VectorIndex> at, Mask mask) {
  SmallVector<VectorValue> values;
  SmallVector<ElementIndex> places;
  for (Value result : getReturn().getOperands()) {
    auto resultShape = cast<RankedTensorType>(result.getType()).getShape();
    places.push_back(resultShape == shape ? ElementIndex(at)
                                          : reshapeIndex(index, shape, resultShape, at));
    values.push_back(emitter.emit(result, places.back(), mask));
  }
  if (emitter.hasFailed())
    return;
  for (auto [i, value] : llvm::enumerate(values))
    storeElements(index, getOutput(i), places[i], value, mask);
}

Value KernelContext::getScratch() { return function.getArgument(function.getNumArguments() - 3); }

Value KernelContext::getBegin() {
  return b.createOrFold<arith::IndexCastOp>(b.getIndexType(),
                                            function.getArgument(function.getNumArguments() - 2));
}

Value KernelContext::getEnd() {
  return b.createOrFold<arith::IndexCastOp>(b.getIndexType(),
                                            function.getArgument(function.getNumArguments() - 1));
}

Value KernelContext::allocateOnStack(int64_t bytes) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&function.getBody().front());
  Value count = LLVM::ConstantOp::create(b, b.getI64Type(), b.getI64IntegerAttr(bytes));
  return LLVM::AllocaOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), b.getI8Type(), count,
                                64);
}

void KernelContext::prefetchStreams() {
  if (!hloc::prefetchesStreams(chosen))
    return;
  SmallVector<Value> arrays;
  auto add = [&](MemoryArray array) {
    if (isFarStream(target, array.type))
      arrays.push_back(array.pointer);
  };
  for (unsigned i = 0; i < getBody().getNumArguments(); ++i)
    add(getInput(i));
  for (unsigned i = 0; i < getReturn().getNumOperands(); ++i)
    add(getOutput(i));
  hloc::prefetchStreams(function, arrays, target.machine.l1.lineBytes, chosen.has(kPrefetchL2));
}

LLVM::LLVMFuncOp KernelContext::buildFunction(StringRef suffix, ArrayRef<Type> arguments,
                                              function_ref<Value(ValueRange)> body) {
  OpBuilder::InsertionGuard guard(b);
  ElementEmitter::Scope scope(emitter);
  b.setInsertionPoint(function);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), arguments);
  auto made = LLVM::LLVMFuncOp::create(b, (function.getName() + suffix).str(), type,
                                       LLVM::Linkage::Internal);
  made.setNoInline(true);
  describeAccess(made, target);
  Block *entry = made.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  LLVM::LLVMFuncOp kernelFunction =
      std::exchange(function, made); // where stack memory is allocated
  Value result = body(entry->getArguments());
  function = kernelFunction;
  LLVM::ReturnOp::create(b, result);
  made.setFunctionType(LLVM::LLVMFunctionType::get(result.getType(), arguments));
  return made;
}

bool KernelContext::packsOutputs() {
  return llvm::any_of(getReturn().getOperandTypes(), [](Type type) {
    return getStorageBits(cast<RankedTensorType>(type).getElementType()) < 8;
  });
}

KernelProblem KernelContext::getProblem() {
  return {kernel.getKind(), getBody(), kernel.getReuse(), target, costs};
}

void KernelContext::setUnits(int64_t units, bool atBytes) {
  schedule.units = units;
  schedule.tasks = atBytes || !packsOutputs() ? units : 1;
}

void KernelContext::finishTasks() {
  if (target.singleThreaded || schedule.isUnrolled)
    schedule.tasks = 1;
  if (!target.singleThreaded)
    schedule.accessed = getAccessedBytes(getProblem());
  if (schedule.tasks == 1)
    return;
  double time = predictTime(getProblem(), chosen);
  schedule.time = int64_t(std::ceil(time));
  int64_t wanted = std::max<int64_t>(2, costs.getTaskCount(time));
  // Phases have as many units as tasks. Tasks of two units and one of one would be uneven.
  if (schedule.phases == 1 && schedule.tasks >= 2 * wanted)
    schedule.tasks = wanted;
}

//===-- Loops --------------------------------------------------------------------------------===//

SmallVector<Value> buildFor(KernelContext &context, Value lower, Value upper, int64_t step,
                            ValueRange values,
                            function_ref<SmallVector<Value>(Value, ValueRange)> body,
                            Rounds rounds) {
  auto &b = context.b;
  std::optional<int64_t> first = getConstant(lower), last = getConstant(upper);
  if (first && last && *last <= *first)
    return SmallVector<Value>(values);
  if (first && last && *last <= *first + step) // a single iteration
    return body(lower, values);
  auto loop = scf::ForOp::create(b, lower, upper, context.index.constant(step), values);
  if (rounds == Rounds::Some)
    loop->setAttr(kNotEmpty, b.getUnitAttr());
  OpBuilder::InsertionGuard guard(b);
  ElementEmitter::Scope scope(context.emitter);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!values.empty())
    scf::YieldOp::create(b, next);
  return SmallVector<Value>(loop.getResults());
}

void buildFor(KernelContext &context, Value lower, Value upper, int64_t step,
              function_ref<void(Value)> body, Rounds rounds) {
  auto bodyOf = [&](Value i, ValueRange) {
    body(i);
    return SmallVector<Value>();
  };
  buildFor(context, lower, upper, step, {}, bodyOf, rounds);
}

Value hideConstant(ImplicitLocOpBuilder &b, Value index) {
  Value word = b.createOrFold<arith::IndexCastOp>(b.getI64Type(), index);
  auto same = LLVM::InlineAsmOp::create(
      b, b.getI64Type(), ValueRange{word}, /*asm_string=*/"", /*constraints=*/"=r,0",
      /*has_side_effects=*/false, /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
  return b.createOrFold<arith::IndexCastOp>(b.getIndexType(), same.getResult(0));
}

static SmallVector<Value>
buildNestFrom(KernelContext &context, ArrayRef<int64_t> sizes, ElementIndex &at, ValueRange values,
              function_ref<SmallVector<Value>(ArrayRef<VectorIndex>, ValueRange)> body) {
  if (at.size() == sizes.size())
    return body(at, values);
  Value lower = context.index.constant(0), upper = context.index.constant(sizes[at.size()]);
  return buildFor(context, lower, upper, 1, values, [&](Value i, ValueRange carried) {
    at.push_back(context.index.uniform(i));
    SmallVector<Value> next = buildNestFrom(context, sizes, at, carried, body);
    at.pop_back();
    return next;
  });
}

SmallVector<Value>
buildNest(KernelContext &context, ArrayRef<int64_t> sizes, ValueRange values,
          function_ref<SmallVector<Value>(ArrayRef<VectorIndex>, ValueRange)> body) {
  if (llvm::is_contained(sizes, 0))
    return SmallVector<Value>(values);
  ElementIndex at;
  return buildNestFrom(context, sizes, at, values, body);
}

Mask firstLanes(IndexBuilder &index, int64_t count) {
  if (index.getLanes() == 1 || count >= index.getLanes())
    return {};
  SmallVector<bool> bits(index.getLanes());
  std::fill_n(bits.begin(), count, true);
  auto type = VectorType::get({index.getLanes()}, index.b.getI1Type());
  return {{}, arith::ConstantOp::create(index.b, DenseElementsAttr::get(type, bits))};
}

/// The vector that begins at `i`, a multiple of the lanes.
static VectorIndex vectorFrom(IndexBuilder &index, Value i) {
  // Zero is a multiple of any number.
  return index.consecutive(i, getConstant(i) == 0 ? int64_t(1) << 30 : index.getLanes());
}

SmallVector<Value>
buildLanes(KernelContext &context, int64_t size, ValueRange values,
           function_ref<SmallVector<Value>(VectorIndex, Mask, ValueRange)> body) {
  IndexBuilder &index = context.index;
  int64_t lanes = index.getLanes(), whole = size / lanes * lanes;
  SmallVector<Value> carried =
      buildFor(context, index.constant(0), index.constant(whole), lanes, values,
               [&](Value i, ValueRange now) { return body(vectorFrom(index, i), Mask{}, now); });
  if (whole < size)
    carried = body(index.consecutive(index.constant(whole), lanes), firstLanes(index, size - whole),
                   carried);
  return carried;
}

void buildVectors(KernelContext &context, Value lower, Value upper,
                  function_ref<void(VectorIndex)> vectorAt) {
  buildFor(context, lower, upper, context.index.getLanes(),
           [&](Value i) { vectorAt(vectorFrom(context.index, i)); });
}

/// Elements of a part of a long row.
static constexpr int64_t kRowPart = 4096;

/// Loops over few long rows, `rows` times `length` elements, in parts, each of which is a unit.
static void buildRowParts(KernelContext &context, ArrayRef<int64_t> rows, int64_t length,
                          function_ref<void(ArrayRef<VectorIndex>, Mask)> body,
                          BuildVectors vectors) {
  IndexBuilder &index = context.index;
  auto &b = context.b;
  int64_t count = ShapedType::getNumElements(rows), parts = llvm::divideCeil(length, kRowPart);
  int64_t lanes = index.getLanes(), whole = length / lanes * lanes;
  context.setUnits(count * parts);
  buildFor(context, context.getBegin(), context.getEnd(), 1, {}, [&](Value unit, ValueRange) {
    auto [part, row] = index.divideWithRemainder(index.uniform(unit), parts);
    ElementIndex at = reshapeIndex(index, count, rows, row);
    VectorIndex start = index.multiply(part, kRowPart), end = index.add(start, kRowPart);
    auto elementsAt = [&](VectorIndex minor, Mask mask) {
      at.push_back(minor);
      body(at, mask);
      at.pop_back();
    };
    vectors(at, start.base, b.createOrFold<arith::MinSIOp>(end.base, index.constant(whole)),
            [&](VectorIndex minor) { elementsAt(minor, {}); });
    if (whole == length)
      return SmallVector<Value>();
    Value last =
        b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sge, end.base, index.constant(length));
    auto branch = scf::IfOp::create(b, last, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    ElementEmitter::Scope scope(context.emitter);
    b.setInsertionPointToStart(branch.thenBlock());
    elementsAt(index.consecutive(index.constant(whole), lanes), firstLanes(index, length - whole));
    return SmallVector<Value>();
  });
}

void buildRows(KernelContext &context, ArrayRef<int64_t> shape, bool parallel,
               function_ref<void(ArrayRef<VectorIndex>, Mask)> body, BuildVectors vectors) {
  IndexBuilder &index = context.index;
  auto buildPlainly = [&](ArrayRef<VectorIndex>, Value lower, Value upper,
                          function_ref<void(VectorIndex)> vectorAt) {
    buildVectors(context, lower, upper, vectorAt);
  };
  if (!vectors)
    vectors = buildPlainly;
  size_t leading = 0;
  int64_t units = 1;
  while (parallel && leading + 1 < shape.size() && units < kMaxRowUnits)
    units *= shape[leading++];
  if (parallel && !context.target.singleThreaded && !context.packsOutputs() &&
      units < kMaxRowUnits && shape.back() > 2 * kRowPart)
    return buildRowParts(context, shape.drop_back(), shape.back(), body, vectors);
  int64_t size = shape.back(), whole = size / index.getLanes() * index.getLanes();
  context.setUnits(units);
  Value begin = units == 1 ? index.constant(0) : context.getBegin();
  Value end = units == 1 ? index.constant(1) : context.getEnd();
  buildFor(context, begin, end, 1, {}, [&](Value unit, ValueRange) {
    ElementIndex outer = reshapeIndex(index, units, shape.take_front(leading), index.uniform(unit));
    buildNest(context, shape.slice(leading, shape.size() - leading - 1), {},
              [&](ArrayRef<VectorIndex> inner, ValueRange) {
                ElementIndex row(outer);
                row.append(inner.begin(), inner.end());
                auto elementsAt = [&](VectorIndex minor, Mask mask) {
                  ElementIndex at(row);
                  at.push_back(minor);
                  body(at, mask);
                };
                vectors(row, index.constant(0), index.constant(whole),
                        [&](VectorIndex minor) { elementsAt(minor, {}); });
                if (whole < size)
                  elementsAt(index.consecutive(index.constant(whole), index.getLanes()),
                             firstLanes(index, size - whole));
                return SmallVector<Value>();
              });
    return SmallVector<Value>();
  });
}

/// Emits the loops of the kernel's kind.
static LogicalResult emitLoops(KernelContext &context) {
  switch (context.kernel.getKind()) {
  case hlo::KernelKind::Loop:
    return emitLoopKernel(context);
  case hlo::KernelKind::Reduce:
    return emitReduceKernel(context);
  case hlo::KernelKind::Update:
    return emitUpdateKernel(context);
  case hlo::KernelKind::Dot:
    return emitDotKernel(context);
  case hlo::KernelKind::Convolution:
    return emitConvolutionKernel(context);
  case hlo::KernelKind::Window:
    return emitWindowKernel(context);
  case hlo::KernelKind::Scan:
    return emitScanKernel(context);
  case hlo::KernelKind::Sort:
    return emitSortKernel(context);
  case hlo::KernelKind::Scatter:
    return emitScatterKernel(context);
  }
  llvm_unreachable("every kind has its loops");
}

/// The schedule that a pass chose for this target, or that it would choose if the kernel has none.
static hlo::ScheduleAttr getSchedule(KernelContext &context) {
  if (ArrayAttr schedules = context.kernel.getSchedulesAttr();
      schedules && context.target.number < int64_t(schedules.size()))
    return cast<hlo::ScheduleAttr>(schedules[context.target.number]);
  return chooseSchedule(context.getProblem()).best.schedule;
}

//===-- Entry --------------------------------------------------------------------------------===//

/// True if code must store `result`: it has elements, and does not begin as one of the operands.
static bool mustBeStored(hlo::KernelFunctionOp kernel, unsigned result) {
  Value value = kernel.getBody().front().getTerminator()->getOperand(result);
  return cast<RankedTensorType>(value.getType()).getNumElements() > 0 &&
         kernel.getReuse()[result] < 0;
}

FailureOr<KernelSchedule> emitKernel(hlo::KernelFunctionOp kernel, ModuleOp program,
                                     const Target &target, ModuleOp module, StringRef name) {
  OpBuilder builder(module.getBodyRegion());
  builder.setInsertionPointToEnd(module.getBody());
  MLIRContext *mlirContext = kernel.getContext();
  unsigned inputs = kernel.getBody().front().getNumArguments();
  unsigned outputs = kernel.getBody().front().getTerminator()->getNumOperands();
  SmallVector<Type> types(inputs + outputs + 1, LLVM::LLVMPointerType::get(mlirContext));
  types.append(2, builder.getI64Type());
  auto function = LLVM::LLVMFuncOp::create(
      builder, kernel.getLoc(), name,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(mlirContext), types));
  function.addEntryBlock(builder);
  SmallVector<bool> shared(inputs + outputs);
  for (auto [output, input] : llvm::enumerate(kernel.getReuse()))
    if (input >= 0)
      shared[inputs + output] = shared[input] = true;
  for (unsigned i = 0; i <= inputs + outputs; ++i)
    if (i == inputs + outputs || !shared[i])
      function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());

  KernelContext context(kernel, program, target, function);
  context.chosen = getSchedule(context);
  for (auto [i, argument] : llvm::enumerate(context.getBody().getArguments()))
    context.emitter.bindMemory(argument, function.getArgument(i));
  LogicalResult emitted = success(emitUnrolledKernel(context));
  if (failed(emitted) && !context.emitter.hasFailed())
    emitted = emitLoops(context);
  if (!context.schedule.isUnrolled)
    context.schedule.scratchBytes = context.chosen.getScratch();
  context.finishTasks();
  // Straight-line code reads before it writes, so the attribute is useless; and when it is inlined,
  // it costs compile time that grows with the square of the number of arguments.
  if (context.schedule.isUnrolled)
    for (unsigned i = 0; i <= inputs + outputs; ++i)
      function.removeArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName());
  if (failed(emitted) || context.emitter.hasFailed())
    return failure();
  for (unsigned i = 0; i < outputs; ++i)
    if (mustBeStored(kernel, i) && function.getArgument(inputs + i).use_empty())
      return kernel.emitError("no code was emitted for result ") << i;
  context.b.setInsertionPointToEnd(&function.getBody().front());
  LLVM::ReturnOp::create(context.b, ValueRange());
  return context.schedule;
}

} // namespace hloc
