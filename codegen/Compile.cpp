// SPDX-License-Identifier: Apache-2.0
#include "codegen/Compile.h"
#include "codegen/Link.h"
#include "codegen/LowerToLLVM.h"
#include "codegen/RuntimeCall.h"
#include "compiler/hlo/Literal.h"
#include "llvm/IR/Constants.h"
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
  std::unique_ptr<llvm::TargetMachine> machine;
  llvm::SmallVector<char, 0> code;
  bool failed = false;
};

class ProgramCompiler {
public:
  ProgramCompiler(ModuleOp program, StringRef name, const Target &target, CodeForm form, unsigned jobs, const FinishModule &finish,
                  TimingScope timing)
      : program(program), name(name), target(target), form(form), jobs(std::max(1u, jobs)), finish(finish),
        timing(std::move(timing)) {}

  FailureOr<CompiledProgram> compile();

private:
  void formGroups();
  bool emitKernels(Group &group);
  bool emitMain();
  bool generate(Group &group);
  void fillConstants(llvm::Module &module);
  bool forEach(llvm::function_ref<bool(Group &)> step);

  ModuleOp program;
  StringRef name;
  const Target &target;
  CodeForm form;
  unsigned jobs;
  const FinishModule &finish;
  TimingScope timing;
  /// The first holds the program itself and the kernels to be inlined into it.
  std::vector<Group> groups;
  llvm::StringMap<KernelSchedule> schedules;
  CompiledProgram result;
};

} // namespace

static int64_t countOperations(hlo::KernelFunctionOp kernel) { return kernel.getBody().front().getOperations().size(); }

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
    (isTiny(kernel) ? tiny : large).push_back(kernel);
  // Text forms are of one module.
  size_t count = form == CodeForm::Object ? std::min<size_t>(jobs, large.size() / 2 + 1) : 1;
  groups = std::vector<Group>(count);
  groups[0].kernels = tiny;
  for (auto kernel : tiny)
    groups[0].weight += countOperations(kernel);
  // The heaviest first, each to the group with least to do.
  llvm::stable_sort(large, [](auto x, auto y) { return countOperations(x) > countOperations(y); });
  for (auto kernel : large) {
    Group &least = *llvm::min_element(groups, [](const Group &x, const Group &y) { return x.weight < y.weight; });
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
    FailureOr<KernelSchedule> schedule = emitKernel(kernel, program, target, *group.module, getKernelSymbol(name, kernel));
    if (failed(schedule))
      return false;
    std::lock_guard<std::mutex> guard(schedulesLock);
    schedules[kernel.getSymName()] = *schedule;
  }
  return true;
}

bool ProgramCompiler::emitMain() {
  TimingScope stage = timing.nest("Emit program");
  ModuleOp module = *groups[0].module;
  OpBuilder builder(module.getBodyRegion());
  for (auto [i, group] : llvm::enumerate(groups))
    for (hlo::KernelFunctionOp kernel : group.kernels) {
      std::string symbol = getKernelSymbol(name, kernel);
      auto function = cast<LLVM::LLVMFuncOp>(group.module->lookupSymbol(symbol));
      if (i == 0) {
        function.setLinkage(LLVM::Linkage::Internal);
        if (isTiny(kernel) && target.optimization > 0)
          function.setAlwaysInline(true);
        continue;
      }
      function.setVisibility_(LLVM::Visibility::Hidden);
      builder.setInsertionPointToStart(module.getBody());
      auto declaration = LLVM::LLVMFuncOp::create(builder, kernel.getLoc(), symbol, function.getFunctionType());
      declaration.setVisibility_(LLVM::Visibility::Hidden);
    }
  FailureOr<ProgramInfo> info = emitProgram(program, schedules, name, target, module);
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
    global->setInitializer(llvm::ConstantDataArray::getRaw(StringRef(bytes.data(), bytes.size()), bytes.size(),
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
  group.machine = makeTargetMachine(target);
  group.llvmModule = translateToLLVM(*group.module, *group.context, *group.machine, target);
  if (!group.llvmModule)
    return false;
  group.module = nullptr;
  if (&group == &groups[0]) {
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
  if (llvm::Error error = emitMachineCode(*group.llvmModule, *group.machine, form == CodeForm::Assembly, group.code)) {
    emitError(program.getLoc()) << llvm::toString(std::move(error));
    return false;
  }
  group.llvmModule = nullptr;
  return true;
}

/// Bytes in the object's executable sections.
static int64_t countCode(ArrayRef<char> object) {
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(StringRef(object.data(), object.size()), "object"));
  if (!file) {
    llvm::consumeError(file.takeError());
    return 0;
  }
  int64_t bytes = 0;
  for (const llvm::object::SectionRef &section : (*file)->sections())
    if (section.isText())
      bytes += section.getSize();
  return bytes;
}

FailureOr<CompiledProgram> ProgramCompiler::compile() {
  // Before threads share the context.
  program.getContext()->loadAllAvailableDialects();
  formGroups();
  if (!forEach([&](Group &group) { return emitKernels(group); }) || !emitMain() ||
      !forEach([&](Group &group) { return generate(group); }))
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
  if (form == CodeForm::Object)
    result.codeBytes = countCode(result.code);
  return std::move(result);
}

FailureOr<CompiledProgram> compileProgram(ModuleOp program, StringRef name, const Target &target, CodeForm form,
                                          unsigned jobs, const FinishModule &finish,
                                          TimingScope *timing) {
  TimingScope scope = timing ? timing->nest("Generate code") : TimingScope();
  return ProgramCompiler(program, name, target, form, jobs, finish, std::move(scope)).compile();
}

} // namespace hloc
