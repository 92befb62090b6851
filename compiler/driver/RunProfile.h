// SPDX-License-Identifier: Apache-2.0
// `hlo-run --profile`: calls of a program with traces, and what they say. Test:
// test/tools/profile.test.

#ifndef HLOC_COMPILER_DRIVER_RUNPROFILE_H
#define HLOC_COMPILER_DRIVER_RUNPROFILE_H

#include "compiler/driver/HloRunMain.h"
#include "compiler/driver/Profile.h"
#include "compiler/driver/Report.h"
#include "compiler/driver/TeamRun.h"

namespace hloc {

/// What calls of code with traces took, and the results of the last one.
struct TracedCalls {
  std::vector<ProfileRow> rows;
  int64_t calls = 0;
  /// Seconds of a call, the median; nanoseconds that were taken off each event.
  double seconds = 0, overhead = 0;
  std::vector<HostArray> results;
};

/// Calls `traced` for as long as the options' benchmark says, after some calls that do not count.
/// Of several participants it looks at the first. Nothing, with a message, if a call fails.
std::optional<TracedCalls> traceCalls(Executable &traced, const RunOptions &options,
                                      ParticipantTeam &team, llvm::ArrayRef<HostTransfers *> hosts,
                                      const ParticipantArrays &inputs);

/// Times calls of `plain`, which is what `measured` gets, then calls of the same module compiled
/// with traces, of which the first participant's count; prints the profile and writes it, and a
/// report, to the files that `options` names. `remarks` are of the compilation of `plain`. False,
/// with a message, if something fails.
bool runProfile(mlir::ModuleOp source, CompileOptions compile, const RunOptions &options,
                Executable &plain, const ReportRemarks &remarks, ParticipantTeam &team,
                llvm::ArrayRef<HostTransfers *> hosts, const ParticipantArrays &inputs,
                Measurements &measured);

} // namespace hloc

#endif
