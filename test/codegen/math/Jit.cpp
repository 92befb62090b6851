// SPDX-License-Identifier: Apache-2.0
#include "test/codegen/math/Jit.h"

#include "codegen/math/Math.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <cstdlib>

using namespace mlir;

namespace hloc::test {

static Type typeOf(Element element, OpBuilder &b) {
  switch (element) {
  case Element::I8:
    return b.getI8Type();
  case Element::I16:
    return b.getI16Type();
  case Element::I32:
    return b.getI32Type();
  case Element::I64:
    return b.getI64Type();
  case Element::F32:
    return b.getF32Type();
  case Element::F64:
    return b.getF64Type();
  }
  llvm_unreachable("no such element");
}

/// void kernel(in0, in1, in2, in3, out0, out1, count): emit's code for each group of lanes.
static OwningOpRef<ModuleOp> build(MLIRContext &context, ArrayRef<Element> inputs,
                                   ArrayRef<Element> outputs, unsigned lanes, Emit emit) {
  ImplicitLocOpBuilder b(UnknownLoc::get(&context), &context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(b.getLoc());
  b.setInsertionPointToStart(module->getBody());
  Type pointer = LLVM::LLVMPointerType::get(&context);
  SmallVector<Type> types(6, pointer);
  types.push_back(b.getI64Type());
  auto function = func::FuncOp::create(b, "kernel", b.getFunctionType(types, {}));
  b.setInsertionPointToStart(function.addEntryBlock());
  Value zero = arith::ConstantOp::create(b, b.getI64IntegerAttr(0));
  Value step = arith::ConstantOp::create(b, b.getI64IntegerAttr(lanes));
  auto loop = scf::ForOp::create(b, zero, function.getArgument(6), step);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    auto address = [&](unsigned argument, Type element) -> Value {
      return LLVM::GEPOp::create(b, pointer, element, function.getArgument(argument),
                                 ArrayRef<LLVM::GEPArg>{loop.getInductionVar()});
    };
    auto vectorOf = [&](Type element) -> Type {
      return lanes == 1 ? element : VectorType::get({int64_t(lanes)}, element);
    };
    SmallVector<Value> operands;
    for (auto [i, input] : llvm::enumerate(inputs)) {
      Type element = typeOf(input, b);
      operands.push_back(LLVM::LoadOp::create(b, vectorOf(element), address(i, element), 1));
    }
    SmallVector<Value> results = emit(b, operands);
    for (auto [i, output] : llvm::enumerate(outputs)) {
      Type element = typeOf(output, b);
      LLVM::StoreOp::create(b, results[i], address(4 + i, element), 1);
    }
  }
  func::ReturnOp::create(b);
  return module;
}

static void lower(ModuleOp module, StringRef features) {
  if (failed(verify(module)))
    llvm::report_fatal_error("invalid module");
  if (features.contains("-fma"))
    expandFma(module);
  if (features.contains("-f16c"))
    expandHalf(module);
  if (features.contains("-sse4.1"))
    expandRounding(module);
  PassManager passes(module.getContext());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertVectorToLLVMPass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createConvertFuncToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  if (failed(passes.run(module)))
    llvm::report_fatal_error("cannot lower");
}

static void optimize(llvm::Module &module, llvm::TargetMachine &target) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraphs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&target);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraphs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

Kernel::Kernel(ArrayRef<Element> inputs, ArrayRef<Element> outputs, unsigned lanes, Emit emit,
               function_ref<void(Operation *)> expand) {
  const char *listed = std::getenv("HLOC_MATH_FEATURES");
  StringRef features = listed ? listed : "";
  static bool initialized =
      !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter();
  (void)initialized;
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context
      .loadDialect<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect,
                   LLVM::LLVMDialect, math::MathDialect, scf::SCFDialect, vector::VectorDialect>();
  OwningOpRef<ModuleOp> module = build(context, inputs, outputs, lanes, emit);
  if (expand)
    expand(*module);
  lower(*module, features);

  auto machine = llvm::cantFail(llvm::orc::JITTargetMachineBuilder::detectHost());
  machine.setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  // As in object files: constants near the code, so that instructions can read them in place.
  machine.setCodeModel(llvm::CodeModel::Small);
  machine.setRelocationModel(llvm::Reloc::PIC_);
  SmallVector<StringRef> list;
  features.split(list, ',', -1, false);
  for (StringRef feature : list)
    machine.getFeatures().AddFeature(feature.drop_front(), feature.front() == '+');
  auto target = llvm::cantFail(machine.createTargetMachine());

  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> translated = translateModuleToLLVMIR(*module, *llvmContext);
  translated->setDataLayout(target->createDataLayout());
  translated->setTargetTriple(target->getTargetTriple());
  optimize(*translated, *target);
  if (std::getenv("HLOC_MATH_DUMP")) {
    llvm::legacy::PassManager printing;
    llvm::SmallVector<char> assembly;
    llvm::raw_svector_ostream stream(assembly);
    auto copy = llvm::CloneModule(*translated);
    target->addPassesToEmitFile(printing, stream, nullptr, llvm::CodeGenFileType::AssemblyFile);
    printing.run(*copy);
    llvm::outs() << stream.str();
  }

  // No process symbols are offered, so that what calls a library does not link.
  llvm::orc::LLJITBuilder builder;
  builder.setLinkProcessSymbolsByDefault(false);
  builder.setPlatformSetUp(llvm::orc::setUpInactivePlatform);
  builder.setJITTargetMachineBuilder(machine);
  jit = llvm::cantFail(builder.create());
  llvm::cantFail(
      jit->addIRModule(llvm::orc::ThreadSafeModule(std::move(translated), std::move(llvmContext))));
  function = llvm::cantFail(jit->lookup("kernel")).toPtr<decltype(function)>();
}

Kernel::~Kernel() = default;

void Kernel::run(std::vector<const void *> inputs, std::vector<void *> outputs,
                 size_t count) const {
  inputs.resize(4);
  outputs.resize(2);
  function(inputs[0], inputs[1], inputs[2], inputs[3], outputs[0], outputs[1], count);
}

} // namespace hloc::test
