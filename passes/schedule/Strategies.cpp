// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/Strategies.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlir;

namespace hloc {

static ArrayRef<Strategy> getStrategies(hlo::KernelKind kind) {
  return kind == hlo::KernelKind::Dot ? getDotStrategies() : ArrayRef<Strategy>();
}

Choice chooseSchedule(const KernelProblem &problem) {
  Choice choice;
  for (const Strategy &strategy : getStrategies(problem.kind)) {
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
  for (const Strategy &strategy : getStrategies(problem.kind))
    if (strategy.name == schedule.getStrategy())
      return strategy.cost(problem, schedule);
  llvm_unreachable("schedules were checked against the table");
}

std::string checkSchedule(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  std::string known;
  for (const Strategy &strategy : getStrategies(problem.kind)) {
    known += (known.empty() ? "" : ", ") + strategy.name.str();
    if (strategy.name != schedule.getStrategy())
      continue;
    std::string reason = strategy.refuse(problem);
    return reason.empty() ? strategy.check(problem, schedule) : reason;
  }
  if (known.empty())
    return "kernels of kind `" + hlo::stringifyKernelKind(problem.kind).str() +
           "` have no strategies to choose from";
  return "no strategy `" + schedule.getStrategy().str() + "` for a kernel of this kind: expected " +
         known;
}

} // namespace hloc
