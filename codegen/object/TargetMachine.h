// SPDX-License-Identifier: Apache-2.0
// LLVM's code generators for a target: created once and used by one thread at a time. Test:
// test/codegen/MachineCodeTest.cpp.

#ifndef HLOC_CODEGEN_OBJECT_TARGETMACHINE_H
#define HLOC_CODEGEN_OBJECT_TARGETMACHINE_H

#include "compiler/target/Target.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>

namespace hloc {

/// Registers LLVM's targets, and sets the options of LLVM's passes that exist only as command-line
/// options. A program that removes these options to define its own must call this before; otherwise
/// borrowTargetMachine does.
void configureLlvm();

/// Returns a machine to the pool for the next user with an equal target.
struct ReturnMachine {
  std::string key;
  void operator()(llvm::TargetMachine *machine) const;
};
using TargetMachineHandle = std::unique_ptr<llvm::TargetMachine, ReturnMachine>;

/// An LLVM target machine for `target`, for exclusive use until the handle is destroyed. Code is
/// position-independent; if `freestanding`, it is linked at a fixed address, with a section for
/// each function and array, and records its functions' stack sizes.
TargetMachineHandle borrowTargetMachine(const Target &target, bool freestanding = false);

} // namespace hloc

#endif
