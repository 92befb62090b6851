// SPDX-License-Identifier: Apache-2.0
// Divides long reductions and dots with few results into parts that run in parallel. Test:
// test/passes/kernels/divide-reductions.hlo.
//
// The kernel becomes two: the first reduces each part, the second reduces the results of the parts
// and computes whatever depends on them. The number of parts follows from the shape and the machine
// alone, so that the bits of results do not depend on the number of threads.
#include "compiler/hlo/ElementType.h"
#include "compiler/target/TargetAttribute.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "passes/Build.h"
#include "passes/Computations.h"
#include "passes/Passes.h"
#include "passes/schedule/ReductionParts.h"
#include "passes/schedule/TileGroups.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_DIVIDEREDUCTIONS
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

bool isReduction(Operation *op) { return isa<ReduceOp, DotOp>(op); }

bool isNarrow(Value value) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(value));
  return element && element.getWidth() < 32;
}

/// True if arrays of the elements of `value` have whole bytes, so that parts begin at one.
bool hasWholeBytes(Value value) { return getStorageBits(getElementTypeOrSelf(value)) >= 8; }

/// True if the results do not depend on how often the initial value takes part, and partial results
/// lose nothing when they are stored: sums of narrow floats are in f32 until the end.
bool isDivisible(ReduceOp reduce) {
  ComputationOp computation = lookupComputation(reduce, reduce.getToApplyAttr());
  Operation *op = computation && reduce.getCount() == 1 ? getSingleBinaryOp(computation) : nullptr;
  if (!op)
    return false;
  if (isa<MinimumOp, MaximumOp, AndOp, OrOp>(op))
    return true;
  if (isNarrow(reduce.getResult(0)))
    return false;
  Value init = reduce.getInitialValues()[0];
  if (isa<MultiplyOp>(op))
    return matchPattern(init, m_One()) || matchPattern(init, m_OneFloat());
  return isa<AddOp, XorOp>(op) &&
         (matchPattern(init, m_Zero()) || matchPattern(init, m_AnyZeroFloat()));
}

/// What values of a kernel are computed with, up to and including reductions.
struct Sources {
  llvm::SetVector<Operation *> operations;
  llvm::SetVector<BlockArgument> arguments;

  explicit Sources(ArrayRef<Value> values) {
    SmallVector<Value> open(values);
    while (!open.empty()) {
      Value value = open.pop_back_val();
      if (auto argument = dyn_cast<BlockArgument>(value))
        arguments.insert(argument);
      else if (Operation *op = value.getDefiningOp(); operations.insert(op) && !isReduction(op))
        llvm::append_range(open, op->getOperands());
    }
  }
  bool hasReduction() const { return llvm::any_of(operations, isReduction); }
};

/// A kernel whose reductions may be divided.
class KernelDivision {
public:
  explicit KernelDivision(KernelOp kernel) : kernel(kernel), body(kernel.getBody().front()) {
    for (Operation &op : body)
      if (isReduction(&op))
        reductions.push_back(&op);
  }

  /// True if the reductions can be divided. The functions below are only for those that can.
  bool isPossible();
  /// The size of the dimension that is divided, the outermost of those that are reduced.
  int64_t getSize() const { return size; }
  /// Divides the reductions into `parts`, a divisor of that size.
  void run(int64_t parts);

private:
  using Rewrite = llvm::function_ref<ValueRange(OpBuilder &, Operation *)>;

  bool findKernel(unsigned result);
  KernelOp makeKernel(KernelKind kind, ArrayRef<Value> values, ValueRange more, TypeRange types,
                      Rewrite rewrite, IRMapping &mapping);
  KernelOp makeParts(int64_t parts);
  KernelOp makeTotals(ValueRange partial);

  KernelOp kernel;
  Block &body;
  SmallVector<Operation *> reductions;
  int64_t size = 0;
  /// The shape of what is reduced; of a dot, that of the larger operand.
  SmallVector<int64_t> shape;
  /// The place of the parts among the dimensions of a partial result.
  int64_t place = 0;
  /// The numbers of the results that the first kernel writes, and of those that the second does.
  SmallVector<unsigned> early, late;
};

/// Finds out which kernel writes a result. False if neither can: an array as large as what is
/// reduced that depends on totals would take a third kernel.
bool KernelDivision::findKernel(unsigned result) {
  Value value = body.getTerminator()->getOperand(result);
  auto isLarge = [&](Value x) { return arrayType(x).getNumElements() >= product(shape); };
  Sources sources(value);
  if (!sources.hasReduction() && isLarge(value)) {
    early.push_back(result);
    return kernel.getKind() == KernelKind::Reduce &&
           arrayType(value).getShape() == ArrayRef(shape) && hasWholeBytes(value);
  }
  late.push_back(result);
  return llvm::none_of(sources.operations, [&](Operation *op) {
    return !isReduction(op) && llvm::any_of(op->getResults(), isLarge);
  });
}

bool KernelDivision::isPossible() {
  if (reductions.empty() || kernel.getMustReuse() || kernel.getSchedulesAttr() ||
      kernel->hasAttr(kTileGroups))
    return false;
  if (auto dot = dyn_cast<DotOp>(reductions.front())) {
    if (kernel.getKind() != KernelKind::Dot || reductions.size() > 1 ||
        dot.getLhsContractingDims().empty())
      return false;
    size = arrayType(dot.getLhs()).getDimSize(dot.getLhsContractingDims()[0]);
    place = dot.getLhsBatchDims().size();
    RankedTensorType lhs = arrayType(dot.getLhs()), rhs = arrayType(dot.getRhs());
    llvm::append_range(shape, (lhs.getNumElements() > rhs.getNumElements() ? lhs : rhs).getShape());
  } else {
    auto isUnfit = [](Operation *op) {
      auto reduce = dyn_cast<ReduceOp>(op);
      return !reduce || reduce.getDimensions().empty() || !isDivisible(reduce);
    };
    if (kernel.getKind() != KernelKind::Reduce || llvm::any_of(reductions, isUnfit))
      return false;
    auto reduce = cast<ReduceOp>(reductions.front());
    place = *llvm::min_element(reduce.getDimensions()); // all dimensions before it are kept
    llvm::append_range(shape, arrayType(reduce.getInputs()[0]).getShape());
    size = shape[place];
  }
  auto isReady = [](Operation *op) {
    return llvm::all_of(op->getOperands(), hasWholeBytes) &&
           llvm::all_of(op->getResults(), hasWholeBytes) &&
           !Sources(llvm::to_vector(op->getOperands())).hasReduction();
  };
  return llvm::all_of(reductions, isReady) &&
         llvm::all_of(llvm::seq<unsigned>(kernel.getNumResults()),
                      [&](unsigned result) { return findKernel(result); });
}

/// Makes a kernel that computes what `values` are computed with, and calls `rewrite` in place of
/// each reduction. The last arguments of its block are for `more`. It has no terminator yet.
KernelOp KernelDivision::makeKernel(KernelKind kind, ArrayRef<Value> values, ValueRange more,
                                    TypeRange types, Rewrite rewrite, IRMapping &mapping) {
  Sources sources(values);
  SmallVector<Value> inputs;
  for (BlockArgument argument : sources.arguments)
    inputs.push_back(kernel.getInputs()[argument.getArgNumber()]);
  llvm::append_range(inputs, more);
  OpBuilder builder(kernel);
  SmallVector<int64_t> reuse(types.size(), -1);
  auto made = KernelOp::create(builder, kernel.getLoc(), types, inputs, kind, reuse,
                               /*must_reuse=*/false, ArrayAttr());
  Block &block = made.getBody().emplaceBlock();
  for (BlockArgument argument : sources.arguments)
    mapping.map(argument, block.addArgument(argument.getType(), argument.getLoc()));
  for (Value value : more)
    block.addArgument(value.getType(), value.getLoc());
  builder.setInsertionPointToStart(&block);
  for (Operation &op : body.without_terminator())
    if (isReduction(&op))
      mapping.map(op.getResults(), rewrite(builder, &op));
    else if (sources.operations.contains(&op))
      builder.clone(op, mapping);
  return made;
}

/// Arrays in which a dimension is divided into parts and places.
class DividedArrays {
public:
  DividedArrays(int64_t parts, const IRMapping &mapping) : parts(parts), mapping(mapping) {}

  /// What `value` is mapped to, with `dimension` divided. Equal requests get one array.
  Value get(OpBuilder &builder, Value value, int64_t dimension) {
    Value &divided = known[{value, dimension}];
    if (!divided) {
      SmallVector<int64_t> shape(arrayType(value).getShape());
      shape.insert(shape.begin() + dimension + 1, shape[dimension] / parts);
      shape[dimension] = parts;
      divided = Build(builder, value.getLoc()).reshape(mapping.lookup(value), shape);
    }
    return divided;
  }

private:
  int64_t parts;
  const IRMapping &mapping;
  DenseMap<std::pair<Value, int64_t>, Value> known;
};

/// Of dimensions of an array in which `divided` becomes two, the new numbers; that of the places
/// stands for `divided`.
SmallVector<int64_t> renumber(ArrayRef<int64_t> dimensions, int64_t divided) {
  return llvm::map_to_vector(dimensions, [&](int64_t d) { return d < divided ? d : d + 1; });
}

/// Makes the reduction of each part; `place` is the dimension of its inputs that is divided.
Operation *divide(OpBuilder &builder, ReduceOp reduce, int64_t place, DividedArrays &arrays,
                  const IRMapping &mapping) {
  IRMapping operands;
  for (Value input : reduce.getInputs())
    operands.map(input, arrays.get(builder, input, place));
  for (Value init : reduce.getInitialValues())
    operands.map(init, mapping.lookup(init));
  auto made = cast<ReduceOp>(builder.clone(*reduce, operands));
  made.setDimensions(renumber(reduce.getDimensions(), place));
  return made;
}

/// Makes the products of each part, whose parts are the last batch dimension.
Operation *divide(OpBuilder &builder, DotOp dot, DividedArrays &arrays) {
  int64_t left = dot.getLhsContractingDims()[0], right = dot.getRhsContractingDims()[0];
  Value lhs = arrays.get(builder, dot.getLhs(), left),
        rhs = arrays.get(builder, dot.getRhs(), right);
  auto made = cast<DotOp>(builder.clone(*dot));
  made.getLhsMutable().assign(lhs);
  made.getRhsMutable().assign(rhs);
  SmallVector<int64_t> lhsBatch = renumber(dot.getLhsBatchDims(), left),
                       rhsBatch = renumber(dot.getRhsBatchDims(), right);
  lhsBatch.push_back(left);
  rhsBatch.push_back(right);
  made.setLhsBatchDims(lhsBatch);
  made.setRhsBatchDims(rhsBatch);
  made.setLhsContractingDims(renumber(dot.getLhsContractingDims(), left));
  made.setRhsContractingDims(renumber(dot.getRhsContractingDims(), right));
  return made;
}

/// The type of a partial result: parts at `place`, and sums of narrow floats in f32.
RankedTensorType getPartialType(Value total, int64_t place, int64_t parts) {
  RankedTensorType type = arrayType(total);
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + place, parts);
  bool isWide = isa<DotOp>(total.getDefiningOp()) && isNarrow(total);
  return RankedTensorType::get(shape, isWide ? Float32Type::get(type.getContext())
                                             : type.getElementType());
}

/// Lets the arguments of a block that are only used in one other shape have that shape.
void reshapeArguments(Block &block) {
  for (BlockArgument argument : block.getArguments()) {
    if (!argument.hasOneUse())
      continue;
    auto reshape = dyn_cast<ReshapeOp>(*argument.user_begin());
    if (!reshape)
      continue;
    argument.setType(reshape.getType());
    reshape.replaceAllUsesWith(argument);
    reshape.erase();
  }
}

/// Makes the kernel that reduces each part.
KernelOp KernelDivision::makeParts(int64_t parts) {
  SmallVector<Value> roots;
  SmallVector<Type> types;
  for (unsigned result : early) {
    roots.push_back(body.getTerminator()->getOperand(result));
    types.push_back(kernel.getResult(result).getType());
  }
  for (Operation *op : reductions) {
    llvm::append_range(roots, op->getOperands());
    for (Value total : op->getResults())
      types.push_back(getPartialType(total, place, parts));
  }
  IRMapping mapping;
  DividedArrays arrays(parts, mapping);
  SmallVector<Value> partial;
  auto rewrite = [&](OpBuilder &builder, Operation *op) -> ValueRange {
    auto reduce = dyn_cast<ReduceOp>(op);
    Operation *made = reduce ? divide(builder, reduce, place, arrays, mapping)
                             : divide(builder, cast<DotOp>(op), arrays);
    for (auto [total, part] : llvm::zip(op->getResults(), made->getResults()))
      part.setType(getPartialType(total, place, parts));
    llvm::append_range(partial, made->getResults());
    return made->getResults();
  };
  KernelOp made = makeKernel(kernel.getKind(), roots, {}, types, rewrite, mapping);
  Block &block = made.getBody().front();
  OpBuilder builder = OpBuilder::atBlockEnd(&block);
  SmallVector<Value> results;
  for (unsigned result : early)
    results.push_back(arrays.get(builder, body.getTerminator()->getOperand(result), place));
  llvm::append_range(results, partial);
  ReturnOp::create(builder, kernel.getLoc(), results);
  reshapeArguments(block);
  return made;
}

/// Makes the kernel that reduces the results of the parts.
KernelOp KernelDivision::makeTotals(ValueRange partial) {
  SmallVector<Value> roots;
  SmallVector<Type> types;
  for (unsigned result : late) {
    roots.push_back(body.getTerminator()->getOperand(result));
    types.push_back(kernel.getResult(result).getType());
  }
  for (Operation *op : reductions)
    if (auto reduce = dyn_cast<ReduceOp>(op))
      llvm::append_range(roots, reduce.getInitialValues());
  IRMapping mapping;
  unsigned next = 0; // of `partial`
  SmallVector<Value> totals;
  auto rewrite = [&](OpBuilder &builder, Operation *op) -> ValueRange {
    totals.clear();
    auto parts =
        builder.getInsertionBlock()->getArguments().take_back(partial.size()).drop_front(next);
    next += op->getNumResults();
    auto reduce = dyn_cast<ReduceOp>(op);
    if (!reduce) {
      Build build(builder, op->getLoc());
      Value sum = build.reduceSum(parts[0], {place});
      totals.push_back(build.convert(sum, getElementTypeOrSelf(op->getResult(0))));
      return totals;
    }
    IRMapping operands;
    for (auto [input, part] : llvm::zip(reduce.getInputs(), parts))
      operands.map(input, part);
    for (Value init : reduce.getInitialValues())
      operands.map(init, mapping.lookup(init));
    auto made = cast<ReduceOp>(builder.clone(*reduce, operands));
    made.setDimensions({place});
    return made.getResults();
  };
  KernelOp made = makeKernel(KernelKind::Reduce, roots, partial, types, rewrite, mapping);
  OpBuilder builder = OpBuilder::atBlockEnd(&made.getBody().front());
  SmallVector<Value> results = llvm::map_to_vector(late, [&](unsigned result) {
    return mapping.lookup(body.getTerminator()->getOperand(result));
  });
  ReturnOp::create(builder, kernel.getLoc(), results);
  return made;
}

void KernelDivision::run(int64_t parts) {
  KernelOp first = makeParts(parts),
           second = makeTotals(first.getResults().drop_front(early.size()));
  SmallVector<int64_t> reuse(first.getReuse());
  for (auto [number, result] : llvm::enumerate(early)) {
    kernel.getResult(result).replaceAllUsesWith(first.getResult(number));
    int64_t overwritten = kernel.getReuse()[result];
    if (overwritten < 0)
      continue;
    Value input = kernel.getInputs()[overwritten];
    if (!llvm::is_contained(second.getInputs(), input)) // else it is still needed
      reuse[number] = llvm::find(first.getInputs(), input) - first.getInputs().begin();
  }
  first.setReuse(reuse);
  for (KernelOp half : {first, second})
    half->setDiscardableAttrs(kernel->getDiscardableAttrDictionary());
  for (auto [number, result] : llvm::enumerate(late))
    kernel.getResult(result).replaceAllUsesWith(second.getResult(number));
  kernel.erase();
}

struct DivideReductions : hloc::impl::DivideReductionsBase<DivideReductions> {
  void runOnOperation() override {
    FailureOr<Target> target = getMainTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    for (KernelOp kernel : kernels) {
      KernelDivision division(kernel);
      if (!division.isPossible())
        continue;
      int64_t parts = chooseReductionParts(makeProblem(kernel, *target), division.getSize());
      if (parts == 1)
        continue;
      division.run(parts);
      ++divided;
    }
  }
};

} // namespace
