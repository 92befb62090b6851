// SPDX-License-Identifier: Apache-2.0
#include "codegen/object/LlvmIr.h"
#include "codegen/lower/CarryMasksAsIntegers.h"
#include "codegen/lower/CompleteReversals.h"
#include "codegen/lower/FlushSubnormals.h"
#include "codegen/lower/HideHalfReadVectors.h"
#include "codegen/lower/MoveShufflesBehindOperands.h"
#include "codegen/lower/ScalarizeSingleLaneMaskedStores.h"
#include "codegen/lower/SelectFromMasks.h"
#include "codegen/lower/SplitConstantMasks.h"
#include "codegen/lower/WidenPackedShuffles.h"
#include "codegen/object/MemoryFunctions.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "passes/Freestanding.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/LowerExpectIntrinsic.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace mlir;

namespace hloc {

void registerCodegenDialects(DialectRegistry &registry) {
  registry
      .insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect,
              math::MathDialect, memref::MemRefDialect, scf::SCFDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

std::unique_ptr<llvm::Module> translateToLLVM(ModuleOp module, llvm::LLVMContext &context,
                                              llvm::TargetMachine &machine, const Target &target) {
  std::unique_ptr<llvm::Module> result = translateModuleToLLVMIR(module, context);
  if (!result)
    return nullptr;
  result->setTargetTriple(machine.getTargetTriple());
  result->setDataLayout(machine.createDataLayout());
  if (isFreestanding(module))
    addMemoryFunctions(*result);
  for (llvm::Function &function : *result) {
    function.addFnAttr(llvm::Attribute::NoUnwind);
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu);
    function.addFnAttr("target-features", target.features);
    function.addFnAttr("prefer-vector-width", std::to_string(target.vectorBytes * 8));
    function.addFnAttr("no-trapping-math", "true");
    if (target.sveBytes) {
      unsigned scale = unsigned(target.sveBytes / 16);
      function.addFnAttr(llvm::Attribute::getWithVScaleRangeArgs(context, scale, scale));
    }
    if (isFreestanding(module)) // interrupts may use the same stack
      function.addFnAttr(llvm::Attribute::NoRedZone);
  }
  return result;
}

/// Functions with more loops, such as those of sorting networks and of concatenations, are not
/// unrolled where that is a matter of a tenth: LLVM takes time for each pair of loops.
static constexpr size_t kMaxLoops = 24;

namespace {

/// Asks LLVM to unroll short loops, whose overhead is significant. Long loops (tiles, chains of
/// math functions) are wide enough, and so are packing loops, which have many accesses: copying
/// these takes more compile time than it is worth. The same holds for functions with many loops.
struct MarkShortLoops : llvm::PassInfoMixin<MarkShortLoops> {
  static constexpr unsigned kLongest = 40, kUnrolledLength = 80, kMaxAccesses = 4;

  explicit MarkShortLoops(const Target &target) : vectorBits(8 * target.vectorBytes) {}

  /// The number of memory instructions of the machine: a wide vector takes several.
  size_t countAccesses(llvm::BasicBlock &block) const {
    const llvm::DataLayout &layout = block.getModule()->getDataLayout();
    size_t count = 0;
    for (llvm::Instruction &instruction : block) {
      bool isPlain = llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction);
      if (isPlain)
        count += llvm::divideCeil(
            layout.getTypeSizeInBits(llvm::getLoadStoreType(&instruction)).getFixedValue(),
            vectorBits);
      else
        count += instruction.mayReadOrWriteMemory();
    }
    return count;
  }

  /// True if the loop only moves whole vectors, as packing does, so that memory is the bottleneck.
  bool moves(llvm::BasicBlock &block) const {
    const llvm::DataLayout &layout = block.getModule()->getDataLayout();
    bool stores = false;
    for (llvm::Instruction &instruction : block) {
      auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      if (!store && instruction.mayWriteToMemory())
        return false;
      if (store && (!llvm::isa<llvm::LoadInst>(store->getValueOperand()) ||
                    layout.getTypeSizeInBits(store->getValueOperand()->getType()).getFixedValue() <
                        vectorBits))
        return false;
      stores |= store != nullptr;
    }
    return stores;
  }

  /// True if the trip count is known when the loop begins. Unrolled copies of other loops, such as
  /// those that merge or search, would keep all their exits.
  static bool isCounted(llvm::Loop &loop) {
    auto addsConstant = [](llvm::Value *value) -> llvm::Value * {
      auto *sum = llvm::dyn_cast<llvm::BinaryOperator>(value);
      return sum && sum->getOpcode() == llvm::Instruction::Add &&
                     llvm::isa<llvm::ConstantInt>(sum->getOperand(1))
                 ? sum->getOperand(0)
                 : nullptr;
    };
    llvm::ICmpInst *compare = loop.getLatchCmpInst();
    if (!compare || !loop.isLoopInvariant(compare->getOperand(1)))
      return false;
    llvm::Value *variable = compare->getOperand(0);
    if (llvm::Value *before = addsConstant(variable))
      variable = before;
    auto *phi = llvm::dyn_cast<llvm::PHINode>(variable);
    return phi && phi->getParent() == loop.getHeader() &&
           addsConstant(phi->getIncomingValueForBlock(loop.getLoopLatch())) == phi;
  }

  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) {
    auto loops = analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder();
    if (loops.size() > kMaxLoops)
      return llvm::PreservedAnalyses::all();
    for (llvm::Loop *loop : loops) {
      size_t length = loop->getHeader()->size();
      size_t accesses = countAccesses(*loop->getHeader());
      if (loop->getNumBlocks() == 1 && length <= kLongest && accesses <= kMaxAccesses &&
          isCounted(*loop) && !moves(*loop->getHeader()))
        llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.count",
                                      std::min<unsigned>(4, kUnrolledLength / length));
    }
    return llvm::PreservedAnalyses::all();
  }

private:
  unsigned vectorBits;
};

/// Completely unrolls loops with few iterations around straight-line code. Copies of nested loops
/// would take long to compile for little gain, and so would those of more than a few rounds in
/// functions with many loops. Scalar evolution is not needed, because kernels' loops have simple
/// bounds.
struct UnrollShortLoops : llvm::PassInfoMixin<UnrollShortLoops> {
  static constexpr int64_t kMaxRounds = 64, kMaxRoundsOfMany = 4;

  static bool mayUnroll(llvm::Loop &loop, int64_t maxRounds) {
    if (!loop.isInnermost())
      return false;
    // Sizes are constant except for units and blocks; other loops are left to LLVM.
    llvm::BasicBlock *latch = loop.getLoopLatch();
    auto *branch = latch ? llvm::dyn_cast<llvm::BranchInst>(latch->getTerminator()) : nullptr;
    auto *compare = branch && branch->isConditional()
                        ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition())
                        : nullptr;
    if (!compare)
      return true;
    auto *end = llvm::dyn_cast<llvm::ConstantInt>(compare->getOperand(1));
    auto *next = llvm::dyn_cast<llvm::BinaryOperator>(compare->getOperand(0));
    if (!end)
      return false;
    auto *step = next && next->getOpcode() == llvm::Instruction::Add
                     ? llvm::dyn_cast<llvm::ConstantInt>(next->getOperand(1))
                     : nullptr;
    auto *variable = step ? llvm::dyn_cast<llvm::PHINode>(next->getOperand(0)) : nullptr;
    llvm::BasicBlock *entry = loop.getLoopPreheader();
    auto *start = variable && entry && variable->getBasicBlockIndex(entry) >= 0
                      ? llvm::dyn_cast<llvm::ConstantInt>(variable->getIncomingValueForBlock(entry))
                      : nullptr;
    if (!start || end->getBitWidth() > 64 || step->isZero())
      return !variable;
    return (end->getSExtValue() - start->getSExtValue()) / step->getSExtValue() <= maxRounds;
  }

  llvm::PreservedAnalyses run(llvm::Loop &loop, llvm::LoopAnalysisManager &analyses,
                              llvm::LoopStandardAnalysisResults &standard,
                              llvm::LPMUpdater &updater) {
    bool areMany = standard.LI.getLoopsInPreorder().size() > kMaxLoops;
    return mayUnroll(loop, areMany ? kMaxRoundsOfMany : kMaxRounds)
               ? unroll.run(loop, analyses, standard, updater)
               : llvm::PreservedAnalyses::all();
  }

private:
  llvm::LoopFullUnrollPass unroll{/*OptLevel=*/2};
};

} // namespace

/// The pass pipeline for `target.optimization` > 0. Kernels are vectorized, unrolled and in SSA
/// form already, so LLVM's own pipelines would gain little in three times the compile time.
static llvm::ModulePassManager makePipeline(const Target &target) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::LowerExpectIntrinsicPass());
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(MoveShufflesBehindOperands());
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  llvm::LoopPassManager invariants, unrolling;
  invariants.addPass(llvm::LoopRotatePass());
  invariants.addPass(llvm::LICMPass(llvm::LICMOptions()));
  passes.addPass(
      llvm::createFunctionToLoopPassAdaptor(std::move(invariants), /*UseMemorySSA=*/true));
  if (target.optimization > 1) {
    unrolling.addPass(UnrollShortLoops());
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(unrolling)));
    // Arrays that were indexed by the loops' variables.
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes.addPass(MoveShufflesBehindOperands());
  }
  passes.addPass(llvm::GVNPass());
  passes.addPass(llvm::InstCombinePass());
  if (target.optimization > 1) {
    passes.addPass(MarkShortLoops(target));
    passes.addPass(
        llvm::LoopUnrollPass(llvm::LoopUnrollOptions(/*OptLevel=*/2, /*OnlyWhenForced=*/true)));
  }
  passes.addPass(llvm::SimplifyCFGPass());
  llvm::ModulePassManager pipeline;
  pipeline.addPass(llvm::AlwaysInlinerPass());
  pipeline.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  return pipeline;
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine, const Target &target) {
  llvm::PassBuilder builder(&machine);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  llvm::ModulePassManager passes = target.optimization == 0
                                       ? builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0)
                                       : makePipeline(target);
  // By now all masks that can be constant are.
  llvm::FunctionPassManager masks;
  masks.addPass(SplitConstantMasks(target));
  if (!target.hasMaskRegisters)
    masks.addPass(CarryMasksAsIntegers());
  masks.addPass(ScalarizeSingleLaneMaskedStores());
  if (target.hasMaskRegisters)
    masks.addPass(HideHalfReadVectors());
  masks.addPass(WidenPackedShuffles());
  masks.addPass(CompleteReversals());
  if (target.sveBytes)
    masks.addPass(SelectFromMasks());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(masks)));
  passes.run(module, modules);
  if (target.flushSubnormals)
    flushSubnormals(module);
}

} // namespace hloc
