// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/Tuner.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include <chrono>
#include <cmath>

using namespace mlir;

namespace hloc {

/// The share of a call from which a kernel is tuned.
static constexpr double kLeastShare = 0.005;
/// Maximum number of schedules that are tried for one kernel.
static constexpr size_t kMostCandidates = 64;
/// The fraction of the time below which a candidate counts as faster, in a trial and at the end.
static constexpr double kQuicker = 0.98, kSurelyQuicker = 0.97;
/// Runs with the best and the original schedules at the end.
static constexpr int kLastRuns = 3;

Tuner::Kernel::Kernel(TunableKernel kernel) : TunableKernel(std::move(kernel)) {
  best = own;
  tried.insert(own);
  addNext(candidates, /*first=*/false);
}

void Tuner::Kernel::addNext(ArrayRef<hlo::ScheduleAttr> schedules, bool first) {
  SmallVector<hlo::ScheduleAttr> fresh;
  for (hlo::ScheduleAttr schedule : schedules)
    if (tried.size() < kMostCandidates && tried.insert(schedule).second)
      fresh.push_back(schedule);
  next.insert(first ? next.begin() : next.end(), fresh.begin(), fresh.end());
}

Tuner::Tuner(std::vector<TunableKernel> all, Measure measure, Progress progress)
    : measure(std::move(measure)), progress(std::move(progress)) {
  kernels.reserve(all.size()); // groups point to them
  for (TunableKernel &kernel : all)
    kernels.emplace_back(std::move(kernel));
}

double Tuner::getSeconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
             .count() -
         started;
}

std::optional<Comparison> Tuner::runBoth(const TrialSchedules &reference,
                                         const TrialSchedules &trial) {
  double start = getSeconds();
  std::optional<Comparison> times = measure(reference, trial);
  runSeconds = std::max(runSeconds, getSeconds() - start);
  ++runs;
  return times;
}

void Tuner::report() const {
  if (progress)
    progress(runs, getSeconds(), before, after);
}

double Tuner::getTime(const Group &group, const TrialTimes &times) {
  double sum = 0;
  for (const TrialTimes::Row &row : times.rows)
    if (llvm::any_of(group.kernels, [&](const Kernel *kernel) {
          return llvm::is_contained(row.problems, kernel->problem);
        }))
      sum += row.time;
  return sum;
}

/// Kernels that share a row of the profile are one group; those that are worth tuning remain.
void Tuner::makeGroups(const TrialTimes &times) {
  llvm::StringMap<size_t> groupOf; // by problem
  std::vector<std::vector<Kernel *>> members;
  for (Kernel &kernel : kernels) {
    groupOf[kernel.problem] = members.size();
    members.push_back({&kernel});
  }
  for (const TrialTimes::Row &row : times.rows) {
    std::optional<size_t> into;
    for (const std::string &problem : row.problems) {
      auto found = groupOf.find(problem);
      if (found == groupOf.end())
        continue;
      size_t from = found->second;
      if (!into || from == *into) {
        into = from;
        continue;
      }
      for (Kernel *kernel : members[from]) {
        groupOf[kernel->problem] = *into;
        members[*into].push_back(kernel);
      }
      members[from].clear();
    }
  }
  for (std::vector<Kernel *> &together : members) {
    Group group;
    group.kernels = std::move(together);
    group.own = group.time = getTime(group, times);
    if (!group.kernels.empty() && group.time >= kLeastShare * times.call)
      groups.push_back(std::move(group));
  }
}

bool Tuner::begin() {
  std::optional<Comparison> times = runBoth({}, {});
  if (!times)
    return false;
  makeGroups(times->reference);
  before = after = times->reference.call;
  repeats = times->reference.results == times->trial.results;
  runSeconds = 0; // the first run also created everything that runs need
  report();
  return true;
}

TrialSchedules Tuner::getBest() const {
  TrialSchedules schedules;
  for (const Kernel &kernel : kernels)
    if (kernel.best != kernel.own)
      schedules[kernel.problem] = kernel.best;
  return schedules;
}

/// The best schedules of all kernels, with the next candidate of one kernel of each group. False if
/// there is none left.
bool Tuner::chooseTrials(TrialSchedules &schedules) {
  schedules = getBest();
  bool any = false;
  for (Group &group : groups) {
    group.trial = nullptr;
    for (size_t i = 0; i < group.kernels.size() && !group.trial; ++i) {
      Kernel *kernel = group.kernels[(group.turn + i) % group.kernels.size()];
      if (kernel->next.empty())
        continue;
      group.turn += i + 1;
      group.trial = kernel;
      group.candidate = kernel->next.front();
      kernel->next.pop_front();
      schedules[kernel->problem] = group.candidate;
      any = true;
    }
  }
  return any;
}

void Tuner::judge(const Comparison &times) {
  if (repeats && times.trial.results != times.reference.results)
    return; // they change bits: these are no candidates
  for (Group &group : groups) {
    if (!group.trial)
      continue;
    double ratio = getTime(group, times.trial) / getTime(group, times.reference);
    if (!(ratio < kQuicker))
      continue;
    after -= group.time * (1 - ratio);
    group.time *= ratio;
    group.trial->best = group.candidate;
    group.trial->addNext(group.trial->listNeighbours(group.candidate), /*first=*/true);
  }
}

/// Compares the original with the best schedules, and reverts those that are not better.
void Tuner::compare(double seconds) {
  TrialSchedules best = getBest();
  double infinity = std::numeric_limits<double>::infinity(), call = infinity;
  for (Group &group : groups)
    group.own = group.time = infinity;
  bool isGood = !best.empty();
  for (int i = 0; isGood && i < kLastRuns && (i == 0 || getSeconds() < seconds); ++i) {
    std::optional<Comparison> times = runBoth({}, best);
    isGood = times && (!repeats || times->trial.results == times->reference.results);
    if (!isGood)
      break;
    call = std::min(call, times->reference.call);
    for (Group &group : groups) {
      group.own = std::min(group.own, getTime(group, times->reference));
      group.time = std::min(group.time, getTime(group, times->trial));
    }
  }
  before = after = isGood ? call : before;
  for (Group &group : groups) {
    if (isGood && group.time <= kSurelyQuicker * group.own) {
      after -= group.own - group.time;
      continue;
    }
    for (Kernel *kernel : group.kernels)
      kernel->best = kernel->own;
  }
}

bool Tuner::run(double seconds) {
  started = 0;
  started = getSeconds();
  if (!begin())
    return false;
  for (Kernel &kernel : kernels)
    kernel.addNext(kernel.listNeighbours(kernel.own), /*first=*/false);
  TrialSchedules schedules;
  // The comparison at the end takes time as well.
  while (getSeconds() + (1 + kLastRuns) * runSeconds < seconds && chooseTrials(schedules)) {
    if (std::optional<Comparison> times = runBoth(getBest(), schedules))
      judge(*times);
    report();
  }
  compare(seconds);
  return true;
}

std::vector<Tuner::Result> Tuner::getResults() const {
  std::vector<Result> found;
  for (const Group &group : groups)
    for (const Kernel *kernel : group.kernels)
      if (kernel->best != kernel->own)
        found.push_back(
            {kernel->name, kernel->problem, kernel->best, kernel->own, group.own, group.time});
  llvm::stable_sort(found, [](const Result &x, const Result &y) {
    return x.before - x.after > y.before - y.after;
  });
  return found;
}

} // namespace hloc
