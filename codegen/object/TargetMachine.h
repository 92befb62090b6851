// SPDX-License-Identifier: Apache-2.0
// LLVM's code generators for a target: made once, used by one thread at a time. Test:
// test/codegen/MachineCodeTest.cpp.

#ifndef HLOC_CODEGEN_OBJECT_TARGETMACHINE_H
#define HLOC_CODEGEN_OBJECT_TARGETMACHINE_H

#include "compiler/target/Target.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>

namespace hloc {

/// Makes LLVM's targets known, and sets what LLVM's passes can be told by options of a command line
/// alone. A program that removes these options to have its own must call it before; else
/// borrowTargetMachine does.
void configureLlvm();

/// Keeps a machine for the next that needs one like it.
struct ReturnMachine {
  std::string key;
  void operator()(llvm::TargetMachine *machine) const;
};
using TargetMachineHandle = std::unique_ptr<llvm::TargetMachine, ReturnMachine>;

/// An LLVM target machine for `target`, which the caller has for itself until the pointer ends.
/// Code is position-independent; if it is `freestanding`, it is to be linked at a fixed place, with
/// a section for each function and array, and with the sizes of its functions' stacks.
TargetMachineHandle borrowTargetMachine(const Target &target, bool freestanding = false);

} // namespace hloc

#endif
