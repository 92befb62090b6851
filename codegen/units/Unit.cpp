// SPDX-License-Identifier: Apache-2.0
#include "codegen/units/Unit.h"
#include "codegen/LaunchAttribute.h"
#include "codegen/cache/CodeHash.h"
#include "codegen/program/WeightsImage.h"
#include "compiler/target/TargetAttribute.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace hloc {

namespace {

/// A kernel's function, preceded by those that are parts of it.
struct KernelFunctions {
  SmallVector<LLVM::LLVMFuncOp, 1> functions;
  KernelSchedule launch;
};

class UnitMaker {
public:
  UnitMaker(ModuleOp code, const UnitOptions &options) : code(code), options(options) {}

  Units make(OwningOpRef<ModuleOp> owned,
             function_ref<void(StringRef, const KernelSchedule &)> found);

private:
  std::vector<KernelFunctions> findKernels();
  void makeKernel(const KernelFunctions &kernel);
  void makeData();
  void listConstants(Unit &unit);
  OwningOpRef<ModuleOp> makeModule();

  ModuleOp code;
  const UnitOptions &options;
  Units units;
};

} // namespace

/// In order.
std::vector<KernelFunctions> UnitMaker::findKernels() {
  std::vector<KernelFunctions> kernels;
  SmallVector<LLVM::LLVMFuncOp, 1> functions;
  for (auto function : code.getOps<LLVM::LLVMFuncOp>()) {
    std::optional<KernelSchedule> launch = getLaunch(function);
    if (!launch && !isPart(function))
      continue;
    functions.push_back(function);
    if (!launch)
      continue;
    kernels.push_back({std::move(functions), std::move(*launch)});
    functions.clear();
  }
  return kernels;
}

/// A module with the program's targets and nothing else.
OwningOpRef<ModuleOp> UnitMaker::makeModule() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(code.getLoc());
  copyTargets(code, *module);
  return module;
}

/// Moves the kernel to a unit of its own and leaves a declaration in its place.
void UnitMaker::makeKernel(const KernelFunctions &kernel) {
  Unit unit;
  unit.module = makeModule();
  unit.weight = kernel.launch.operations;
  LLVM::LLVMFuncOp function = kernel.functions.back();
  function.setLinkage(LLVM::Linkage::External);
  function.setVisibility_(LLVM::Visibility::Hidden);
  OpBuilder builder(function);
  auto declaration = LLVM::LLVMFuncOp::create(builder, function.getLoc(), function.getSymName(),
                                              function.getFunctionType());
  declaration.setVisibility_(LLVM::Visibility::Hidden);
  for (LLVM::LLVMFuncOp each : kernel.functions) {
    unit.functions.push_back(each.getSymName().str());
    each->moveBefore(unit.module->getBody(), unit.module->getBody()->end());
  }
  units.list.push_back(std::move(unit));
}

void UnitMaker::listConstants(Unit &unit) {
  for (auto global : unit.module->getOps<LLVM::GlobalOp>())
    if (ElementsAttr value = getProgramConstant(global))
      unit.constants.push_back({global.getSymName().str(), value});
}

/// Moves large constants, the weights and, for the description of the module, declarations of the
/// functions that hosts call to a unit of their own. Constants whose values LLVM can use stay in
/// the program.
void UnitMaker::makeData() {
  Unit unit;
  unit.module = makeModule();
  unit.describes = true;
  OpBuilder builder = OpBuilder::atBlockEnd(unit.module->getBody());
  ProgramNames names = options.names;
  for (auto global : code.getOps<LLVM::GlobalOp>()) {
    bool isLarge = getProgramConstant(global) && getConstantBytes(global) >= kSmallConstant;
    if (!isLarge && global.getSymName() != getWeightsSymbol(names))
      continue;
    builder.clone(*global);
    dropProgramConstant(global);
  }
  for (StringRef ending : {kRunEnding, kPrepareEnding})
    if (auto entry = code.lookupSymbol<LLVM::LLVMFuncOp>((names.module + ending).str()))
      LLVM::LLVMFuncOp::create(builder, entry.getLoc(), entry.getSymName(),
                               entry.getFunctionType());
  listConstants(unit);
  units.list.push_back(std::move(unit));
}

Units UnitMaker::make(OwningOpRef<ModuleOp> owned,
                      function_ref<void(StringRef, const KernelSchedule &)> found) {
  units.list.emplace_back();
  std::vector<KernelFunctions> kernels = findKernels();
  for (KernelFunctions &kernel : kernels)
    found(kernel.functions.back().getSymName().drop_front(options.names.prefix.size() + 1),
          kernel.launch);
  for (auto global : code.getOps<LLVM::GlobalOp>())
    if (getProgramConstant(global)) {
      units.constantBytes += options.ownsConstants ? getConstantBytes(global) : 0;
      if (!options.ownsConstants)
        dropProgramConstant(global);
    }
  llvm::erase_if(kernels, [](const KernelFunctions &kernel) { return kernel.launch.isSmall; });
  bool splits = options.splits && kernels.size() > 1;
  if (splits) {
    for (const KernelFunctions &kernel : kernels)
      makeKernel(kernel);
    if (options.ownsConstants)
      makeData();
  }
  Unit &program = units.list.front();
  program.module = std::move(owned);
  program.describes = !splits;
  listConstants(program);
  return std::move(units);
}

Units formUnits(OwningOpRef<ModuleOp> code, const UnitOptions &options,
                function_ref<void(StringRef, const KernelSchedule &)> found) {
  UnitMaker maker(*code, options);
  return maker.make(std::move(code), found);
}

std::optional<CacheKey> getUnitKey(Unit &unit, const Target &target) {
  if (unit.describes)
    return std::nullopt;
  CacheKeyBuilder key("unit");
  addTarget(key, target);
  CodeHashOptions options;
  options.withPlaces = target.lineTables;
  SmallVector<LLVM::LLVMFuncOp> unnamed;
  SmallVector<Operation *> operations;
  for (Operation &op : *unit.module->getBody()) {
    operations.push_back(&op);
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    if (function && !target.lineTables && !unit.functions.empty())
      unnamed.push_back(function);
  }
  options.unnamed = unnamed;
  if (target.lineTables) { // they contain the module's file name
    std::string file;
    llvm::raw_string_ostream(file) << unit.module->getLoc();
    key.add(file);
  }
  addCode(key, operations, options);
  return key.finish();
}

std::vector<std::pair<std::string, std::string>> listNames(const Unit &unit, const Target &target) {
  std::vector<std::pair<std::string, std::string>> names;
  if (target.lineTables)
    return names;
  for (const std::string &name : unit.functions) {
    bool isPart = &name != &unit.functions.back();
    names.push_back({isPart ? "part." + std::to_string(names.size()) : "kernel", name});
  }
  return names;
}

OwningOpRef<ModuleOp> join(ArrayRef<Unit *> units) {
  OwningOpRef<ModuleOp> joined = std::move(units.front()->module);
  Block &body = *joined->getBody();
  for (Unit *unit : units.drop_front()) {
    body.getOperations().splice(body.end(), unit->module->getBody()->getOperations());
    unit->module = nullptr;
  }
  return joined;
}

/// Adds declarations of everything that the module's functions call or take the address of and that
/// `joined` declares.
static void addDeclarations(ModuleOp module, SymbolTable &joined) {
  llvm::SmallDenseSet<StringAttr> known;
  for (auto symbol : module.getOps<SymbolOpInterface>())
    known.insert(symbol.getNameAttr());
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto declare = [&](FlatSymbolRefAttr symbol) {
    bool isNew = symbol && known.insert(symbol.getAttr()).second;
    if (Operation *declaration = isNew ? joined.lookup(symbol.getAttr()) : nullptr)
      builder.clone(*declaration);
  };
  for (auto function : llvm::to_vector(module.getOps<LLVM::LLVMFuncOp>()))
    function.walk([&](Operation *op) {
      if (auto call = dyn_cast<LLVM::CallOp>(op))
        declare(call.getCalleeAttr());
      else if (auto address = dyn_cast<LLVM::AddressOfOp>(op))
        declare(address.getGlobalNameAttr());
    });
}

void part(ModuleOp joined, ArrayRef<Unit *> units) {
  SymbolTable symbols(joined);
  for (Unit *unit : units) {
    unit->module = ModuleOp::create(joined.getLoc());
    for (const std::string &name : unit->functions)
      symbols.lookup(name)->moveBefore(unit->module->getBody(), unit->module->getBody()->end());
  }
  for (Unit *unit : units)
    addDeclarations(*unit->module, symbols);
}

} // namespace hloc
