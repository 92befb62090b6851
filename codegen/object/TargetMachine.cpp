// SPDX-License-Identifier: Apache-2.0
#include "codegen/object/TargetMachine.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

namespace hloc {

void configureLlvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    LLVMInitializeAArch64AsmParser();
    LLVMInitializeRISCVTargetInfo();
    LLVMInitializeRISCVTarget();
    LLVMInitializeRISCVTargetMC();
    LLVMInitializeRISCVAsmPrinter();
    LLVMInitializeRISCVAsmParser();
    // Addresses have their constants apart, and hardware adds a scaled index at no cost: this pass
    // would take a tenth to a third of the compile time for no gain.
    llvm::cl::Option *reduction = llvm::cl::getRegisteredOptions().lookup("disable-lsr");
    if (reduction) // test/codegen/LlvmOptionsTest.cpp fails if LLVM drops it
      reduction->addOccurrence(0, "disable-lsr", "true");
  });
}

namespace {

/// Idle machines, by what they were made for. Creating LLVM's description of a processor takes much
/// of the time of a small compilation, and no two threads may share one.
class MachinePool {
public:
  static MachinePool &get() {
    static auto *pool = new MachinePool; // never destroyed, so that exiting does not wait for it
    return *pool;
  }

  std::unique_ptr<llvm::TargetMachine> take(llvm::StringRef key) {
    std::lock_guard<std::mutex> guard(lock);
    auto found = idle.find(key);
    return found == idle.end() || found->second.empty() ? nullptr : found->second.pop_back_val();
  }

  void giveBack(llvm::StringRef key, std::unique_ptr<llvm::TargetMachine> machine) {
    std::lock_guard<std::mutex> guard(lock);
    idle[key].push_back(std::move(machine));
  }

private:
  std::mutex lock;
  llvm::StringMap<llvm::SmallVector<std::unique_ptr<llvm::TargetMachine>, 1>> idle;
};

} // namespace

void ReturnMachine::operator()(llvm::TargetMachine *machine) const {
  MachinePool::get().giveBack(key, std::unique_ptr<llvm::TargetMachine>(machine));
}

TargetMachineHandle borrowTargetMachine(const Target &target, bool freestanding) {
  configureLlvm();
  auto level = target.optimization == 0   ? llvm::CodeGenOptLevel::None
               : target.optimization == 1 ? llvm::CodeGenOptLevel::Less
                                          : llvm::CodeGenOptLevel::Default;
  std::string key =
      llvm::join_items(" ", target.triple, target.cpu, target.features, std::to_string(int(level)),
                       freestanding ? "freestanding" : "");
  std::unique_ptr<llvm::TargetMachine> machine = MachinePool::get().take(key);
  if (!machine) {
    std::string message;
    llvm::Triple triple(target.triple);
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
    options.FunctionSections = options.DataSections = options.EmitStackSizeSection = freestanding;
    // On RISC-V, memory begins where the addresses of the small code model end.
    std::optional<llvm::CodeModel::Model> model;
    if (freestanding && triple.isRISCV64())
      model = llvm::CodeModel::Medium;
    machine.reset(llvm::TargetRegistry::lookupTarget(triple, message)
                      ->createTargetMachine(triple, target.cpu, target.features, options,
                                            freestanding ? llvm::Reloc::Static : llvm::Reloc::PIC_,
                                            model, level));
  }
  return TargetMachineHandle(machine.release(), ReturnMachine{std::move(key)});
}

} // namespace hloc
