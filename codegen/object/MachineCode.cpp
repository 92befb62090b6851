// SPDX-License-Identifier: Apache-2.0
#include "codegen/object/MachineCode.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/InitializePasses.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Pass.h"
#include "llvm/PassInfo.h"
#include "llvm/PassRegistry.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace hloc {

/// Passes for what kernels never contain: each would visit every function and do nothing. The
/// scheduler after register allocation is not among them: without it, reductions and gathers take a
/// tenth longer.
static constexpr llvm::StringLiteral kPassesLeftOut[] = {
    // Garbage collection, exceptions, safe points, coroutines, Objective-C reference counting.
    "gc-lowering", "shadow-stack-gc-lowering", "gc-analysis", "dwarf-eh-prepare",
    "fixup-statepoint-caller-saved", "stackmap-liveness", "funclet-layout", "callbrprepare",
    "indirectbr-expand", "objc-arc-contract",
    // Calls of the C library.
    "mergeicmps", "expand-memcmp", "replace-with-veclib", "partially-inline-libcalls",
    // Instrumentation and hardening that functions request by attributes.
    "post-inline-ee-instrument", "safe-stack", "stack-protector", "fentry-insert",
    "xray-instrumentation", "patchable-function", "pseudo-probe-inserter", "machine-sanmd", "kcfi",
    "x86-slh", "x86-seses", "x86-lvi-load", "x86-lvi-ret", "x86-return-thunks",
    // Debug variables, remarks, learned register allocation.
    "removeredundantdebugvalues", "livedebugvalues", "remove-loads-into-fake-uses",
    "stack-frame-layout", "regallocscoringpass",
    // Better instructions for sums of bytes, masks, split copies and addresses: vectors are already
    // in their final form, and copies call the C library.
    "x86-partial-reduction", "x86-domain-reassignment", "x86-avoid-sfb", "x86-optimize-leas"};

/// Passes for matrix registers, on targets without them.
static constexpr llvm::StringLiteral kMatrixPasses[] = {"x86-lower-amx-intrinsics",
                                                        "x86-lower-amx-type", "tilepreconfig",
                                                        "x86-tile-config", "x86-lower-tile-copy"};

llvm::SmallVector<llvm::StringRef> getPassesLeftOut() {
  llvm::SmallVector<llvm::StringRef> passes(std::begin(kPassesLeftOut), std::end(kPassesLeftOut));
  passes.append(std::begin(kMatrixPasses), std::end(kMatrixPasses));
  return passes;
}

namespace {

/// LLVM's code generation passes for a target, except those above.
class Passes : public llvm::legacy::PassManager {
public:
  explicit Passes(const llvm::TargetMachine &machine)
      : knowsStacks(machine.Options.EmitStackSizeSection),
        hasMatrices(machine.getTargetTriple().isX86() &&
                    machine.getMCSubtargetInfo()->checkFeatures("+amx-tile")) {}

  void add(llvm::Pass *pass) override {
    const llvm::PassInfo *info = llvm::Pass::lookupPassInfo(pass->getPassID());
    if (info && isLeftOut(info->getPassArgument()))
      delete pass;
    else
      PassManager::add(pass);
  }

private:
  /// Frame sizes do not include what this pass pushes for calls.
  bool isLeftOut(llvm::StringRef pass) const {
    return llvm::is_contained(kPassesLeftOut, pass) ||
           (!hasMatrices && llvm::is_contained(kMatrixPasses, pass)) ||
           (knowsStacks && pass == "x86-cf-opt");
  }

  bool knowsStacks, hasMatrices;
};

} // namespace

bool hasCode(const llvm::Module &module) {
  return llvm::any_of(module,
                      [](const llvm::Function &function) { return !function.isDeclaration(); });
}

/// Adds only the passes that write data: creating and ordering the function passes takes far
/// longer, even though none would run.
static bool addPassesForData(llvm::legacy::PassManager &passes, llvm::TargetMachine &machine,
                             llvm::raw_pwrite_stream &stream, llvm::CodeGenFileType type) {
  llvm::initializeCodeGen(*llvm::PassRegistry::getPassRegistry());
  auto *info = new llvm::MachineModuleInfoWrapperPass(&machine);
  passes.add(info);
  return machine.addAsmPrinter(passes, stream, nullptr, type, info->getMMI().getContext());
}

llvm::Error emitMachineCode(llvm::Module &module, llvm::TargetMachine &machine, bool assembly,
                            llvm::SmallVectorImpl<char> &output) {
  llvm::raw_svector_ostream stream(output);
  Passes passes(machine);
  auto type = assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  bool failed = hasCode(module) ? machine.addPassesToEmitFile(passes, stream, nullptr, type)
                                : addPassesForData(passes, machine, stream, type);
  if (failed)
    return llvm::createStringError("the target cannot emit " +
                                   std::string(assembly ? "assembly" : "object files"));
  passes.run(module);
  return llvm::Error::success();
}

} // namespace hloc
