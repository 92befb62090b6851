// SPDX-License-Identifier: Apache-2.0
#include "codegen/Compile.h"
#include "codegen/LaunchAttribute.h"
#include "codegen/Passes.h"
#include "codegen/object/Link.h"
#include "codegen/object/LlvmIr.h"
#include "codegen/object/MachineCode.h"
#include "codegen/object/TargetMachine.h"
#include "codegen/program/Dispatch.h"
#include "codegen/program/WeightsImage.h"
#include "compiler/target/TargetAttribute.h"
#include "passes/Freestanding.h"
#include "llvm/IR/Constants.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace hloc {

namespace {

/// A kernel's function and, before it, those that are parts of it.
struct KernelFunctions {
  SmallVector<LLVM::LLVMFuncOp, 1> functions;
  KernelSchedule launch;
};

/// Functions that are compiled together, into one LLVM module.
struct Group {
  std::vector<KernelFunctions> kernels;
  int64_t weight = 0;
  OwningOpRef<ModuleOp> module;
  std::optional<PassManager> passes;
  std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> llvmModule;
  TargetMachineHandle machine;
  llvm::SmallVector<char, 0> code;
  bool failed = false;
};

class ProgramCompiler {
public:
  ProgramCompiler(ModuleOp program, const ProgramNames &names, const Target &target,
                  const CodeOptions &options, TimingScope timing)
      : program(program), names(names), target(target), options(options),
        jobs(std::max(1u, options.jobs)), timing(std::move(timing)) {}

  /// The constants are in the object of another program of this module.
  void leaveConstants() { ownsConstants = false; }

  FailureOr<CompiledProgram> compile();

private:
  CodePipelineOptions getPipelineOptions() const {
    return {target.number, names.module, names.prefix, target.lineTables};
  }
  bool runPasses(std::optional<PassManager> &manager, ModuleOp module,
                 function_ref<void(OpPassManager &)> build);
  std::vector<KernelFunctions> findKernels(ModuleOp module);
  void formGroups(OwningOpRef<ModuleOp> module);
  void placeKernels(Operation *after);
  bool generate(Group &group);
  void fillConstants(llvm::Module &module);
  bool forEach(llvm::function_ref<bool(Group &)> step);

  ModuleOp program;
  const ProgramNames &names;
  const Target &target;
  const CodeOptions &options;
  unsigned jobs;
  TimingScope timing;
  /// Kept, as those of groups are: times are told apart by where a pass is in memory.
  std::optional<PassManager> emission;
  bool ownsConstants = true;
  /// The first holds the program itself and the kernels that belong beside it.
  std::vector<Group> groups;
  /// By symbol.
  SmallVector<std::pair<std::string, ElementsAttr>> constants;
  CompiledProgram result;
};

} // namespace

bool ProgramCompiler::runPasses(std::optional<PassManager> &manager, ModuleOp module,
                                function_ref<void(OpPassManager &)> build) {
  PassManager &passes = manager.emplace(module.getContext());
#ifdef NDEBUG
  passes.enableVerifier(false);
#endif
  build(passes);
  if (options.configure)
    options.configure(passes);
  if (options.timing)
    passes.enableTiming(timing);
  return succeeded(passes.run(module));
}

/// Those of a program that was emitted, in order.
std::vector<KernelFunctions> ProgramCompiler::findKernels(ModuleOp module) {
  std::vector<KernelFunctions> kernels;
  SmallVector<LLVM::LLVMFuncOp, 1> functions;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    std::optional<KernelSchedule> launch = getLaunch(function);
    if (!launch && !isPart(function))
      continue;
    functions.push_back(function);
    if (!launch)
      continue;
    StringRef name = function.getSymName().drop_front(names.prefix.size() + 1);
    result.schedules[name] = *launch;
    kernels.push_back({std::move(functions), std::move(*launch)});
    functions.clear();
  }
  return kernels;
}

/// Modules that kernels are spread over at most. It is not the number of threads: an object does
/// not depend on the machine that makes it.
static constexpr size_t kMostGroups = 8;

/// Spreads the kernels of the program's code over several modules, for threads.
void ProgramCompiler::formGroups(OwningOpRef<ModuleOp> module) {
  std::vector<KernelFunctions> kernels = findKernels(*module), large;
  Operation *after = kernels.empty() ? nullptr : kernels.back().functions.back()->getNextNode();
  for (LLVM::GlobalOp global : module->getOps<LLVM::GlobalOp>())
    if (ElementsAttr value = getProgramConstant(global))
      constants.push_back({global.getSymName().str(), value});
  auto isLarge = [](const KernelFunctions &kernel) { return !kernel.launch.isSmall; };
  // Text forms are of one module, and so is what passes print; only ELF's objects are linked here.
  // Each module of a freestanding object would have memory functions of its own.
  bool splits = options.form == CodeForm::Object && !options.configure &&
                !isFreestanding(program) && llvm::Triple(target.triple).isOSBinFormatELF();
  size_t count =
      splits ? std::min<size_t>(kMostGroups, llvm::count_if(kernels, isLarge) / 2 + 1) : 1;
  groups = std::vector<Group>(count);
  groups[0].module = std::move(module);
  for (KernelFunctions &kernel : kernels) {
    if (isLarge(kernel)) {
      large.push_back(std::move(kernel));
      continue;
    }
    groups[0].weight += kernel.launch.operations;
    groups[0].kernels.push_back(std::move(kernel));
  }
  // The heaviest first, each to the group with least to do.
  llvm::stable_sort(large, [](const KernelFunctions &x, const KernelFunctions &y) {
    return x.launch.operations > y.launch.operations;
  });
  for (KernelFunctions &kernel : large) {
    Group &least = *llvm::min_element(
        groups, [](const Group &x, const Group &y) { return x.weight < y.weight; });
    least.weight += 10 + kernel.launch.operations;
    least.kernels.push_back(std::move(kernel));
  }
  placeKernels(after);
}

/// Moves each group's kernels to its module; those of the first stand before `after`, or at the
/// end, behind declarations of the others.
void ProgramCompiler::placeKernels(Operation *after) {
  Block *main = groups[0].module->getBody();
  for (KernelFunctions &kernel : groups[0].kernels)
    for (LLVM::LLVMFuncOp function : kernel.functions)
      function->moveBefore(main, after ? after->getIterator() : main->end());
  OpBuilder builder(program.getContext());
  if (!groups[0].kernels.empty())
    builder.setInsertionPoint(groups[0].kernels.front().functions.front());
  else
    builder.setInsertionPoint(main, after ? after->getIterator() : main->end());
  for (Group &group : MutableArrayRef(groups).drop_front()) {
    group.module = ModuleOp::create(program.getLoc());
    (*group.module)->setDiscardableAttrs(groups[0].module.get()->getDiscardableAttrDictionary());
    for (KernelFunctions &kernel : group.kernels) {
      for (LLVM::LLVMFuncOp function : kernel.functions)
        function->moveBefore(group.module->getBody(), group.module->getBody()->end());
      LLVM::LLVMFuncOp function = kernel.functions.back();
      function.setLinkage(LLVM::Linkage::External);
      function.setVisibility_(LLVM::Visibility::Hidden);
      auto declaration = LLVM::LLVMFuncOp::create(builder, function.getLoc(), function.getSymName(),
                                                  function.getFunctionType());
      declaration.setVisibility_(LLVM::Visibility::Hidden);
      builder.setInsertionPoint(declaration);
    }
  }
}

bool ProgramCompiler::forEach(llvm::function_ref<bool(Group &)> step) {
  if (groups.size() == 1)
    return step(groups[0]);
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(jobs));
  for (Group &group : groups)
    pool.async([&group, step] { group.failed = !step(group); });
  pool.wait();
  return llvm::none_of(groups, [](Group &group) { return group.failed; });
}

void ProgramCompiler::fillConstants(llvm::Module &module) {
  defineWeights(program, names, module);
  for (const auto &[symbol, value] : constants) {
    SmallVector<char> bytes;
    getMemoryBytes(value, bytes);
    if (bytes.empty())
      bytes.push_back(0);
    result.constantBytes += bytes.size();
    auto *global = module.getGlobalVariable(symbol, /*AllowInternal=*/true);
    global->setInitializer(
        llvm::ConstantDataArray::getRaw(StringRef(bytes.data(), bytes.size()), bytes.size(),
                                        llvm::Type::getInt8Ty(module.getContext())));
  }
}

bool ProgramCompiler::generate(Group &group) {
  if (!runPasses(group.passes, *group.module, [&](OpPassManager &passes) {
        buildLoweringPipeline(passes, getPipelineOptions());
      }))
    return false;
  TimingScope stage = timing.nest("Translate to LLVM IR");
  group.machine = borrowTargetMachine(target, isFreestanding(program));
  group.llvmModule = translateToLLVM(*group.module, *group.context, *group.machine, target);
  if (!group.llvmModule)
    return false;
  group.module = nullptr;
  if (&group == &groups[0]) {
    if (ownsConstants)
      fillConstants(*group.llvmModule);
    if (options.finish)
      options.finish(*group.llvmModule, result.memory);
  }
  stage.stop();
  stage = timing.nest("Optimize LLVM IR");
  optimize(*group.llvmModule, *group.machine, target);
  stage.stop();
  stage = timing.nest("Generate machine code");
  if (options.form == CodeForm::LlvmIr) {
    llvm::raw_svector_ostream stream(group.code);
    stream << *group.llvmModule;
    return true;
  }
  if (llvm::Error error = emitMachineCode(*group.llvmModule, *group.machine,
                                          options.form == CodeForm::Assembly, group.code)) {
    emitError(program.getLoc()) << llvm::toString(std::move(error));
    return false;
  }
  group.llvmModule = nullptr;
  group.machine = nullptr; // for the next group
  return true;
}

/// Bytes in the object's executable sections, and those of its functions.
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

FailureOr<CompiledProgram> ProgramCompiler::compile() {
  // Before threads share the context.
  program.getContext()->loadAllAvailableDialects();
  OwningOpRef<ModuleOp> code = program.clone();
  if (!runPasses(emission, *code, [&](OpPassManager &passes) {
        buildCodePipeline(passes, getPipelineOptions(), CodeStage::Program);
      }))
    return failure();
  result.memory = getProgramMemory(*code);
  formGroups(std::move(code));
  if (!forEach([&](Group &group) { return generate(group); }))
    return failure();
  if (groups.size() == 1) {
    result.code = std::move(groups[0].code);
  } else {
    TimingScope stage = timing.nest("Link kernels");
    SmallVector<ArrayRef<char>> objects;
    for (Group &group : groups)
      objects.push_back(group.code);
    if (llvm::Error error = linkObjects(objects, result.code)) {
      emitError(program.getLoc()) << llvm::toString(std::move(error));
      return failure();
    }
  }
  return std::move(result);
}

/// The programs and what chooses between them, in one object.
static FailureOr<CompiledProgram> compileVariants(ModuleOp program, ArrayRef<Target> targets,
                                                  const CodeOptions &options, TimingScope &timing) {
  CompiledProgram result;
  SmallVector<llvm::SmallVector<char, 0>> objects;
  SmallVector<std::string> cpus;
  int64_t arenaBytes = 0, constantBytes = 0;
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
    constantBytes += variant->constantBytes;
    objects.push_back(std::move(variant->code));
    cpus.push_back(target.cpu);
    result = std::move(*variant);
  }
  result.memory.arenaBytes = arenaBytes;
  result.constantBytes = constantBytes;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> dispatcher = makeDispatcher(context, options.name, cpus);
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
