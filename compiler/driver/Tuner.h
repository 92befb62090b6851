// SPDX-License-Identifier: Apache-2.0
// The search for the fastest schedules of a program's kernels. One run measures one candidate for
// each kernel, since the time of a kernel does not depend on the others' schedules, except for
// kernels that run tile by tile as a group, which are measured in turn. Each run alternates with
// one of the best schedules so far, since the load of the machine changes from second to second.
// When a candidate is faster, those that differ from it in one field come next. At the end the best
// schedules alternate with the model's own; what is not faster then was noise. Test:
// test/driver/TunerTest.cpp.

#ifndef HLOC_COMPILER_DRIVER_TUNER_H
#define HLOC_COMPILER_DRIVER_TUNER_H

#include "compiler/hlo/HloDialect.h"
#include "llvm/ADT/StringMap.h"
#include <deque>
#include <functional>
#include <optional>

namespace hloc {

/// Schedules by the fingerprints of kernels; other kernels have the model's own.
using TrialSchedules = llvm::StringMap<hlo::ScheduleAttr>;

/// The times of a run of the program: the minimum over several calls.
struct TrialTimes {
  /// A group of kernels that run tile by tile together, by fingerprint, and its nanoseconds per
  /// call.
  struct Row {
    std::vector<std::string> problems;
    double time = 0;
  };
  std::vector<Row> rows;
  /// Nanoseconds per call.
  double call = 0;
  /// A hash of the bits of all results.
  uint64_t results = 0;
};

struct Comparison {
  TrialTimes reference, trial;
};

/// A kernel, or several that compute the same.
struct TunableKernel {
  std::string name, problem;
  hlo::ScheduleAttr own;
  /// Other schedules with the same bits: the first ones to try, and those to try after one that was
  /// faster.
  std::vector<hlo::ScheduleAttr> candidates;
  std::function<std::vector<hlo::ScheduleAttr>(hlo::ScheduleAttr)> listNeighbours;
};

class Tuner {
public:
  /// Runs the program with two sets of schedules alternately. None if that fails, which rules out
  /// the candidates of the second set.
  using Measure = std::function<std::optional<Comparison>(const TrialSchedules &reference,
                                                          const TrialSchedules &trial)>;
  /// Called after each run with the number of runs, the seconds since the start, the nanoseconds of
  /// a call with the own schedules, and those with the best so far, as the sum over kernels.
  using Progress = std::function<void(int64_t runs, double seconds, double before, double now)>;

  struct Result {
    std::string name, problem;
    hlo::ScheduleAttr schedule, own;
    /// Nanoseconds per call of all kernels that run with this one.
    double before = 0, after = 0;
  };

  Tuner(std::vector<TunableKernel> kernels, Measure measure, Progress progress = {});

  /// Searches for about `seconds`. Returns false if the program does not even run with its own
  /// schedules.
  bool run(double seconds);

  /// The kernels that are faster with another schedule, the largest gain first.
  std::vector<Result> getResults() const;
  /// Nanoseconds per call, with the own schedules and with the results.
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
    /// Nanoseconds per call with the own schedules, and with the best.
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
  /// Equal schedules give equal bits.
  bool repeats = true;
};

} // namespace hloc

#endif
