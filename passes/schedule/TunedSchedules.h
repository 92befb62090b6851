// SPDX-License-Identifier: Apache-2.0
// Schedules that tuning found to be fastest on a machine, which the pass choose-schedules prefers
// to the cost model's choice. They are stored by the fingerprint of what a kernel computes
// (Fingerprint.h), so they do not apply to a kernel that has changed. Test:
// test/passes/schedule/tuned-schedules.mlir.

#ifndef HLOC_PASSES_SCHEDULE_TUNEDSCHEDULES_H
#define HLOC_PASSES_SCHEDULE_TUNEDSCHEDULES_H

#include "passes/schedule/Strategies.h"
#include "llvm/ADT/StringMap.h"

namespace hloc {

/// Attribute of a module: what was found, an array of dictionaries
///
///   {machine = "...", name = "dot.5", problem = "1f3a9c2e41b0d7f6", schedule = #hlo.schedule<...>}
///
/// with an optional location `at` for messages.
inline constexpr llvm::StringLiteral kTunedSchedules = "hlo.tuned_schedules";

/// The name of the machine of `target` in these entries: the fastest schedule depends on its
/// instructions, and on whether kernels are split into tasks.
std::string getMachineName(const Target &target);

struct TunedSchedule {
  /// The name of the kernel's instruction when it was tuned.
  std::string name;
  /// The kernel's fingerprint.
  std::string problem;
  hlo::ScheduleAttr schedule;
  /// Where the entry is written.
  mlir::LocationAttr at;
};

/// Makes an entry of the module's attribute.
mlir::DictionaryAttr toAttribute(const TunedSchedule &entry, llvm::StringRef machine,
                                 mlir::MLIRContext *context);

/// The entries of a module for one machine.
class TunedSchedules {
public:
  /// Reports an error at the module if its attribute is malformed.
  static mlir::FailureOr<TunedSchedules> read(mlir::ModuleOp module, const Target &target);

  /// The schedule for the kernel if it may replace `own`, the schedule chosen by the cost model;
  /// null if there is none. A remark says why an entry cannot be used.
  hlo::ScheduleAttr find(const KernelProblem &problem, hlo::ScheduleAttr own);

  /// Emits a remark for each entry that no kernel looked up.
  void reportUnused() const;

private:
  struct Entry {
    TunedSchedule tuned;
    bool isUsed = false;
  };
  llvm::StringMap<Entry> entries; // by fingerprint
};

} // namespace hloc

#endif
