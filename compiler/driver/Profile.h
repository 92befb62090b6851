// SPDX-License-Identifier: Apache-2.0
// Where a program's time goes: measured times of its kernels, from traces, next to the predicted
// ones. The output of `hlo-run --profile`. Tests: test/driver/ProfileTest.cpp,
// test/tools/profile.test.

#ifndef HLOC_COMPILER_DRIVER_PROFILE_H
#define HLOC_COMPILER_DRIVER_PROFILE_H

#include "compiler/driver/Compiler.h"
#include "hlort/hlort.h"
#include <map>

namespace hloc {

/// All launches of a kernel in one call of the program, or all runs of a call or copy. Times are in
/// nanoseconds.
struct ProfileRow {
  /// The kernel's name in the report; kernels that run tile by tile as a group are joined by "+".
  /// For calls and copies, the instruction.
  std::string name;
  /// "kernel", "copy", or what is called.
  std::string category;
  int64_t times = 0;
  /// The median over the calls of the program.
  double time = 0;

  // Only for kernels: properties, and the cost model's prediction for this many launches.
  std::string kind, place, schedule;
  std::optional<double> predicted, limit;
};

/// Accumulates the events of calls of one program.
class Profile {
public:
  /// Each event is measured `overhead` nanoseconds too long.
  explicit Profile(double overhead) : overhead(overhead) {}

  /// Adds the events of one more call. Loops, and tasks of kernels, whose time is included in other
  /// events, are skipped.
  void addCall(llvm::ArrayRef<hlort_trace_event> events);

  /// The longest first.
  std::vector<ProfileRow> getRows() const;

private:
  struct Sums {
    int64_t times = 0;
    double time = 0;
  };
  double overhead;
  /// By category and name, those of each call.
  std::map<std::pair<std::string, std::string>, std::vector<Sums>> sums;
};

/// The measured nanoseconds of an event around no code: the median of many.
double measureTraceOverhead(hlort_context *context);

/// Adds properties and predictions to the rows of kernels. `program` is the module as compileModule
/// left it.
void addPredictions(std::vector<ProfileRow> &rows, mlir::ModuleOp program, const Target &target);

/// The header of the table.
struct ProfileSummary {
  std::string module, cpu;
  int64_t threads = 1, calls = 0;
  /// Seconds of one call, without and with traces; medians.
  double callSeconds = 0, tracedSeconds = 0;
  /// Nanoseconds that were subtracted from each event.
  double overhead = 0;
};

/// The table for people, and the one for programs (JSON, with times in seconds).
std::string printProfile(const ProfileSummary &summary, llvm::ArrayRef<ProfileRow> rows);
std::string writeProfile(const ProfileSummary &summary, llvm::ArrayRef<ProfileRow> rows);

/// The median of `values`, which must not be empty.
double getMedian(std::vector<double> values);

} // namespace hloc

#endif
