// SPDX-License-Identifier: Apache-2.0
// Chooses a schedule for each kernel and target (Strategies.h). Test:
// test/passes/schedule/choose-schedules.mlir.
#include "compiler/hlo/Location.h"
#include "compiler/target/TargetAttribute.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Passes.h"
#include "passes/schedule/Strategies.h"
#include "passes/schedule/TunedSchedules.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_CHOOSESCHEDULES
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

std::string toText(const Candidate &candidate) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << Attribute(candidate.schedule) << llvm::formatv(", {0:f2} us", candidate.time / 1000);
  return text;
}

struct ChooseSchedules : hloc::impl::ChooseSchedulesBase<ChooseSchedules> {
  using ChooseSchedulesBase::ChooseSchedulesBase;

  void runOnOperation() override {
    taken.clear();
    unfit.clear();
    around = {};
    FailureOr<SmallVector<Target, 1>> targets = getTargets(getOperation());
    if (failed(targets))
      return signalPassFailure();
    auto module = getOperation()->getParentOfType<ModuleOp>();
    DictionaryAttr written;
    if (failed(readWritten(module, written)))
      return signalPassFailure();
    tuned.clear();
    for (const Target &target : *targets) {
      FailureOr<TunedSchedules> found = TunedSchedules::read(module, target);
      if (failed(found))
        return signalPassFailure();
      tuned.push_back(std::move(*found));
    }
    WalkResult result = getOperation()->walk([&](KernelOp kernel) {
      return failed(choose(kernel, *targets, written)) ? WalkResult::interrupt()
                                                       : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    for (NamedAttribute entry : written ? written.getValue() : ArrayRef<NamedAttribute>())
      if (!taken.contains(entry.getName())) {
        if (auto found = unfit.find(entry.getName()); found != unfit.end())
          (void)fail(found->second, cast<ScheduleAttr>(entry.getValue()),
                     makeProblem(found->second, targets->front(), &around));
        else
          module.emitError("no kernel is called `")
              << entry.getName().getValue() << "`, which a schedule was given for";
        return signalPassFailure();
      }
    for (const TunedSchedules &schedules : tuned)
      schedules.reportUnused();
  }

private:
  /// The tuned schedules for each target.
  SmallVector<TunedSchedules, 1> tuned;
  ArraysAround around;
  /// Names of kernels for which a written schedule was used; and kernels with the name that a
  /// schedule was written for, but of a kind that does not have its strategy.
  llvm::SmallDenseSet<StringAttr> taken;
  llvm::SmallDenseMap<StringAttr, KernelOp> unfit;

  /// Reads the module's written schedules into `written`: null if there are none.
  static LogicalResult readWritten(ModuleOp module, DictionaryAttr &written) {
    Attribute attribute = module->getAttr(kWrittenSchedules);
    written = dyn_cast_if_present<DictionaryAttr>(attribute);
    bool isWrong = attribute && (!written || llvm::any_of(written, [](NamedAttribute entry) {
                     return !isa<ScheduleAttr>(entry.getValue());
                   }));
    if (isWrong)
      return module.emitError("expected `")
             << kWrittenSchedules << "` to be a dictionary of #hlo.schedule";
    return success();
  }

  /// Reports what is wrong with `schedule`, which a user wrote.
  static LogicalResult fail(KernelOp kernel, ScheduleAttr schedule, const KernelProblem &problem) {
    return kernel.emitError("schedule ") << schedule << ": " << checkSchedule(problem, schedule);
  }

  /// The schedule that a user wrote for the kernel; null if there is none. Of the kernels that one
  /// instruction becomes, a schedule is for those whose kind has its strategy.
  ScheduleAttr findWritten(KernelOp kernel, size_t target, DictionaryAttr written,
                           const KernelProblem &problem) {
    if (ArrayAttr own = kernel.getSchedulesAttr())
      return target < own.size() ? cast<ScheduleAttr>(own[target]) : ScheduleAttr();
    StringRef name = getInstructionName(kernel.getLoc());
    std::optional<NamedAttribute> entry =
        written && !name.empty() ? written.getNamed(name) : std::nullopt;
    if (!entry)
      return {};
    auto schedule = cast<ScheduleAttr>(entry->getValue());
    if (!hasStrategy(problem, schedule.getStrategy())) {
      unfit.try_emplace(entry->getName(), kernel);
      return {};
    }
    taken.insert(entry->getName());
    return schedule;
  }

  LogicalResult choose(KernelOp kernel, ArrayRef<Target> targets, DictionaryAttr written) {
    SmallVector<Attribute> schedules;
    for (auto [number, target] : llvm::enumerate(targets)) {
      KernelProblem problem = makeProblem(kernel, target, &around);
      // All targets share one operand, so it cannot be packed for one of them.
      if (targets.size() > 1)
        problem.packings = -1;
      if (ScheduleAttr own = findWritten(kernel, number, written, problem)) {
        if (!checkSchedule(problem, own).empty())
          return fail(kernel, own, problem);
        schedules.push_back(own);
        continue;
      }
      Choice choice = chooseSchedule(problem);
      if (!choice.best.schedule)
        return success();
      if (ScheduleAttr quicker = tuned[number].find(problem, choice.best.schedule)) {
        schedules.push_back(quicker);
        continue;
      }
      schedules.push_back(choice.best.schedule);
      if (!remarks)
        continue;
      InFlightDiagnostic remark = kernel.emitRemark("schedule for ")
                                  << target.cpu << ": " << toText(choice.best);
      if (choice.second.schedule)
        remark << "; next: " << toText(choice.second);
      if (!choice.best.schedule.has(kPackedRight))
        continue;
      remark << llvm::formatv("; panels are packed {0:f2} times per run", problem.packings).str();
      problem.packings = -1;
      remark << "; in place: " << toText(chooseSchedule(problem).best);
    }
    kernel.setSchedulesAttr(ArrayAttr::get(&getContext(), schedules));
    return success();
  }
};

} // namespace
