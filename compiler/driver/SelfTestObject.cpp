// SPDX-License-Identifier: Apache-2.0
#include "codegen/object/MachineCode.h"
#include "codegen/object/TargetMachine.h"
#include "compiler/driver/ConstantData.h"
#include "compiler/driver/SelfTest.h"
#include "compiler/text/Version.h"
#include "hlort/selftest.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace hloc {

// Checks the layout of the structs built below.
static_assert(offsetof(hlort_expected, count) == 16 && offsetof(hlort_expected, bound) == 40 &&
              sizeof(hlort_expected) == 48);
static_assert(offsetof(hlort_selftest, participants) == 16 &&
              offsetof(hlort_selftest, inputs) == 40 && offsetof(hlort_selftest, bits) == 56 &&
              sizeof(hlort_selftest) == 64);

namespace {

class SelfTestBuilder : ConstantData {
public:
  SelfTestBuilder(const SelfTest &test, const ModuleInterface &interface, Module &module)
      : ConstantData(module, interface.name + "_selftest"), test(test), interface(interface) {}

  /// Adds the function main.
  void build() {
    IRBuilder<> b(module.getContext());
    auto *main = Function::Create(FunctionType::get(i32, {i32, pointer}, false),
                                  GlobalValue::ExternalLinkage, "main", module);
    FunctionCallee run = module.getOrInsertFunction(
        "hlort_selftest_main", FunctionType::get(i32, {i32, pointer, pointer, pointer}, false));
    Constant *descriptor = module.getOrInsertGlobal(interface.name + "_module", b.getInt8Ty());
    b.SetInsertPoint(BasicBlock::Create(module.getContext(), "", main));
    b.CreateRet(b.CreateCall(run, {main->getArg(0), main->getArg(1), descriptor, makeTest()}));
  }

private:
  /// An hlort_selftest.
  Constant *makeTest() {
    SmallVector<Constant *> features, results;
    for (StringRef feature : test.features)
      features.push_back(string(feature));
    features.push_back(null());
    for (const ExpectedResult &result : test.results)
      results.push_back(makeExpected(result));
    Constant *fields[] = {
        string((Twine("hloc ") + getVersion()).str()),
        array(features),
        number(i32, test.participants),
        number(i32, test.bits.has_value()),
        number(i64, int64_t(test.seed)),
        numbers(test.indexBounds),
        number(i64, int64_t(test.inputs)),
        array(results),
        number(i64, int64_t(test.bits.value_or(0))),
    };
    return data(ConstantStruct::getAnon(fields));
  }

  /// An hlort_expected.
  Constant *makeExpected(const ExpectedResult &result) {
    LLVMContext &context = module.getContext();
    Constant *elements = null();
    if (!result.elements.empty()) {
      GlobalVariable *global =
          data(ConstantDataArray::getRaw(StringRef(result.elements.data(), result.elements.size()),
                                         result.elements.size(), Type::getInt8Ty(context)));
      global->setSection(".hlort.expected"); // for tools that look for them in the file
      elements = global;
    }
    Constant *fields[] = {
        numbers(result.shape),
        elements,
        number(i64, result.count),
        ConstantFP::get(Type::getDoubleTy(context), result.tolerance.atol),
        number(i64, result.tolerance.ulp),
        result.bound.empty() ? null() : string(result.bound),
    };
    return ConstantStruct::getAnon(fields);
  }

  const SelfTest &test;
  const ModuleInterface &interface;
};

} // namespace

Error emitSelfTest(const SelfTest &test, const CompiledModule &compiled,
                   SmallVectorImpl<char> &object) {
  // For the lowest processor of the architecture: it has to report which features this one lacks.
  Target least;
  least.triple = compiled.targets.front().triple;
  least.cpu = Triple(least.triple).isX86() ? "x86-64" : "generic";
  LLVMContext context;
  TargetMachineHandle machine = borrowTargetMachine(least);
  Module module(compiled.interface.name + "_selftest", context);
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  SelfTestBuilder(test, compiled.interface, module).build();
  return emitMachineCode(module, *machine, /*assembly=*/false, object);
}

} // namespace hloc
