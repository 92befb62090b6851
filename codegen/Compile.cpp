// SPDX-License-Identifier: Apache-2.0
#include "codegen/Compile.h"
#include "codegen/lower/LowerToLLVM.h"
#include "codegen/object/Link.h"
#include "codegen/object/MachineCode.h"
#include "codegen/object/TargetMachine.h"
#include "codegen/program/Dispatch.h"
#include "codegen/program/RuntimeCall.h"
#include "compiler/hlo/Literal.h"
#include "llvm/IR/Constants.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace hloc {

/// Operations times elements up to which a kernel is inlined wherever it is launched.
static constexpr int64_t kInlinedWork = 512;

namespace {

/// Kernels that are compiled together, into one LLVM module.
struct Group {
  SmallVector<hlo::KernelFunctionOp> kernels;
  int64_t weight = 0;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> llvmModule;
  TargetMachineHandle machine;
  llvm::SmallVector<char, 0> code;
  bool failed = false;
};

class ProgramCompiler {
public:
  ProgramCompiler(ModuleOp program, const ProgramNames &names, const Target &target, CodeForm form,
                  unsigned jobs, const FinishModule &finish, TimingScope timing)
      : program(program), names(names), target(target), form(form), jobs(std::max(1u, jobs)),
        finish(finish), timing(std::move(timing)) {}

  /// The constants are in the object of another program of this module.
  void leaveConstants() { ownsConstants = false; }

  FailureOr<CompiledProgram> compile();

private:
  void formGroups();
  bool emitKernels(Group &group);
  bool emitMain();
  bool generate(Group &group);
  void fillConstants(llvm::Module &module);
  bool forEach(llvm::function_ref<bool(Group &)> step);

  ModuleOp program;
  const ProgramNames &names;
  const Target &target;
  CodeForm form;
  unsigned jobs;
  const FinishModule &finish;
  TimingScope timing;
  bool ownsConstants = true;
  /// The first holds the program itself and the kernels to be inlined into it.
  std::vector<Group> groups;
  CompiledProgram result;
};

} // namespace

static int64_t countOperations(hlo::KernelFunctionOp kernel) {
  return kernel.getBody().front().getOperations().size();
}

static bool isTiny(hlo::KernelFunctionOp kernel) {
  int64_t elements = 1;
  for (Value output : kernel.getBody().front().getTerminator()->getOperands())
    elements = std::max(elements, cast<RankedTensorType>(output.getType()).getNumElements());
  for (Value input : kernel.getBody().front().getArguments())
    elements = std::max(elements, cast<RankedTensorType>(input.getType()).getNumElements() / 8);
  return elements * countOperations(kernel) <= kInlinedWork;
}

void ProgramCompiler::formGroups() {
  SmallVector<hlo::KernelFunctionOp> large;
  SmallVector<hlo::KernelFunctionOp> tiny;
  for (auto kernel : program.getOps<hlo::KernelFunctionOp>())
    (isTiny(kernel) || isSmall(kernel) ? tiny : large).push_back(kernel);
  // Text forms are of one module, and only ELF's objects are linked here.
  bool splits = form == CodeForm::Object && llvm::Triple(target.triple).isOSBinFormatELF();
  size_t count = splits ? std::min<size_t>(jobs, large.size() / 2 + 1) : 1;
  groups = std::vector<Group>(count);
  groups[0].kernels = tiny;
  for (auto kernel : tiny)
    groups[0].weight += countOperations(kernel);
  // The heaviest first, each to the group with least to do.
  llvm::stable_sort(large, [](auto x, auto y) { return countOperations(x) > countOperations(y); });
  for (auto kernel : large) {
    Group &least = *llvm::min_element(
        groups, [](const Group &x, const Group &y) { return x.weight < y.weight; });
    least.kernels.push_back(kernel);
    least.weight += 10 + countOperations(kernel);
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

bool ProgramCompiler::emitKernels(Group &group) {
  TimingScope stage = timing.nest("Emit kernels");
  static std::mutex schedulesLock;
  group.module = ModuleOp::create(program.getLoc());
  for (hlo::KernelFunctionOp kernel : group.kernels) {
    FailureOr<KernelSchedule> schedule = emitKernel(kernel, program, target, *group.module,
                                                    getKernelSymbol(names, kernel.getSymName()));
    if (failed(schedule))
      return false;
    std::lock_guard<std::mutex> guard(schedulesLock);
    result.schedules[kernel.getSymName()] = *schedule;
  }
  return true;
}

bool ProgramCompiler::emitMain() {
  TimingScope stage = timing.nest("Emit program");
  ModuleOp module = *groups[0].module;
  OpBuilder builder(module.getBodyRegion());
  for (auto [i, group] : llvm::enumerate(groups))
    for (hlo::KernelFunctionOp kernel : group.kernels) {
      std::string symbol = getKernelSymbol(names, kernel.getSymName());
      auto function = cast<LLVM::LLVMFuncOp>(group.module->lookupSymbol(symbol));
      if (i == 0) {
        function.setLinkage(LLVM::Linkage::Internal);
        bool isInlined = isTiny(kernel) || result.schedules[kernel.getSymName()].isUnrolled;
        if (isInlined && target.optimization > 0)
          function.setAlwaysInline(true);
        continue;
      }
      function.setVisibility_(LLVM::Visibility::Hidden);
      builder.setInsertionPointToStart(module.getBody());
      auto declaration =
          LLVM::LLVMFuncOp::create(builder, kernel.getLoc(), symbol, function.getFunctionType());
      declaration.setVisibility_(LLVM::Visibility::Hidden);
    }
  FailureOr<ProgramInfo> info = emitProgram(program, result.schedules, names, target, module);
  if (failed(info))
    return false;
  result.info = std::move(*info);
  return true;
}

void ProgramCompiler::fillConstants(llvm::Module &module) {
  for (const ProgramConstant &constant : result.info.constants) {
    SmallVector<char> bytes;
    getMemoryBytes(constant.value, bytes);
    if (bytes.empty())
      bytes.push_back(0);
    result.constantBytes += bytes.size();
    auto *global = module.getGlobalVariable(constant.symbol, /*AllowInternal=*/true);
    global->setInitializer(
        llvm::ConstantDataArray::getRaw(StringRef(bytes.data(), bytes.size()), bytes.size(),
                                        llvm::Type::getInt8Ty(module.getContext())));
  }
}

bool ProgramCompiler::generate(Group &group) {
  TimingScope stage = timing.nest("Lower to the llvm dialect");
  if (failed(lowerToLLVM(*group.module, target)))
    return false;
  checkRuntimeCalls(*group.module);
  stage.stop();
  stage = timing.nest("Translate to LLVM IR");
  group.machine = borrowTargetMachine(target);
  group.llvmModule = translateToLLVM(*group.module, *group.context, *group.machine, target);
  if (!group.llvmModule)
    return false;
  group.module = nullptr;
  if (&group == &groups[0]) {
    if (ownsConstants)
      fillConstants(*group.llvmModule);
    if (finish)
      finish(*group.llvmModule, result.info);
  }
  stage.stop();
  stage = timing.nest("Optimize LLVM IR");
  optimize(*group.llvmModule, *group.machine, target);
  stage.stop();
  stage = timing.nest("Generate machine code");
  if (form == CodeForm::LlvmIr) {
    llvm::raw_svector_ostream stream(group.code);
    stream << *group.llvmModule;
    return true;
  }
  if (llvm::Error error = emitMachineCode(*group.llvmModule, *group.machine,
                                          form == CodeForm::Assembly, group.code)) {
    emitError(program.getLoc()) << llvm::toString(std::move(error));
    return false;
  }
  group.llvmModule = nullptr;
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
  formGroups();
  if (!forEach([&](Group &group) { return emitKernels(group); }) || !emitMain())
    return failure();
  if (target.lineTables)
    for (Group &group : groups)
      if (failed(addLineTables(*group.module)))
        return failure();
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
static FailureOr<CompiledProgram> compileVariants(ModuleOp program, StringRef name,
                                                  ArrayRef<Target> targets, unsigned jobs,
                                                  const FinishModule &finish, TimingScope &timing) {
  CompiledProgram result;
  SmallVector<llvm::SmallVector<char, 0>> objects;
  SmallVector<std::string> cpus;
  int64_t arenaBytes = 0, constantBytes = 0;
  for (const Target &target : targets) {
    ProgramNames names(name, getVariantPrefix(name, target.cpu));
    FinishModule nothing;
    ProgramCompiler compiler(program, names, target, CodeForm::Object, jobs, nothing,
                             timing.nest(target.cpu));
    if (&target != targets.begin())
      compiler.leaveConstants();
    FailureOr<CompiledProgram> variant = compiler.compile();
    if (failed(variant))
      return failure();
    arenaBytes = std::max(arenaBytes, variant->info.arenaBytes);
    constantBytes += variant->constantBytes;
    objects.push_back(std::move(variant->code));
    cpus.push_back(target.cpu);
    result = std::move(*variant);
  }
  result.info.arenaBytes = arenaBytes;
  result.constantBytes = constantBytes;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> dispatcher = makeDispatcher(context, name, cpus);
  TargetMachineHandle machine = borrowTargetMachine(targets.front());
  dispatcher->setTargetTriple(machine->getTargetTriple());
  dispatcher->setDataLayout(machine->createDataLayout());
  if (finish)
    finish(*dispatcher, result.info);
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

FailureOr<CompiledProgram> compileProgram(ModuleOp program, StringRef name,
                                          ArrayRef<Target> targets, CodeForm form, unsigned jobs,
                                          const FinishModule &finish, TimingScope *timing) {
  TimingScope scope = timing ? timing->nest("Generate code") : TimingScope();
  FailureOr<CompiledProgram> result =
      targets.size() > 1 ? compileVariants(program, name, targets, jobs, finish, scope)
                         : ProgramCompiler(program, ProgramNames(name), targets[0], form, jobs,
                                           finish, std::move(scope))
                               .compile();
  if (succeeded(result) && form == CodeForm::Object)
    countCode(*result);
  return result;
}

} // namespace hloc
