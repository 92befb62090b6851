// SPDX-License-Identifier: Apache-2.0
// The search for the quickest schedules of a program's kernels. One run times one candidate of each
// of them, since what one kernel takes does not depend on the others' schedules, but for kernels
// that run part by part together; these take turns. It runs in turn with the best so far, since
// what else a machine does changes from one second to the next. Where a candidate is quicker, those
// that differ from it in one field come next. At the end the best run in turn with the model's own
// schedules: what is not quicker then was noise. Test: test/driver/TunerTest.cpp.

#ifndef HLOC_COMPILER_DRIVER_TUNER_H
#define HLOC_COMPILER_DRIVER_TUNER_H

#include "compiler/hlo/HloDialect.h"
#include "llvm/ADT/StringMap.h"
#include <deque>
#include <functional>
#include <optional>

namespace hloc {

/// Schedules by the fingerprints of kernels; others have the model's own.
using TrialSchedules = llvm::StringMap<hlo::ScheduleAttr>;

/// What a run of the program took, the least of several calls.
struct TrialTimes {
  /// Kernels that run part by part together, by fingerprint, and their nanoseconds a call.
  struct Row {
    std::vector<std::string> problems;
    double time = 0;
  };
  std::vector<Row> rows;
  /// Nanoseconds a call.
  double call = 0;
  /// The same for the same bits of all results.
  uint64_t results = 0;
};

struct Comparison {
  TrialTimes reference, trial;
};

/// A kernel, or several that compute the same.
struct TunableKernel {
  std::string name, problem;
  hlo::ScheduleAttr own;
  /// Other schedules with the same bits: what to try first, and what to try next after one that was
  /// quicker.
  std::vector<hlo::ScheduleAttr> candidates;
  std::function<std::vector<hlo::ScheduleAttr>(hlo::ScheduleAttr)> listNeighbours;
};

class Tuner {
public:
  /// Runs the program with two sets of schedules in turn; nothing if it fails, which costs it the
  /// candidates that were in the second.
  using Measure = std::function<std::optional<Comparison>(const TrialSchedules &reference,
                                                          const TrialSchedules &trial)>;
  /// Told after each run: how many there were, seconds since the start, nanoseconds of a call with
  /// the own schedules, and with the best so far as the sum of their kernels says.
  using Progress = std::function<void(int64_t runs, double seconds, double before, double now)>;

  struct Result {
    std::string name, problem;
    hlo::ScheduleAttr schedule, own;
    /// Nanoseconds a call, of all kernels that run with this one.
    double before = 0, after = 0;
  };

  Tuner(std::vector<TunableKernel> kernels, Measure measure, Progress progress = {});

  /// Searches for about so many seconds. False if the program does not even run as it is.
  bool run(double seconds);

  /// The kernels that are quicker with another schedule, the largest gain first.
  std::vector<Result> getResults() const;
  /// Nanoseconds a call, with the own schedules and with the results.
  double getBefore() const { return before; }
  double getAfter() const { return after; }

private:
  struct Kernel : TunableKernel {
    hlo::ScheduleAttr best;
    std::deque<hlo::ScheduleAttr> next;
    llvm::DenseSet<hlo::ScheduleAttr> tried;

    explicit Kernel(TunableKernel kernel);
    void addNext(llvm::ArrayRef<hlo::ScheduleAttr> schedules, bool first);
  };
  /// Kernels that share rows.
  struct Group {
    std::vector<Kernel *> kernels;
    /// Nanoseconds a call with the own schedules, and with the best.
    double own = 0, time = 0;
    size_t turn = 0;
    Kernel *trial = nullptr;
    hlo::ScheduleAttr candidate;
  };

  bool begin();
  void makeGroups(const TrialTimes &times);
  bool chooseTrials(TrialSchedules &schedules);
  void judge(const Comparison &times);
  void compare(double seconds);
  TrialSchedules getBest() const;
  std::optional<Comparison> runBoth(const TrialSchedules &reference, const TrialSchedules &trial);
  void report() const;
  double getSeconds() const;
  static double getTime(const Group &group, const TrialTimes &times);

  std::vector<Kernel> kernels;
  std::vector<Group> groups;
  Measure measure;
  Progress progress;
  int64_t runs = 0;
  double started = 0, before = 0, after = 0;
  /// Of the longest run.
  double runSeconds = 0;
  /// The same schedules give the same bits.
  bool repeats = true;
};

} // namespace hloc

#endif
