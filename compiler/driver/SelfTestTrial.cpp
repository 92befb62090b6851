// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/CrashGuard.h"
#include "compiler/driver/LoadedInstance.h"
#include "compiler/driver/ParticipantTeam.h"
#include "compiler/driver/SelfTest.h"
#include "compiler/driver/WeightsMemory.h"
#include "runtime/program/Processor.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;

namespace hloc {

/// True if this machine runs code for the target.
static bool runsHere(const Target &target, ArrayRef<std::string> features) {
  llvm::Triple here(llvm::sys::getProcessTriple());
  return llvm::Triple(target.triple).getArch() == here.getArch() &&
         llvm::all_of(features, [](StringRef name) { return runtime::hasFeature(name); });
}

llvm::Expected<ParticipantArrays> trySelfTest(const SelfTest &test, const CompiledModule &compiled,
                                              const ParticipantArrays &inputs) {
  if (!runsHere(compiled.targets.front(), test.features))
    return ParticipantArrays();
  llvm::Expected<LoadedModule> loaded =
      LoadedModule::load(compiled.program.code, compiled.interface.name);
  if (!loaded)
    return loaded.takeError();
  WeightsMemory weights;
  if (compiled.weights) {
    llvm::Expected<WeightsMemory> made = makeWeights(*compiled.weights);
    if (!made)
      return made.takeError();
    weights = std::move(*made);
    if (llvm::Error error = useWeights(*loaded, weights))
      return error;
  }
  CrashGuard guard;
  std::optional<ParticipantTeam> team = ParticipantTeam::create(test.participants, /*threads=*/1);
  if (!team)
    return llvm::createStringError("no context");
  std::vector<LoadedInstance> instances;
  for (size_t i = 0; i < team->size(); ++i) {
    hlort_random_seed(team->getContext(i), test.seed, nullptr);
    instances.emplace_back(compiled.interface, *loaded, team->getContext(i), inputs[i]);
  }
  std::vector<hlort_status> statuses(team->size());
  team->forEach([&](size_t participant) { instances[participant].call(statuses[participant]); });
  for (const hlort_status &status : statuses)
    if (status.code != HLORT_OK)
      return llvm::createStringError(status.message);
  ParticipantArrays results;
  for (LoadedInstance &instance : instances)
    results.push_back(instance.getResults());
  return results;
}

} // namespace hloc
