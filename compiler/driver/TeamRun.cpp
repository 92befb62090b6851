// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/TeamRun.h"
#include "compiler/driver/MpiProcess.h"
#include "passes/frontend/BindParameters.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <barrier>
#include <chrono>

using namespace mlir;

namespace hloc {

std::optional<Executable> makeExecutable(ModuleOp source, const CompileOptions &given) {
  OwningOpRef<ModuleOp> module = source.clone();
  CompileOptions options = given;
  if (options.weightsFile.empty() && module->getOperation()->hasAttr(kBoundParameters))
    options.weightsFile = "weights"; // not in the object, where they would be copied once more
  FailureOr<CompiledModule> compiled = compileModule(*module, options);
  if (failed(compiled))
    return std::nullopt;
  llvm::Expected<LoadedModule> loaded =
      LoadedModule::load(compiled->program.code, compiled->interface.name);
  if (!loaded) {
    emitError(source.getLoc()) << llvm::toString(loaded.takeError());
    return std::nullopt;
  }
  WeightsMemory weights;
  if (compiled->weights) {
    llvm::Expected<WeightsMemory> made = makeWeights(*compiled->weights);
    llvm::Error error = made ? useWeights(*loaded, *made) : made.takeError();
    if (error) {
      emitError(source.getLoc()) << llvm::toString(std::move(error));
      return std::nullopt;
    }
    weights = std::move(*made);
  }
  return Executable{std::move(module), std::move(*compiled), std::move(*loaded),
                    std::move(weights)};
}

bool TeamRun::prepare() {
  std::vector<hlort_status> statuses(team.size());
  std::atomic<bool> failed = false;
  team.forEach([&](size_t participant) {
    if (instances[participant].prepare(statuses[participant]) != HLORT_OK)
      failed = true;
  });
  return !failed || report(statuses);
}

bool TeamRun::run(llvm::function_ref<bool()> goesOn, llvm::function_ref<void(double)> ended) {
  std::vector<hlort_status> statuses(team.size());
  std::barrier gate(std::ptrdiff_t(team.size()));
  std::atomic<bool> more = true, failed = false;
  team.forEach([&](size_t participant) {
    while (true) {
      if (participant == 0) {
        more = !failed && goesOn();
        if (options.process)
          more = options.process->agree(more);
      }
      gate.arrive_and_wait();
      if (!more)
        return;
      auto start = std::chrono::steady_clock::now();
      hosts[participant]->restart();
      if (instances[participant].call(statuses[participant]) != HLORT_OK)
        failed = true;
      gate.arrive_and_wait();
      if (participant == 0 && !failed)
        ended(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
  });
  return !failed || report(statuses);
}

/// Prints the original failures, or all if there are none; returns false.
bool TeamRun::report(ArrayRef<hlort_status> statuses) {
  auto isCause = [](const hlort_status &status) {
    return status.code != HLORT_OK && status.code != HLORT_CANCELLED;
  };
  bool hasCause = llvm::any_of(statuses, isCause);
  for (auto [i, status] : llvm::enumerate(statuses)) {
    if (hasCause ? !isCause(status) : status.code == HLORT_OK)
      continue;
    llvm::errs() << "error: ";
    if (options.getParticipants() > 1)
      llvm::errs() << "participant " << options.firstHere + i << ": ";
    llvm::errs() << status.message << '\n';
  }
  return false;
}

} // namespace hloc
