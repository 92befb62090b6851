// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/Descriptor.h"
#include "codegen/program/ElementNames.h"
#include "codegen/program/Program.h"
#include "codegen/program/WeightsImage.h"
#include "compiler/driver/ConstantData.h"
#include "hlort/collective.h"
#include "hlort/hlort.h"
#include "hlort/weights.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace hloc {

// Checks the layout of the structs built below.
static_assert(offsetof(hlort_port, dims) == 16 && offsetof(hlort_port, alias) == 40 &&
              offsetof(hlort_port, size_of) == 56 && sizeof(hlort_port) == 64);
static_assert(offsetof(hlort_module, run) == 24 && offsetof(hlort_module, arena_alignment) == 72 &&
              offsetof(hlort_module, program) == 80 && offsetof(hlort_module, threads) == 96 &&
              offsetof(hlort_module, weights) == 104 && offsetof(hlort_module, bound) == 120 &&
              offsetof(hlort_module, preparation) == 128 && sizeof(hlort_module) == 136);
static_assert(offsetof(hlort_preparation, argument) == 8 &&
              offsetof(hlort_preparation, arena_bytes) == 32 &&
              offsetof(hlort_preparation, uses) == 40 && sizeof(hlort_preparation) == 48);
static_assert(offsetof(hlort_bound, element_type) == 8 && offsetof(hlort_bound, dims) == 16 &&
              offsetof(hlort_bound, source) == 24 && sizeof(hlort_bound) == 32);
static_assert(offsetof(hlort_program, fingerprint) == 8 &&
              offsetof(hlort_program, replica_count) == 16 && sizeof(hlort_program) == 24);

namespace {

class DescriptorBuilder : ConstantData {
public:
  DescriptorBuilder(const ModuleInterface &interface, Module &module)
      : ConstantData(module, interface.name + "_about"), interface(interface) {}

  void build(StringRef target) {
    Function *run = module.getFunction(interface.name + kRunEnding.str());
    Constant *fields[] = {
        number(i32, HLORT_ABI_VERSION),
        number(i32, 0),
        string(interface.name),
        string(target),
        run ? static_cast<Constant *>(run) : ConstantPointerNull::get(pointer),
        number(i64, interface.arguments.size()),
        ports(interface.arguments, /*results=*/false),
        number(i64, interface.results.size()),
        ports(interface.results, /*results=*/true),
        number(i64, interface.arenaBytes),
        number(i64, kArenaAlignment),
        program(),
        number(i64, interface.threads.size()),
        strings(interface.threads),
        weights(),
        number(i64, interface.bound.size()),
        bound(),
        preparation(),
    };
    Constant *value = ConstantStruct::getAnon(fields);
    new GlobalVariable(module, value->getType(), /*isConstant=*/true, GlobalValue::ExternalLinkage,
                       value, interface.name + "_module");
  }

private:
  /// An hlort_program; null if the module is for one participant.
  Constant *program() {
    if (!interface.needsParticipants)
      return ConstantPointerNull::get(pointer);
    Constant *fields[] = {string(interface.name), number(i64, int64_t(interface.fingerprint)),
                          number(i32, interface.replicas), number(i32, interface.partitions)};
    return data(ConstantStruct::getAnon(fields));
  }

  /// The hlort_weights, which is in this module or in one that is linked with it.
  Constant *weights() {
    if (interface.weightsFile.empty())
      return ConstantPointerNull::get(pointer);
    std::string symbol = getWeightsSymbol(ProgramNames(interface.name));
    if (GlobalVariable *known = module.getNamedGlobal(symbol))
      return known;
    auto *global =
        new GlobalVariable(module, Type::getInt8Ty(module.getContext()),
                           /*isConstant=*/false, GlobalValue::ExternalLinkage, nullptr, symbol);
    global->setVisibility(GlobalValue::HiddenVisibility);
    return global;
  }

  /// The hlort_bound of each.
  Constant *bound() {
    SmallVector<Constant *> entries;
    for (const BoundParameter &parameter : interface.bound) {
      Constant *fields[] = {
          string(parameter.name),
          number(i32, getElementInfo(parameter.type.getElementType()).number),
          number(i32, parameter.type.getRank()),
          numbers(parameter.type.getShape()),
          string(parameter.source),
      };
      entries.push_back(ConstantStruct::getAnon(fields));
    }
    return array(entries);
  }

  /// The hlort_preparation; null if the module has none.
  Constant *preparation() {
    if (!interface.preparation)
      return ConstantPointerNull::get(pointer);
    const PreparationInterface &about = *interface.preparation;
    SmallVector<int64_t> uses;
    for (size_t i = 0; i < about.isConstant.size(); ++i)
      uses.push_back((about.isReadByRuns[i] ? HLORT_READ_BY_RUN : 0) |
                     (about.isReadByPreparation[i] ? HLORT_READ_BY_PREPARE : 0) |
                     (about.isConstant[i] ? HLORT_PREPARED_PARAMETER : 0));
    Function *prepare = module.getFunction(interface.name + kPrepareEnding.str());
    Constant *fields[] = {prepare ? static_cast<Constant *>(prepare)
                                  : ConstantPointerNull::get(pointer),
                          number(i64, about.argument),
                          number(i64, about.bytes),
                          number(i64, kArenaAlignment),
                          number(i64, about.arenaBytes),
                          numbers(uses)};
    return data(ConstantStruct::getAnon(fields));
  }

  Constant *ports(const std::vector<Port> &list, bool results) {
    SmallVector<Constant *> entries;
    for (auto [i, port] : enumerate(list)) {
      int64_t alias = -1;
      for (auto [result, argument] : interface.aliases)
        if (results && result == int64_t(i))
          alias = argument;
      Constant *fields[] = {
          string(port.name),
          number(i32, getElementInfo(port.type.getElementType()).number),
          number(i32, port.type.getRank()),
          numbers(port.type.getShape()),
          numbers(port.minorToMajor),
          number(i64, port.bytes),
          number(i64, alias),
          numbers(port.sizes),
          number(i64, port.sizeOf),
      };
      entries.push_back(ConstantStruct::getAnon(fields));
    }
    return array(entries);
  }

  const ModuleInterface &interface;
};

} // namespace

void addMain(const ModuleInterface &interface, Module &module) {
  LLVMContext &context = module.getContext();
  IRBuilder<> b(context);
  Type *i32 = b.getInt32Ty(), *pointer = b.getPtrTy();
  auto *main = Function::Create(FunctionType::get(i32, {i32, pointer}, false),
                                GlobalValue::ExternalLinkage, "main", module);
  FunctionCallee run = module.getOrInsertFunction(
      "hlort_main", FunctionType::get(i32, {i32, pointer, pointer, pointer}, false));
  b.SetInsertPoint(BasicBlock::Create(context, "", main));
  Constant *bounds = ConstantPointerNull::get(b.getPtrTy());
  if (!interface.indexBounds.empty()) {
    SmallVector<uint64_t> words(interface.indexBounds.begin(), interface.indexBounds.end());
    words.resize(interface.arguments.size()); // sizes come last
    Constant *value = ConstantDataArray::get(context, words);
    bounds = new GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                GlobalValue::PrivateLinkage, value);
  }
  Constant *descriptor = module.getNamedGlobal(interface.name + "_module");
  b.CreateRet(b.CreateCall(run, {main->getArg(0), main->getArg(1), descriptor, bounds}));
}

void addDescriptor(const ModuleInterface &interface, StringRef target, Module &module) {
  DescriptorBuilder(interface, module).build(target);
}

} // namespace hloc
