// SPDX-License-Identifier: Apache-2.0
// Schedules that tuning found quickest on a machine, which the pass choose-schedules takes instead
// of what the cost model says. They are kept by what a kernel computes (Fingerprint.h), so that one
// that has changed is left alone. Test: test/passes/schedule/tuned-schedules.mlir.

#ifndef HLOC_PASSES_SCHEDULE_TUNEDSCHEDULES_H
#define HLOC_PASSES_SCHEDULE_TUNEDSCHEDULES_H

#include "passes/schedule/Strategies.h"
#include "llvm/ADT/StringMap.h"

namespace hloc {

/// Attribute of a module: what was found, an array of dictionaries
///
///   {machine = "...", name = "dot.5", problem = "1f3a9c2e41b0d7f6", schedule = #hlo.schedule<...>}
///
/// with `at`, a location, for messages.
inline constexpr llvm::StringLiteral kTunedSchedules = "hlo.tuned_schedules";

/// The machine of `target` as such entries name it: what schedules are quickest depends on its
/// instructions and on whether kernels are cut into tasks.
std::string getMachineName(const Target &target);

struct TunedSchedule {
  /// Of the kernel's instruction, when it was tuned.
  std::string name;
  /// Its fingerprint.
  std::string problem;
  hlo::ScheduleAttr schedule;
  /// Where it is written.
  mlir::LocationAttr at;
};

/// An entry of the module's attribute.
mlir::DictionaryAttr toAttribute(const TunedSchedule &entry, llvm::StringRef machine,
                                 mlir::MLIRContext *context);

/// Those of a module for one machine.
class TunedSchedules {
public:
  /// Reports an error at the module if its attribute is none.
  static mlir::FailureOr<TunedSchedules> read(mlir::ModuleOp module, const Target &target);

  /// The one for the kernel, if it can stand for `own`, the schedule that is chosen otherwise; null
  /// if there is none. Says in a remark why one cannot.
  hlo::ScheduleAttr find(const KernelProblem &problem, hlo::ScheduleAttr own);

  /// Says in a remark which ones no kernel asked for.
  void reportUnused() const;

private:
  struct Entry {
    TunedSchedule tuned;
    bool isUsed = false;
  };
  llvm::StringMap<Entry> entries; // by the problem
};

} // namespace hloc

#endif
