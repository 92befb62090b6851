// SPDX-License-Identifier: Apache-2.0
// `hlo-run --profile`: calls a program with traces and evaluates these. Test:
// test/tools/profile.test.

#ifndef HLOC_COMPILER_DRIVER_RUNPROFILE_H
#define HLOC_COMPILER_DRIVER_RUNPROFILE_H

#include "compiler/driver/HloRunMain.h"
#include "compiler/driver/Profile.h"
#include "compiler/driver/Report.h"
#include "compiler/driver/TeamRun.h"

namespace hloc {

/// The measurements of calls with traces, and the results of the last call.
struct TracedCalls {
  std::vector<ProfileRow> rows;
  int64_t calls = 0;
  /// Median seconds of a call; nanoseconds that were subtracted from each event.
  double seconds = 0, overhead = 0;
  std::vector<HostArray> results;
};

/// Calls `traced` for as long as the benchmark option says, after some warm-up calls. Of several
/// participants, only the first one is traced. None, after printing a message, if a call fails.
std::optional<TracedCalls> traceCalls(Executable &traced, const RunOptions &options,
                                      ParticipantTeam &team, llvm::ArrayRef<HostTransfers *> hosts,
                                      const ParticipantArrays &inputs);

/// Times calls of `plain`, which gives `measured`, then calls of the same module compiled with
/// traces, where those of the first participant are evaluated. Prints the profile, and writes it
/// and a report to the files that `options` names. `remarks` are those of the compilation of
/// `plain`. Returns false after printing a message if something fails.
bool runProfile(mlir::ModuleOp source, CompileOptions compile, const RunOptions &options,
                Executable &plain, const ReportRemarks &remarks, ParticipantTeam &team,
                llvm::ArrayRef<HostTransfers *> hosts, const ParticipantArrays &inputs,
                Measurements &measured);

} // namespace hloc

#endif
