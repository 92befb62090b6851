// SPDX-License-Identifier: Apache-2.0
// Where a program's time goes: measured times of its kernels, from traces, beside the predicted
// ones. What `hlo-run --profile` prints. Tests: test/driver/ProfileTest.cpp,
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
  /// As the report calls the kernel; several that run part by part together are joined by "+". Of
  /// calls and copies the instruction.
  std::string name;
  /// kernel, copy, or what is called.
  std::string category;
  int64_t times = 0;
  /// The median over the calls of the program.
  double time = 0;

  // Of kernels alone: what they are, and what the cost model says of so many launches.
  std::string kind, place, schedule;
  std::optional<double> predicted, limit;
};

/// Adds up the events of calls of one program.
class Profile {
public:
  /// Each event shows `overhead` nanoseconds too many.
  explicit Profile(double overhead) : overhead(overhead) {}

  /// The events of one more call. Loops, and the tasks of kernels, whose time is in others', are
  /// left out.
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

/// Nanoseconds that an event shows whose code does nothing: the median of many.
double measureTraceOverhead(hlort_context *context);

/// Adds to rows of kernels what is known and predicted of them. `program` is the module as
/// compileModule left it.
void addPredictions(std::vector<ProfileRow> &rows, mlir::ModuleOp program, const Target &target);

/// What stands above the rows.
struct ProfileSummary {
  std::string module, cpu;
  int64_t threads = 1, calls = 0;
  /// Seconds of one call, of code without traces and with them; the medians.
  double callSeconds = 0, tracedSeconds = 0;
  /// Nanoseconds that were taken off each event.
  double overhead = 0;
};

/// The table that people read, and the one that programs do (JSON, times in seconds).
std::string printProfile(const ProfileSummary &summary, llvm::ArrayRef<ProfileRow> rows);
std::string writeProfile(const ProfileSummary &summary, llvm::ArrayRef<ProfileRow> rows);

/// The middle one of `values`, which are one or more.
double getMedian(std::vector<double> values);

} // namespace hloc

#endif
