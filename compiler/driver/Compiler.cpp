// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/Compiler.h"
#include "codegen/emit/Memory.h"
#include "codegen/object/LlvmIr.h"
#include "codegen/program/ProgramRecord.h"
#include "compiler/driver/Descriptor.h"
#include "compiler/driver/RandomInputs.h"
#include "compiler/driver/RunFiles.h"
#include "compiler/driver/diff/BuildRecord.h"
#include "compiler/driver/report/KernelFacts.h"
#include "compiler/driver/weights/Prepared.h"
#include "compiler/hlo/HloDialect.h"
#include "compiler/target/TargetAttribute.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Freestanding.h"
#include "passes/Pipeline.h"
#include "passes/collectives/Participants.h"
#include "passes/frontend/LocalizeEntry.h"
#include "passes/schedule/ScheduleFile.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace hloc {

void registerAllDialects(DialectRegistry &registry) {
  registry.insert<hlo::HLODialect, tensor::TensorDialect>();
  registerCodegenDialects(registry);
}

/// The exclusive bounds of a stand-alone program's random arguments.
static std::vector<int64_t> findIndexBounds(ModuleOp module) {
  std::vector<int64_t> bounds;
  if (hlo::ComputationOp entry = findEntry(module))
    for (BlockArgument parameter : entry.getBody().getArguments())
      bounds.insert(bounds.end(), flattenType(parameter.getType()).size(),
                    findIndexBound(parameter));
  return bounds;
}

/// Warns of constants that the printer left out: nobody wants results computed from zeros.
static void warnOfElidedConstants(ModuleOp module) {
  module.walk([](hlo::ConstantOp constant) {
    if (constant->hasAttr("hlo.elided"))
      emitWarning(constant.getLoc())
          << "the constant's value, `{...}`, was left out when the module was printed (print it "
             "with large constants): it is replaced by zeros";
  });
}

static ConstantCount countConstants(ModuleOp module) {
  ConstantCount found;
  module.walk([&](hlo::ConstantOp constant) {
    auto value = dyn_cast<ElementsAttr>(constant.getValue());
    if (!value || value.isSplat())
      return;
    ++found.count;
    found.bytes += getByteSize(cast<RankedTensorType>(constant.getType()));
  });
  return found;
}

/// Makes attributes of the module: `NAME=#hlo.schedule<...>` of the command line, and tuned
/// schedules.
static LogicalResult setSchedules(ModuleOp module, const CompileOptions &options) {
  NamedAttrList written;
  for (StringRef entry : options.schedules) {
    auto [name, text] = entry.split('=');
    Attribute schedule = parseAttribute(text, module.getContext());
    if (!schedule) // the command line was checked (ScheduleOption)
      return failure();
    written.set(name, schedule);
  }
  if (!written.empty())
    module->setAttr(kWrittenSchedules, written.getDictionary(module.getContext()));
  if (options.tunedSchedulesFile.empty())
    return success();
  FailureOr<SmallVector<Target, 1>> targets = getTargets(module);
  FailureOr<ScheduleFile> tuned =
      parseScheduleFile(options.tunedSchedules, options.tunedSchedulesFile, module.getContext());
  if (failed(targets) || failed(tuned))
    return failure();
  setTunedSchedules(module, *tuned, options.tunedSchedulesFile, *targets);
  return success();
}

/// The fingerprint by which participants know that they run the same module: a hash of its text
/// before parameters are bound, since these may be bound to other weights on each. Nothing if the
/// module does not need one.
static void addFingerprint(ModuleOp module) {
  if (module->hasAttr("hlo.fingerprint"))
    return;
  bool communicates = module
                          .walk([](Operation *op) {
                            bool asks = isCollective(op) || isCollectiveStart(op) ||
                                        isa<hlo::PartitionIdOp, hlo::ReplicaIdOp>(op);
                            return asks ? WalkResult::interrupt() : WalkResult::advance();
                          })
                          .wasInterrupted();
  if (!communicates)
    return;
  std::string text;
  llvm::raw_string_ostream(text) << module;
  module->setAttr("hlo.fingerprint",
                  Builder(module.getContext()).getI64IntegerAttr(llvm::xxh3_64bits(text)));
}

LogicalResult bindModule(ModuleOp module, const BindOptions &options,
                         llvm::function_ref<void(const std::string &)> fail) {
  if (options.empty() && options.prepare.empty())
    return success();
  addFingerprint(module);
  if (failed(localizeEntry(module)) || failed(bindParameters(module, options, fail)))
    return failure();
  return markPrepared(module, options.prepare);
}

LogicalResult scheduleModule(ModuleOp module, const CompileOptions &options) {
  setTargets(module, options.target);
  if (failed(setSchedules(module, options)))
    return failure();
  PassManager passes(module.getContext());
  buildHloPipeline(passes, options.target.optimization);
  buildSchedulePipeline(passes, {.level = unsigned(options.target.optimization)});
  return passes.run(module);
}

static void prepare(PassManager &passes, const CompileOptions &options) {
  if (options.configure)
    options.configure(passes);
  if (options.timing)
    passes.enableTiming(*options.timing);
}

FailureOr<LoweredModule> lowerModule(ModuleOp module, const CompileOptions &options) {
  setTargets(module, options.target);
  if (options.freestanding)
    module->setAttr(kFreestanding, UnitAttr::get(module.getContext()));
  addFingerprint(module); // before schedules, which do not matter to other participants
  if (failed(setSchedules(module, options)))
    return failure();
  warnOfElidedConstants(module);
  // Two pass managers, because the interface is known between them.
  PassManager toInterface(module.getContext()), toMemory(module.getContext());
  buildInterfacePipeline(toInterface);
  unsigned level = options.target.optimization;
  buildArrayPipeline(toMemory, level);
#ifdef NDEBUG
  bool check = options.checkBuffers;
#else
  bool check = true;
#endif
  buildKernelPipeline(toMemory, {.level = level, .check = check, .remarks = options.remarks});
  for (PassManager *passes : {&toInterface, &toMemory})
    prepare(*passes, options);
  std::vector<int64_t> indexBounds;
  if (options.standAlone)
    indexBounds = findIndexBounds(module);
  if (failed(toInterface.run(module)))
    return failure();
  LoweredModule lowered{getInterface(module), countConstants(module)};
  if (options.target.singleThreaded)
    lowered.interface.threads.clear();
  lowered.interface.indexBounds = std::move(indexBounds);
  if (!options.name.empty())
    lowered.interface.name = options.name;
  if (failed(toMemory.run(module)))
    return failure();
  lowered.interface.needsParticipants = needsParticipants(module);
  addPreparation(lowered.interface, module);
  return lowered;
}

LogicalResult lowerToCode(ModuleOp module, const CompileOptions &options, CodeStage stage) {
  FailureOr<LoweredModule> lowered = lowerModule(module, options);
  if (failed(lowered))
    return failure();
  CodePipelineOptions code;
  code.name = lowered->interface.name;
  code.lineTables = options.target.lineTables;
  PassManager passes(module.getContext());
  buildCodePipeline(passes, code, stage);
  prepare(passes, options);
  return passes.run(module);
}

FailureOr<CompiledModule> compileModule(ModuleOp module, const CompileOptions &options) {
  auto targets = makeTargets(options.target);
  if (!targets) {
    emitError(UnknownLoc::get(module.getContext())) << llvm::toString(targets.takeError());
    return failure();
  }
  unsigned jobs = options.jobs ? options.jobs : llvm::hardware_concurrency().compute_thread_count();
  if (jobs == 1) // no pool of one thread, to which each pass would hand its functions
    module.getContext()->disableMultithreading();
  FailureOr<LoweredModule> lowered = lowerModule(module, options);
  if (failed(lowered))
    return failure();
  ModuleInterface &interface = lowered->interface;
  std::optional<WeightsImage> weights;
  if (!options.weightsFile.empty()) {
    weights = placeWeights(module, options.weightsFile);
    interface.weightsBytes = weights->bytes;
    interface.weightsFile = options.weightsFile;
  }
  std::string machines = targets->front().triple + " ";
  for (const Target &target : *targets)
    machines += (&target == targets->begin() ? "" : ",") + target.cpu;
  CodeOptions code;
  code.name = interface.name;
  code.form = options.form;
  code.jobs = jobs;
  code.cache = options.cache;
  if (options.timeBudget > 0) {
    code.timeBudget = options.timeBudget;
    code.runTimes = predictRunTimes(module, targets->back());
  }
  code.configure = options.configure;
  code.timing = options.timing;
  code.finish = [&](llvm::Module &code, const ProgramMemory &memory) {
    interface.arenaBytes = memory.arenaBytes;
    if (interface.preparation)
      interface.preparation->arenaBytes = memory.prepareBytes;
    addDescriptor(interface, machines, code);
    if (!options.moduleHash.empty())
      addBuildRecord(makeBuildRecord(module, interface, *targets, options), code);
    if (options.standAlone)
      addMain(interface, code);
  };
  FailureOr<CompiledProgram> program = compileProgram(module, code);
  if (failed(program))
    return failure();
  if (weights)
    for (const WeightsImage::Constant &constant : weights->constants)
      program->constantBytes += constant.bytes;
  std::optional<ObjectNeeds> needs;
  if (options.freestanding && options.form == CodeForm::Object) {
    auto find = [&](StringRef ending) -> FailureOr<ObjectNeeds> {
      auto found = findNeeds(program->code, interface.name + ending.str());
      if (!found)
        return emitError(module.getLoc()) << llvm::toString(found.takeError()), failure();
      return std::move(*found);
    };
    FailureOr<ObjectNeeds> found = find(kRunEnding), prepares = ObjectNeeds();
    if (failed(found) || (interface.preparation && failed(prepares = find(kPrepareEnding))))
      return failure();
    needs = std::move(*found);
    needs->stackBytes = std::max(needs->stackBytes, prepares->stackBytes);
    interface.stackBytes = needs->stackBytes;
  }
  return CompiledModule{std::move(*lowered), std::move(*program), std::move(weights),
                        std::move(needs), std::move(*targets)};
}

} // namespace hloc
