// SPDX-License-Identifier: Apache-2.0
#include "codegen/Compile.h"
#include "codegen/Passes.h"
#include "codegen/object/Link.h"
#include "codegen/object/LlvmIr.h"
#include "codegen/object/MachineCode.h"
#include "codegen/object/SymbolNames.h"
#include "codegen/object/TargetMachine.h"
#include "codegen/program/Dispatch.h"
#include "codegen/program/WeightsImage.h"
#include "codegen/units/Budget.h"
#include "codegen/units/Unit.h"
#include "compiler/target/TargetAttribute.h"
#include "passes/Freestanding.h"
#include "passes/prepare/Preparation.h"
#include "llvm/IR/Constants.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"
#include <deque>
#include <mutex>

using namespace mlir;

namespace hloc {

namespace {

/// Runs tasks concurrently, including those that tasks add.
class Tasks {
public:
  explicit Tasks(unsigned threads) {
    if (threads > 1)
      pool.emplace(llvm::hardware_concurrency(threads));
  }

  void add(std::function<bool()> task) {
    if (!pool) {
      if (good && !task()) // the task may add others, which can fail
        good = false;
    } else {
      pool->async([this, task = std::move(task)] {
        if (!task())
          good = false;
      });
    }
  }

  /// Waits for all tasks; returns true if all have succeeded.
  bool wait() {
    if (pool)
      pool->wait();
    return good;
  }

private:
  std::atomic<bool> good = true;
  std::optional<llvm::DefaultThreadPool> pool;
};

class ProgramCompiler {
public:
  ProgramCompiler(ModuleOp program, const ProgramNames &names, const Target &target,
                  const CodeOptions &options, TimingScope timing)
      : program(program), names(names), target(target), options(options),
        jobs(std::max(1u, options.jobs)), timing(std::move(timing)) {}

  /// Leaves constants out: they are in the object of another program of this module.
  void leaveConstants() { ownsConstants = false; }

  FailureOr<CompiledProgram> compile();

private:
  CodePipelineOptions getPipelineOptions() const {
    return {target.number, names.module, names.prefix, target.lineTables};
  }
  bool runPasses(ModuleOp module, function_ref<void(OpPassManager &)> build);
  void planBudget();
  void sayCheaper(const Unit &unit, const UnitWork &work);
  Target getTarget(const Unit &unit) const;
  void look(Unit &unit);
  bool lower(ArrayRef<Unit *> units);
  bool generate(Unit &unit);
  bool generateMissing();
  void fillConstants(const Unit &unit, llvm::Module &module);
  bool link();

  ModuleOp program;
  const ProgramNames &names;
  const Target &target;
  const CodeOptions &options;
  unsigned jobs;
  TimingScope timing;
  bool ownsConstants = true;
  Units units;
  /// Kept until the end, because timing identifies passes by their addresses.
  std::deque<PassManager> managers;
  std::mutex lock;
  CompiledProgram result;
};

} // namespace

bool ProgramCompiler::runPasses(ModuleOp module, function_ref<void(OpPassManager &)> build) {
  PassManager *passes;
  {
    std::lock_guard<std::mutex> guard(lock);
    passes = &managers.emplace_back(module.getContext());
  }
#ifdef NDEBUG
  passes->enableVerifier(false);
#endif
  build(*passes);
  if (options.configure)
    options.configure(*passes);
  if (options.timing)
    passes->enableTiming(timing);
  return succeeded(passes->run(module));
}

/// The target with the unit's optimization level.
Target ProgramCompiler::getTarget(const Unit &unit) const {
  Target own = target;
  own.optimization = unit.level;
  return own;
}

static std::string printSeconds(double nanoseconds) {
  return llvm::formatv("{0:f3} s", nanoseconds * 1e-9).str();
}

/// Emits a remark that LLVM does less for a unit, and the predicted effect.
void ProgramCompiler::sayCheaper(const Unit &unit, const UnitWork &work) {
  Operation *about =
      unit.functions.empty() ? program.getOperation() : program.lookupSymbol(unit.getKernel(names));
  auto effort = [&](int level) { return getEffort(kCompileCosts, level); };
  const EffortCosts &usual = effort(target.optimization), &chosen = effort(unit.level);
  result.levels[unit.functions.empty() ? "" : unit.getKernel(names)] = unit.level;
  emitRemark(about->getLoc()) << "to keep the time budget LLVM optimizes less for this "
                              << (unit.functions.empty() ? "program" : "kernel") << ", level "
                              << unit.level << ": predicted to take "
                              << printSeconds(getTime(work, usual) - getTime(work, chosen))
                              << " less to compile, "
                              << printSeconds(work.runTime * (chosen.slowdown - usual.slowdown))
                              << " longer in each call";
}

/// Chooses the levels of units for the time budget, and reports those that differ from the
/// program's.
void ProgramCompiler::planBudget() {
  std::vector<UnitWork> works;
  llvm::StringMap<double> rest = options.runTimes;
  int64_t operations = 0;
  program.walk([&](Operation *) { ++operations; });
  for (Unit &unit : units.list) {
    UnitWork &work = works.emplace_back();
    work.instructions = countInstructions(*unit.module, target);
    work.isFixed = !work.instructions || leavesChoices(*unit.module, target);
    if (!unit.functions.empty()) {
      work.runTime = rest.lookup(unit.getKernel(names));
      rest.erase(unit.getKernel(names));
    }
  }
  for (const auto &kernel : rest)
    works.front().runTime += kernel.second;
  double before = kCompileCosts.start + kCompileCosts.operation * double(operations),
         budget = options.timeBudget * 1e9;
  BudgetPlan plan = planLevels(works, target.optimization, budget - before);
  for (auto [unit, work, level] : llvm::zip(units.list, works, plan.levels)) {
    unit.level = level;
    if (level < target.optimization)
      sayCheaper(unit, work);
  }
  if (plan.time + before > budget)
    emitRemark(program.getLoc()) << "compiling is predicted to take about "
                                 << printSeconds(plan.time + before)
                                 << " even at the lowest levels: more than the time budget of "
                                 << printSeconds(budget);
}

/// Looks up the unit's object in the cache.
void ProgramCompiler::look(Unit &unit) {
  unit.key = getUnitKey(unit, getTarget(unit));
  if (!unit.key)
    return;
  std::optional<CompileCache::Bytes> found = options.cache->find(*unit.key);
  ++(found ? options.cache->units.found : options.cache->units.missing);
  if (found)
    unit.code = std::move(*found);
}

void ProgramCompiler::fillConstants(const Unit &unit, llvm::Module &module) {
  if (unit.describes && ownsConstants)
    defineWeights(program, names, module);
  for (const auto &[symbol, value] : unit.constants) {
    SmallVector<char> bytes;
    getMemoryBytes(value, bytes);
    if (bytes.empty())
      bytes.push_back(0);
    auto *global = module.getGlobalVariable(symbol, /*AllowInternal=*/true);
    global->setInitializer(
        llvm::ConstantDataArray::getRaw(StringRef(bytes.data(), bytes.size()), bytes.size(),
                                        llvm::Type::getInt8Ty(module.getContext())));
  }
}

/// Lowers several units to the llvm dialect at once, since running the passes has a fixed cost.
bool ProgramCompiler::lower(ArrayRef<Unit *> list) {
  OwningOpRef<ModuleOp> module = join(list);
  if (!runPasses(*module, [&](OpPassManager &passes) {
        buildLoweringPipeline(passes, getPipelineOptions());
      }))
    return false;
  if (list.front()->functions.empty())
    list.front()->module = std::move(module);
  else
    part(*module, list);
  return true;
}

/// Generates the object of a unit that was lowered.
bool ProgramCompiler::generate(Unit &unit) {
  llvm::LLVMContext context;
  TimingScope stage = timing.nest("Translate to LLVM IR");
  Target own = getTarget(unit);
  TargetMachineHandle machine = borrowTargetMachine(own, isFreestanding(program));
  std::unique_ptr<llvm::Module> module = translateToLLVM(*unit.module, context, *machine, own);
  if (!module) {
    emitError(program.getLoc()) << "the code made for this program is not valid LLVM IR: "
                                   "this is an error in the compiler";
    return false;
  }
  unit.module = nullptr;
  for (const auto &[own, name] : listNames(unit, target))
    module->getFunction(name)->setName(own);
  fillConstants(unit, *module);
  if (unit.describes && options.finish)
    options.finish(*module, result.memory);
  stage.stop();
  stage = timing.nest("Optimize LLVM IR");
  if (hasCode(*module))
    optimize(*module, *machine, own);
  stage.stop();
  stage = timing.nest("Generate machine code");
  if (options.form == CodeForm::LlvmIr) {
    llvm::raw_svector_ostream stream(unit.code);
    stream << *module;
    return true;
  }
  if (llvm::Error error =
          emitMachineCode(*module, *machine, options.form == CodeForm::Assembly, unit.code)) {
    emitError(program.getLoc()) << llvm::toString(std::move(error));
    return false;
  }
  if (unit.key)
    options.cache->add(*unit.key, unit.code);
  return true;
}

/// Generates the objects that are not in the cache.
bool ProgramCompiler::generateMissing() {
  // Kernels are lowered in as many parts as there are threads: the heaviest first, each into the
  // part with the least work.
  SmallVector<Unit *> kernels, others;
  for (Unit &unit : units.list)
    if (unit.code.empty())
      (unit.functions.empty() ? others : kernels).push_back(&unit);
  std::vector<std::pair<int64_t, SmallVector<Unit *>>> parts(
      std::min<size_t>(jobs, kernels.size()));
  llvm::stable_sort(kernels, [](Unit *x, Unit *y) { return x->weight > y->weight; });
  for (Unit *unit : kernels) {
    auto &least = *llvm::min_element(parts, llvm::less_first());
    least.first += 10 + unit->weight;
    least.second.push_back(unit);
  }
  Tasks tasks(std::min<size_t>(jobs, kernels.size() + others.size()));
  auto add = [&](ArrayRef<Unit *> list) {
    tasks.add([&, list] {
      if (!lower(list))
        return false;
      for (Unit *unit : list)
        tasks.add([this, unit] { return generate(*unit); });
      return true;
    });
  };
  for (auto &[weight, part] : parts)
    add(part);
  for (Unit *&unit : others)
    add(unit);
  return tasks.wait();
}

/// Links the units' objects into one.
bool ProgramCompiler::link() {
  if (units.list.size() == 1) {
    result.code = std::move(units.list.front().code);
    return true;
  }
  TimingScope stage = timing.nest("Rename kernels");
  llvm::Error error = llvm::Error::success();
  SmallVector<ArrayRef<char>> objects;
  for (Unit &unit : units.list) {
    auto names = listNames(unit, target);
    if (!names.empty() && !error)
      error = renameSymbols(unit.code, names);
    objects.push_back(unit.code);
  }
  stage.stop();
  stage = timing.nest("Link kernels");
  if (!error)
    error = linkObjects(objects, result.code);
  if (!error)
    return true;
  emitError(program.getLoc()) << llvm::toString(std::move(error));
  return false;
}

FailureOr<CompiledProgram> ProgramCompiler::compile() {
  // This must precede the use of the context by several threads.
  program.getContext()->loadAllAvailableDialects();
  OwningOpRef<ModuleOp> code = program.clone();
  if (!runPasses(*code, [&](OpPassManager &passes) {
        buildCodePipeline(passes, getPipelineOptions(), CodeStage::Program);
      }))
    return failure();
  result.memory = getProgramMemory(*code);
  UnitOptions unitOptions{names};
  // There is one module for text forms and for printing passes, and on targets other than ELF,
  // whose objects are not linked here. Units of a freestanding object would each have their own
  // memory functions.
  unitOptions.splits = options.form == CodeForm::Object && !options.configure &&
                       !isFreestanding(program) && llvm::Triple(target.triple).isOSBinFormatELF();
  unitOptions.ownsConstants = ownsConstants;
  units =
      formUnits(std::move(code), unitOptions, [&](StringRef kernel, const KernelSchedule &launch) {
        result.schedules[kernel] = launch;
      });
  result.constantBytes = units.constantBytes;
  for (Unit &unit : units.list)
    unit.level = target.optimization;
  if (options.timeBudget > 0)
    planBudget();
  if (options.cache) {
    TimingScope stage = timing.nest("Look for kernels");
    Tasks tasks(jobs);
    for (Unit &unit : units.list)
      tasks.add([&] { return look(unit), true; });
    tasks.wait();
  }
  if (!generateMissing() || !link())
    return failure();
  return std::move(result);
}

/// Counts the bytes of the object's executable sections and of its functions.
static void countCode(CompiledProgram &program) {
  llvm::MemoryBufferRef buffer(StringRef(program.code.data(), program.code.size()), "object");
  auto file = llvm::object::ObjectFile::createObjectFile(buffer);
  if (!file)
    return llvm::consumeError(file.takeError());
  for (const llvm::object::SectionRef &section : (*file)->sections())
    if (section.isText())
      program.codeBytes += section.getSize();
  auto *elf = llvm::dyn_cast<llvm::object::ELFObjectFileBase>(file->get());
  if (!elf)
    return;
  for (const llvm::object::ELFSymbolRef &symbol : elf->symbols()) {
    llvm::Expected<StringRef> name = symbol.getName();
    if (name && symbol.getELFType() == llvm::ELF::STT_FUNC)
      program.functionBytes[*name] = symbol.getSize();
    else if (!name)
      llvm::consumeError(name.takeError());
  }
}

/// Compiles the programs for several targets and the dispatcher into one object.
static FailureOr<CompiledProgram> compileVariants(ModuleOp program, ArrayRef<Target> targets,
                                                  const CodeOptions &options, TimingScope &timing) {
  CompiledProgram result;
  SmallVector<llvm::SmallVector<char, 0>> objects;
  SmallVector<std::string> cpus;
  int64_t arenaBytes = 0, prepareBytes = 0, constantBytes = 0;
  CodeOptions variantOptions = options;
  variantOptions.finish = nullptr;
  for (const Target &target : targets) {
    ProgramNames names(options.name, getVariantPrefix(options.name, target.cpu));
    ProgramCompiler compiler(program, names, target, variantOptions, timing.nest(target.cpu));
    if (&target != targets.begin())
      compiler.leaveConstants();
    FailureOr<CompiledProgram> variant = compiler.compile();
    if (failed(variant))
      return failure();
    arenaBytes = std::max(arenaBytes, variant->memory.arenaBytes);
    prepareBytes = std::max(prepareBytes, variant->memory.prepareBytes);
    constantBytes += variant->constantBytes;
    objects.push_back(std::move(variant->code));
    cpus.push_back(target.cpu);
    result = std::move(*variant);
  }
  result.memory.arenaBytes = arenaBytes;
  result.memory.prepareBytes = prepareBytes;
  result.constantBytes = constantBytes;
  llvm::LLVMContext context;
  SmallVector<StringRef> endings{kRunEnding};
  if (getPreparedBlock(program))
    endings.push_back(kPrepareEnding);
  std::unique_ptr<llvm::Module> dispatcher = makeDispatcher(context, options.name, cpus, endings);
  TargetMachineHandle machine = borrowTargetMachine(targets.front());
  dispatcher->setTargetTriple(machine->getTargetTriple());
  dispatcher->setDataLayout(machine->createDataLayout());
  if (options.finish)
    options.finish(*dispatcher, result.memory);
  optimize(*dispatcher, *machine, targets.front());
  llvm::Error error =
      emitMachineCode(*dispatcher, *machine, /*assembly=*/false, objects.emplace_back());
  if (!error) {
    SmallVector<ArrayRef<char>> parts(objects.begin(), objects.end());
    result.code.clear();
    error = linkObjects(parts, result.code);
  }
  if (error)
    return emitError(program.getLoc()) << llvm::toString(std::move(error)), failure();
  return std::move(result);
}

FailureOr<CompiledProgram> compileProgram(ModuleOp program, const CodeOptions &options) {
  TimingScope scope = options.timing ? options.timing->nest("Generate code") : TimingScope();
  FailureOr<SmallVector<Target, 1>> targets = getTargets(program);
  if (failed(targets))
    return failure();
  ProgramNames names(options.name);
  FailureOr<CompiledProgram> result =
      targets->size() > 1
          ? compileVariants(program, *targets, options, scope)
          : ProgramCompiler(program, names, targets->front(), options, std::move(scope)).compile();
  if (succeeded(result) && options.form == CodeForm::Object)
    countCode(*result);
  return result;
}

FailureOr<std::string> printAssembly(ModuleOp program, const CodeOptions &options, int64_t number) {
  FailureOr<SmallVector<Target, 1>> targets = getTargets(program);
  if (failed(targets))
    return failure();
  Target target = (*targets)[number];
  target.lineTables = true;
  CodeOptions text;
  text.name = options.name;
  text.form = CodeForm::Assembly;
  ProgramNames names(options.name);
  if (targets->size() > 1)
    names.prefix = getVariantPrefix(options.name, target.cpu);
  ProgramCompiler compiler(program, names, target, text,
                           options.timing ? options.timing->nest("Print assembly") : TimingScope());
  compiler.leaveConstants();
  FailureOr<CompiledProgram> compiled = compiler.compile();
  if (failed(compiled))
    return failure();
  return std::string(compiled->code.begin(), compiled->code.end());
}

} // namespace hloc
