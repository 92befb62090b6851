// SPDX-License-Identifier: Apache-2.0
// Makes kernels that pack the right operands of dots into panels: before a loop that does not
// change them, once for all dots that read the same operand, and at compile time if they are
// constants (OperandPanels.h). Test: test/passes/schedule/pack-operands.mlir.
#include "compiler/hlo/Location.h"
#include "compiler/target/TargetAttribute.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "passes/Passes.h"
#include "passes/prepare/Preparation.h"
#include "passes/schedule/Fingerprint.h"
#include "passes/schedule/OperandPanels.h"
#include "passes/schedule/Strategies.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_PACKOPERANDS
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

/// A kernel that packs, and the packed constant if it can be computed at compile time.
struct Packing {
  KernelOp kernel;
  ElementsAttr constant;
};

struct PackOperands : hloc::impl::PackOperandsBase<PackOperands> {
  void runOnOperation() override {
    FailureOr<SmallVector<Target, 1>> targets = getTargets(getOperation());
    if (failed(targets))
      return signalPassFailure();
    packings.clear();
    isPreparable = llvm::any_of(getOperation().getArguments(), isPrepared);
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) {
      int64_t width = getPanelWidth(kernel);
      if (width > 0 && countPackings(kernel) >= 0 &&
          DotProblem(*kernel.getBody().getOps<DotOp>().begin()).columns >= width)
        kernels.push_back(kernel);
    });
    if (kernels.empty())
      return;
    for (KernelOp kernel : kernels)
      pack(kernel, getPanelWidth(kernel));
    hoist();
    share();
    for (Packing &packing : packings)
      finish(packing, *targets);
  }

private:
  /// The width of the panels that the kernel's schedules ask for; 0 if they ask for none.
  static int64_t getPanelWidth(KernelOp kernel) {
    ArrayAttr schedules = kernel.getSchedulesAttr();
    auto schedule =
        schedules && schedules.size() == 1 ? cast<ScheduleAttr>(schedules[0]) : ScheduleAttr();
    return schedule && schedule.has(kPackedRight) ? schedule.getTile()[1] * schedule.getLanes() : 0;
  }

  void pack(KernelOp kernel, int64_t width);
  KernelOp makePacking(KernelOp kernel, const DotProblem &dot, int64_t width);
  void hoist();
  void share();
  void finish(Packing &packing, ArrayRef<Target> targets);

  SmallVector<Packing> packings;
  bool isPreparable = false; ///< hold-panels may move kernels
};

/// Makes a kernel before `kernel` that computes its dot's right operand and packs it.
KernelOp PackOperands::makePacking(KernelOp kernel, const DotProblem &dot, int64_t width) {
  OpBuilder builder(kernel);
  SmallVector<Operation *> sources = findSources(dot.rhs);
  llvm::SetVector<Value> arguments;
  auto addArgument = [&](Value value) {
    if (isa<BlockArgument>(value))
      arguments.insert(value);
  };
  addArgument(dot.rhs);
  for (Operation *source : sources)
    llvm::for_each(source->getOperands(), addArgument);
  SmallVector<Value> inputs = llvm::map_to_vector(arguments, [&](Value argument) -> Value {
    return kernel.getInputs()[cast<BlockArgument>(argument).getArgNumber()];
  });
  SmallVector<int64_t> reuse{-1};
  Location loc = NameLoc::get(
      builder.getStringAttr(getInstructionName(kernel.getLoc()) + ".panels"), kernel.getLoc());
  Type type = getPanelType(dot, width);
  auto packing = KernelOp::create(builder, loc, TypeRange(ArrayRef<Type>(type)), inputs,
                                  KernelKind::Loop, reuse, /*must_reuse=*/false, ArrayAttr());
  Block &body = packing.getBody().emplaceBlock();
  IRMapping mapping;
  for (Value argument : arguments)
    mapping.map(argument, body.addArgument(argument.getType(), argument.getLoc()));
  builder.setInsertionPointToStart(&body);
  for (Operation *source : sources)
    builder.clone(*source, mapping);
  ReturnOp::create(builder, loc,
                   buildPanels(Build(builder, loc), dot, mapping.lookup(dot.rhs), width));
  return packing;
}

/// Makes the kernel read panels, and removes the operations and inputs that only its right operand
/// needed.
void PackOperands::pack(KernelOp kernel, int64_t width) {
  Block &body = kernel.getBody().front();
  std::string fingerprint = getFingerprint(kernel.getKind(), body);
  DotProblem dot(*body.getOps<DotOp>().begin());
  KernelOp packing = makePacking(kernel, dot, width);
  Packing &made = packings.emplace_back(Packing{packing, {}});
  auto constant = packing.getInputs()[0].getDefiningOp<ConstantOp>();
  if (constant && isa<BlockArgument>(dot.rhs) && dot.rhsType.getElementType() == dot.element)
    if (auto value = dyn_cast<ElementsAttr>(constant.getValue()))
      made.constant = packConstant(dot, value, width);

  Value panels = body.addArgument(packing.getResult(0).getType(), kernel.getLoc());
  OpBuilder builder(dot.dot);
  dot.dot->setOperand(dot.swapped ? 0 : 1,
                      buildOperand(Build(builder, kernel.getLoc()), dot, panels, width));
  dot.dot->setDiscardableAttr(kPackedFrom, builder.getStringAttr(fingerprint));
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  SmallVector<Value> inputs(kernel.getInputs());
  inputs.push_back(packing.getResult(0));
  SmallVector<int64_t> reuse(kernel.getReuse());
  for (int64_t i = int64_t(inputs.size()) - 1; i >= 0; --i) {
    if (!body.getArgument(i).use_empty() || llvm::is_contained(reuse, i))
      continue;
    body.eraseArgument(i);
    inputs.erase(inputs.begin() + i);
    for (int64_t &input : reuse)
      input -= input > i;
  }
  kernel.getInputsMutable().assign(inputs);
  kernel.setReuse(reuse);
  ++packed;
}

/// Moves packing kernels out of loops, with the views that they read.
void PackOperands::hoist() {
  llvm::SmallPtrSet<Operation *, 8> kernels;
  for (Packing &packing : packings)
    kernels.insert(packing.kernel);
  getOperation()->walk([&](LoopLikeOpInterface loop) {
    moveLoopInvariantCode(
        loop.getLoopRegions(),
        [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); },
        [&](Operation *op, Region *) { return kernels.contains(op) || isa<ReshapeOp>(op); },
        [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
  });
}

/// Replaces a packing kernel by an equal one that dominates it.
void PackOperands::share() {
  DominanceInfo dominance(getOperation());
  DenseMap<Value, SmallVector<KernelOp>> known; // by input
  llvm::erase_if(packings, [&](Packing &packing) {
    SmallVector<KernelOp> &others = known[packing.kernel.getInputs()[0]];
    for (KernelOp other : others) {
      if (!dominance.properlyDominates(other, packing.kernel) ||
          !OperationEquivalence::isEquivalentTo(other, packing.kernel,
                                                OperationEquivalence::IgnoreLocations))
        continue;
      packing.kernel->replaceAllUsesWith(other->getResults());
      packing.kernel->erase();
      return true;
    }
    others.push_back(packing.kernel);
    return false;
  });
}

/// Replaces the packing of a constant by its result, and chooses a schedule for any other packing
/// kernel.
void PackOperands::finish(Packing &packing, ArrayRef<Target> targets) {
  KernelOp kernel = packing.kernel;
  if (packing.constant) {
    OpBuilder builder(kernel);
    auto original = kernel.getInputs()[0].getDefiningOp<ConstantOp>();
    Value result = kernel.getResult(0);
    result.replaceAllUsesWith(
        ConstantOp::create(builder, original.getLoc(), result.getType(), packing.constant));
    kernel->erase();
    if (original.use_empty())
      original->erase();
    return;
  }
  SmallVector<Attribute> schedules;
  for (const Target &target : targets)
    schedules.push_back(chooseSchedule(makeProblem(kernel, target)).best.schedule);
  kernel.setSchedulesAttr(ArrayAttr::get(&getContext(), schedules));
  if (isPreparable)
    kernel->setDiscardableAttr(kWorthHolding, UnitAttr::get(&getContext()));
}

} // namespace
