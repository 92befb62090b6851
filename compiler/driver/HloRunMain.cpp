// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/HloRunMain.h"
#include "compiler/driver/CrashGuard.h"
#include "compiler/driver/MpiProcess.h"
#include "compiler/driver/StandardOutput.h"
#include "compiler/hlo/Buffers.h"
#include "compiler/text/Load.h"
#include "compiler/text/SourceNotes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include <csignal>

using namespace mlir;

namespace hloc {

namespace {
enum ExitCode { Done = 0, Refused = 1, WrongUsage = 2, Unsupported = 3 };

ExitCode toExitCode(RunStatus status) {
  switch (status) {
  case RunStatus::Done:
    return Done;
  case RunStatus::Refused:
    return Refused;
  case RunStatus::WrongUsage:
    return WrongUsage;
  case RunStatus::Unsupported:
    return Unsupported;
  }
  llvm_unreachable("a status of another kind");
}

void printJson(const Measurements &measured) {
  llvm::json::OStream json(llvm::outs(), 2);
  json.object([&] {
    json.attribute("compile_seconds", measured.compileSeconds);
    json.attribute("run_seconds", measured.runSeconds);
    json.attribute("runs", measured.runs);
    json.attribute("threads", measured.threads);
    json.attribute("arena_bytes", measured.arenaBytes);
    json.attribute("code_bytes", measured.codeBytes);
    json.attribute("constant_bytes", measured.constantBytes);
    if (measured.preparedBytes) {
      json.attribute("prepared_bytes", measured.preparedBytes);
      json.attribute("prepare_seconds", measured.prepareSeconds);
    }
  });
  llvm::outs() << '\n';
}

/// Prints the distance of each result that need not be exact from the expected one, and its bound.
void printBounds(ArrayRef<ErrorBound> bounds, ArrayRef<std::vector<HostArray>> outputs,
                 ArrayRef<std::vector<HostArray>> expected) {
  for (auto [i, bound] : llvm::enumerate(bounds)) {
    double apart = 0;
    for (auto [arrays, others] : llvm::zip(outputs, expected))
      if (arrays[i].type == others[i].type)
        apart = std::max(apart, measureDistance(arrays[i], others[i]));
    Type element = outputs.front()[i].getElementType();
    if (bound.isExact())
      continue;
    std::string line;
    llvm::raw_string_ostream(line) << "compare out" << i << ": " << llvm::format("%g", apart)
                                   << (isa<IntegerType>(element) ? "" : " ulp") << " apart, may be "
                                   << describe(bound, element) << '\n';
    llvm::outs() << line; // with one call, as other processes may write to the same stream
  }
}

/// Compares with the evaluator's results, with the tolerances of the options, or otherwise with the
/// module's error bounds.
RunStatus compareWithEvaluator(ModuleOp module, const RunOptions &options,
                               const ParticipantArrays &inputs, const ParticipantArrays &outputs,
                               const ParticipantArrays &outfeed, bool &same) {
  ParticipantArrays expected, expectedOutfeed;
  Measurements ignored;
  Observations observations;
  RunStatus status =
      runEvaluated(module, options, inputs, expected, expectedOutfeed, ignored,
                   options.hasTolerance ? evaluator::Observer() : makeObserver(observations));
  if (status != RunStatus::Done)
    return status;
  ArrayRef<std::vector<HostArray>> here =
      ArrayRef(outputs).slice(options.firstHere, options.countHere);
  std::vector<Tolerance> tolerances(here.front().size(), options.tolerance);
  if (!options.hasTolerance) {
    std::vector<ErrorBound> bounds =
        deriveErrorBounds(findEntry(module), inputs, observations, options.flushSubnormals);
    bounds.resize(tolerances.size());
    for (auto [tolerance, bound, array] : llvm::zip(tolerances, bounds, here.front()))
      tolerance = toTolerance(bound, array.getElementType());
    if (!options.json)
      printBounds(bounds, here, ArrayRef(expected).slice(options.firstHere, options.countHere));
  }
  same = succeeded(compareResults("result", outputs, expected, tolerances, options));
  same &= succeeded(compareResults("outfeed", outfeed, expectedOutfeed, {}, options));
  return status;
}

ExitCode runModule(ModuleOp module, const RunOptions &options, const Runner &compiled) {
  hlo::ComputationOp entry = findEntry(module);
  if (!entry) {
    module.emitError("expected an entry computation");
    return Refused;
  }
  ParticipantArrays inputs, outputs, outfeed;
  if (InputError error = readInputs(entry, options, inputs); error != InputError::None)
    return error == InputError::Refused ? Refused : WrongUsage;

  if (!options.evaluate && !compiled) {
    llvm::errs() << "hlo-run: this build has no compiler; use --evaluate\n";
    return Unsupported;
  }
  Measurements measured;
  RunStatus status = options.evaluate
                         ? runEvaluated(module, options, inputs, outputs, outfeed, measured)
                         : compiled(module, options, inputs, outputs, outfeed, measured);
  if (status != RunStatus::Done)
    return toExitCode(status);
  bool same = true;
  if (options.compare) {
    status = compareWithEvaluator(module, options, inputs, outputs, outfeed, same);
    if (status != RunStatus::Done)
      return toExitCode(status);
  }
  for (auto [prefix, arrays] : {std::pair("out", &outputs), {"outfeed", &outfeed}}) {
    if (!options.outputsTo.empty() && failed(writeOutputs(prefix, *arrays, options)))
      return Refused;
    if (!options.expectFrom.empty())
      same &= succeeded(compareWithExpected(prefix, *arrays, options));
    if (!options.json && !options.profile && options.numericReport == NumericReport::None &&
        options.outputsTo.empty())
      printSummaries(prefix, *arrays);
  }
  if (options.json && options.isHere(0))
    printJson(measured);
  return same ? Done : Refused;
}

int64_t getCount(ModuleOp module, StringRef name) {
  auto count = module->getAttrOfType<IntegerAttr>(name);
  return count ? std::max<int64_t>(count.getInt(), 1) : 1;
}

/// Makes this process a participant of mpirun's job. A module without a number of participants,
/// such as a whole program printed by JAX, gets one partition per process. False, with a message,
/// if the module is for another number of processes.
bool joinProcesses(ModuleOp module, RunOptions &options) {
  int64_t size = options.process->getSize();
  if (!options.replicas && !options.partitions) {
    options.replicas = getCount(module, "hlo.replica_count");
    options.partitions = getCount(module, "hlo.num_partitions");
    if (options.getParticipants() == 1)
      options.partitions = size;
  }
  options.replicas = std::max<int64_t>(options.replicas, 1);
  options.partitions = std::max<int64_t>(options.partitions, 1);
  options.firstHere = options.process->getRank();
  options.countHere = 1;
  if (options.getParticipants() == size)
    return true;
  if (options.isHere(0))
    llvm::errs() << "hlo-run: " << size << " processes cannot be " << options.getParticipants()
                 << " participants (" << options.replicas << " replicas of " << options.partitions
                 << " partitions): start as many by mpirun, or give --replicas and --partitions\n";
  return false;
}
} // namespace

static int runFile(RunOptions &options, DialectRegistry &registry, const Runner &compiled,
                   const Preparation &prepare) {
  registry.insert<hlo::HLODialect>();
  MLIRContext context(registry);
  auto sources = std::make_shared<llvm::SourceMgr>();
  if (!openModule(options.module, *sources))
    return Refused;
  SourceMgrDiagnosticHandler handler(*sources, &context);
  OwningOpRef<ModuleOp> module = loadModule(sources, &context);
  if (!module)
    return Refused;
  hlo::replaceBuffers(*module);
  SourceNotes notes(*module);
  options.sources = sources;
  options.countHere = options.getParticipants();
  if (options.process && !joinProcesses(*module, options))
    return WrongUsage;
  // The command line determines how many take part, whatever the module was printed for.
  int64_t replicas = getCount(*module, "hlo.replica_count"),
          partitions = getCount(*module, "hlo.num_partitions");
  Builder builder(&context);
  (*module)->setAttr("hlo.replica_count", builder.getI64IntegerAttr(options.replicas));
  (*module)->setAttr("hlo.num_partitions", builder.getI64IntegerAttr(options.partitions));
  if (RunStatus status = prepare ? prepare(*module, options) : RunStatus::Done;
      status != RunStatus::Done)
    return toExitCode(status);
  int code = runModule(*module, options, compiled);
  if (code != Done && replicas * partitions > 1 && options.getParticipants() == 1)
    llvm::errs() << "hlo-run: the module is for " << replicas << " replicas of " << partitions
                 << " partitions: --replicas=" << replicas << " --partitions=" << partitions
                 << " runs it with as many participants\n";
  return code;
}

int hloRunMain(int argc, char **argv, DialectRegistry &registry, const Runner &compiled,
               const Preparation &prepare) {
  llvm::InitLLVM init(argc, argv);
  installCrashHandler();
  checkOutputAtExit();
#ifdef SIGXFSZ
  std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error like a full disk
#endif
  RunOptions options;
  if (!parseRunOptions(argc, argv, options))
    return WrongUsage;
  if (options.mpi) {
    llvm::Expected<std::unique_ptr<MpiProcess>> process = MpiProcess::begin();
    if (!process) {
      llvm::errs() << "hlo-run: " << llvm::toString(process.takeError()) << '\n';
      return Unsupported;
    }
    options.process = std::move(*process);
  }
  int code = runFile(options, registry, compiled, prepare);
  if (options.process && code != Done)
    options.process->setFailed();
  return code;
}

} // namespace hloc
