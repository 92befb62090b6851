// SPDX-License-Identifier: Apache-2.0
// Compiled code in this process, called by all participants at once. Tests:
// test/tools/hlo-run.test, test/tools/participants.test.

#ifndef HLOC_COMPILER_DRIVER_TEAMRUN_H
#define HLOC_COMPILER_DRIVER_TEAMRUN_H

#include "compiler/driver/Compiler.h"
#include "compiler/driver/HostTransfers.h"
#include "compiler/driver/LoadedInstance.h"
#include "compiler/driver/ParticipantTeam.h"
#include "compiler/driver/WeightsMemory.h"

namespace hloc {

struct Executable {
  /// As compileModule left it: the program on memory.
  mlir::OwningOpRef<mlir::ModuleOp> program;
  CompiledModule compiled;
  LoadedModule loaded;
  /// The contents of the file of weights, if the module has one.
  WeightsMemory weights;
};

/// Compiles a copy of `source` and links it into this process. None if that fails, which is
/// reported.
std::optional<Executable> makeExecutable(mlir::ModuleOp source, const CompileOptions &options);

/// A module as the participants run it.
class TeamRun {
public:
  TeamRun(ParticipantTeam &team, Executable &executable, llvm::ArrayRef<HostTransfers *> hosts,
          const ParticipantArrays &inputs, const RunOptions &options)
      : team(team), hosts(hosts), options(options) {
    for (size_t i = 0; i < team.size(); ++i)
      instances.emplace_back(executable.compiled.interface, executable.loaded, team.getContext(i),
                             inputs[options.firstHere + i]);
  }

  /// Prepares the parameters that stay the same, for each participant. Returns false after printing
  /// messages if that fails.
  bool prepare();

  /// Runs all participants repeatedly while `goesOn`, which the first one calls before each run,
  /// returns true; `ended` gets the time of each run. Returns false after printing messages if a
  /// run fails.
  bool run(llvm::function_ref<bool()> goesOn, llvm::function_ref<void(double)> ended);

  void fillArguments() {
    for (LoadedInstance &instance : instances)
      instance.fillArguments();
  }

  /// For all participants; empty for those in other processes.
  ParticipantArrays getResults() {
    ParticipantArrays arrays(options.getParticipants());
    for (auto [i, instance] : llvm::enumerate(instances))
      arrays[options.firstHere + i] = instance.getResults();
    return arrays;
  }

private:
  bool report(llvm::ArrayRef<hlort_status> statuses);

  ParticipantTeam &team;
  llvm::ArrayRef<HostTransfers *> hosts;
  const RunOptions &options;
  std::vector<LoadedInstance> instances;
};

} // namespace hloc

#endif
