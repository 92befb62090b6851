// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/Strategies.h"
#include "passes/kernels/ArraySizes.h"
#include "passes/schedule/OperandPanels.h"
#include "passes/schedule/UpdateProblem.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// A written tile may have this many accumulators per register; with more, only the code grows.
static constexpr int64_t kMaxSumsOfRegister = 4;

/// True if no operation in `region` makes the array that `input` is, or is a view of.
static bool isFromOutside(Value input, Region &region) {
  Operation *op = input.getDefiningOp();
  while (op && !isa<hlo::KernelOp>(op) && op->getNumRegions() == 0 && op->getNumOperands() > 0) {
    input = op->getOperand(0);
    op = input.getDefiningOp();
  }
  return !op || op->hasTrait<OpTrait::ConstantLike>() || !region.isAncestor(op->getParentRegion());
}

double ArraysAround::getBytes(Region &region) {
  auto [entry, isNew] = known.try_emplace(&region, 0);
  if (!isNew)
    return entry->second;
  llvm::SmallDenseSet<Value> seen;
  double bytes = 0;
  region.walk([&](hlo::KernelOp kernel) {
    for (Value input : kernel.getInputs())
      if (isFromOutside(input, region) && seen.insert(input).second)
        bytes += fuse::bytesOf(input.getType());
  });
  return known[&region] = bytes;
}

KernelProblem makeProblem(hlo::KernelOp kernel, const Target &target, ArraysAround *around) {
  KernelProblem problem{kernel.getKind(), kernel.getBody().front(), kernel.getReuse(),
                        target,           CostModel(target),        countPackings(kernel)};
  if (around) {
    Region &region = *kernel->getParentRegion();
    problem.bytesAround = around->getBytes(region);
    for (Value input : kernel.getInputs())
      problem.isFromAround.push_back(isFromOutside(input, region));
  }
  return problem;
}

/// Units of a core: they even out when another program takes a part of it.
static constexpr int64_t kUnitsOfCore = 2;

int64_t getLeastUnits(const Target &target) {
  return target.singleThreaded ? 1 : kUnitsOfCore * target.machine.l3.sharedBy;
}

ArrayRef<Strategy> getStrategies(const KernelProblem &problem) {
  auto choose = [](auto operations, ArrayRef<Strategy> strategies) {
    return operations.empty() ? ArrayRef<Strategy>() : strategies;
  };
  switch (problem.kind) {
  case hlo::KernelKind::Dot:
    return choose(problem.body.getOps<hlo::DotOp>(), getDotStrategies());
  case hlo::KernelKind::Convolution:
    return choose(problem.body.getOps<hlo::ConvolutionOp>(), getConvolutionStrategies());
  case hlo::KernelKind::Reduce:
    return choose(problem.body.getOps<hlo::ReduceOp>(), getReduceStrategies());
  case hlo::KernelKind::Window:
    return choose(problem.body.getOps<hlo::ReduceWindowOp>(), getWindowStrategies());
  case hlo::KernelKind::Scatter:
    return choose(problem.body.getOps<hlo::ScatterOp>(), getScatterStrategies());
  case hlo::KernelKind::Scan:
    return choose(llvm::make_filter_range(problem.body.getOps<hlo::ScanOp>(),
                                          [](hlo::ScanOp op) {
                                            return int64_t(op.getArrays().size()) >
                                                   int64_t(op.getNumCarries());
                                          }),
                  getScanStrategies());
  case hlo::KernelKind::Sort:
    return getSortStrategies(); // they refuse kernels with neither a sort nor a topk
  case hlo::KernelKind::Loop:
    return choose(problem.body.getTerminator()->getOperands(), getLoopStrategies());
  case hlo::KernelKind::Update:
    return findUpdate(problem.body) ? getUpdateStrategies() : ArrayRef<Strategy>();
  }
  llvm_unreachable("every kind has its strategies");
}

hlo::ScheduleAttr makeSchedule(const KernelProblem &problem, StringRef strategy,
                               const ScheduleFields &fields) {
  MLIRContext *context = problem.body.getParentOp()->getContext();
  auto names = llvm::map_to_vector(fields.with,
                                   [&](StringRef name) { return StringAttr::get(context, name); });
  return hlo::ScheduleAttr::get(context, strategy, fields.tile, fields.block, fields.lanes,
                                /*group=*/1, fields.units, /*grain=*/0, fields.scratch, names);
}

/// Checks that all choices of a written schedule are among `with`. Returns what is wrong, or an
/// empty string.
static std::string checkChoices(hlo::ScheduleAttr schedule, ArrayRef<StringRef> with) {
  for (StringAttr name : schedule.getWith())
    if (!llvm::is_contained(with, name.getValue()))
      return "this strategy has no choice `" + name.getValue().str() + "`";
  return "";
}

std::string checkFieldNames(hlo::ScheduleAttr schedule, ArrayRef<StringRef> fields,
                            ArrayRef<StringRef> with) {
  for (auto [name, isThere] :
       {std::pair("tile", !schedule.getTile().empty()),
        std::pair("block", !schedule.getBlock().empty()),
        std::pair("lanes", schedule.getLanes() != 0), std::pair("group", schedule.getGroup() != 1),
        std::pair("units", schedule.getUnits() != 0), std::pair("grain", schedule.getGrain() != 0),
        std::pair("scratch", schedule.getScratch() != 0)})
    if (isThere && !llvm::is_contained(fields, name))
      return "expected no `" + std::string(name) + "`, which this strategy does not have";
  return checkChoices(schedule, with);
}

std::string checkScheduleFields(const KernelProblem &problem, hlo::ScheduleAttr schedule,
                                ArrayRef<StringRef> with) {
  ArrayRef<int64_t> tile = schedule.getTile();
  if (tile.size() != 2 || tile[0] < 1 || tile[1] < 1)
    return "expected `tile` to be two numbers, 1 or more";
  int64_t most = kMaxSumsOfRegister * problem.target.vectorRegisters;
  if (tile[0] > most || tile[1] > most || tile[0] * tile[1] > most)
    return "expected a tile of at most " + std::to_string(most) + " sums on this machine";
  if (schedule.getUnits() || schedule.getGrain() || schedule.getScratch())
    return "expected neither `units`, `grain` nor `scratch`: code generation computes them";
  return checkChoices(schedule, with);
}

std::string checkVectors(hlo::ScheduleAttr schedule, int64_t most) {
  ArrayRef<int64_t> tile = schedule.getTile();
  bool isGood = tile.size() == 2 && tile[0] == 1 && llvm::isPowerOf2_64(uint64_t(tile[1])) &&
                tile[1] > 0 && tile[1] <= most;
  return isGood ? ""
                : "expected `tile` to be one row and a power of two of vectors, at most " +
                      std::to_string(most);
}

std::string checkLanes(const KernelProblem &problem, hlo::ScheduleAttr schedule, int64_t bits) {
  int64_t lanes = schedule.getLanes();
  return lanes < 1 || !llvm::isPowerOf2_64(lanes) || lanes > problem.target.getLanes(bits)
             ? "expected `lanes` to be a power of two that fits a vector of the target"
             : "";
}

Choice chooseSchedule(const KernelProblem &problem) {
  Choice choice;
  for (const Strategy &strategy : getStrategies(problem)) {
    if (!strategy.refuse(problem).empty())
      continue;
    SmallVector<hlo::ScheduleAttr> schedules;
    strategy.propose(problem, schedules);
    Candidate best;
    for (hlo::ScheduleAttr schedule : schedules)
      if (double time = strategy.cost(problem, schedule); !best.schedule || time < best.time)
        best = {schedule, time};
    if (!best.schedule)
      continue;
    if (!choice.best.schedule || best.time < choice.best.time) {
      choice.second = choice.best;
      choice.best = best;
    } else if (!choice.second.schedule || best.time < choice.second.time) {
      choice.second = best;
    }
  }
  return choice;
}

double getCost(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  for (const Strategy &strategy : getStrategies(problem))
    if (strategy.name == schedule.getStrategy())
      return strategy.cost(problem, schedule);
  llvm_unreachable("schedules were checked against the table");
}

bool hasStrategy(const KernelProblem &problem, StringRef name) {
  return llvm::any_of(getStrategies(problem),
                      [&](const Strategy &strategy) { return strategy.name == name; });
}

std::string checkSchedule(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  std::string known;
  for (const Strategy &strategy : getStrategies(problem)) {
    known += (known.empty() ? "" : ", ") + strategy.name.str();
    if (strategy.name != schedule.getStrategy())
      continue;
    std::string reason = strategy.refuse(problem);
    return reason.empty() ? strategy.check(problem, schedule) : reason;
  }
  if (known.empty())
    return "expected the kernel to contain the operation of its kind";
  return "no strategy `" + schedule.getStrategy().str() + "` for a kernel of this kind: expected " +
         known;
}

} // namespace hloc
