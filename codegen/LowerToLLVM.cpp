// SPDX-License-Identifier: Apache-2.0
#include "codegen/LowerToLLVM.h"
#include "codegen/math/Math.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace hloc {

void registerCodegenDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect,
                  math::MathDialect, memref::MemRefDialect, scf::SCFDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

LogicalResult lowerToLLVM(ModuleOp module, const Target &target) {
  MLIRContext *context = module.getContext();
  if (!target.hasFma)
    expandFma(module);
  if (!target.hasHalf)
    expandHalf(module);
  if (!target.hasRounding)
    expandRounding(module);
  {
    RewritePatternSet patterns(context);
    populateSCFToControlFlowConversionPatterns(patterns);
    ConversionTarget legal(*context);
    legal.addIllegalDialect<scf::SCFDialect>();
    legal.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(module, legal, std::move(patterns))))
      return failure();
  }
  LLVMTypeConverter types(context);
  RewritePatternSet patterns(context);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorInterleaveLoweringPatterns(patterns);
  populateVectorToLLVMConversionPatterns(types, patterns, /*reassociateFPReductions=*/true);
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  populateMathToLLVMConversionPatterns(types, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  LLVMConversionTarget legal(*context);
  legal.addLegalOp<ModuleOp>();
  return applyFullConversion(module, legal, std::move(patterns));
}

std::unique_ptr<llvm::Module> translateToLLVM(ModuleOp module, llvm::LLVMContext &context,
                                              llvm::TargetMachine &machine, const Target &target) {
  std::unique_ptr<llvm::Module> result = translateModuleToLLVMIR(module, context);
  if (!result)
    return nullptr;
  result->setTargetTriple(machine.getTargetTriple());
  result->setDataLayout(machine.createDataLayout());
  for (llvm::Function &function : *result) {
    function.addFnAttr(llvm::Attribute::NoUnwind);
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu);
    function.addFnAttr("target-features", target.features);
    function.addFnAttr("prefer-vector-width", std::to_string(target.vectorBytes * 8));
    function.addFnAttr("no-trapping-math", "true");
  }
  return result;
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine, const Target &target) {
  llvm::PipelineTuningOptions tuning;
  // Kernels are vector code already; what is scalar here is meant to be.
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopInterleaving = false;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  llvm::OptimizationLevel level = target.optimization == 0   ? llvm::OptimizationLevel::O0
                                  : target.optimization == 1 ? llvm::OptimizationLevel::O1
                                                             : llvm::OptimizationLevel::O2;
  llvm::ModulePassManager passes = target.optimization == 0 ? builder.buildO0DefaultPipeline(level)
                                                            : builder.buildPerModuleDefaultPipeline(level);
  passes.run(module, modules);
}

llvm::Error emitMachineCode(llvm::Module &module, llvm::TargetMachine &machine, bool assembly,
                            llvm::SmallVectorImpl<char> &output) {
  llvm::raw_svector_ostream stream(output);
  llvm::legacy::PassManager passes;
  auto type = assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    return llvm::createStringError("the target cannot emit " + std::string(assembly ? "assembly" : "object files"));
  passes.run(module);
  return llvm::Error::success();
}

} // namespace hloc
