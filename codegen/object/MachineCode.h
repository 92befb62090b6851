// SPDX-License-Identifier: Apache-2.0
// The last step: LLVM IR to an object file or assembly text. Test: test/codegen/MachineCodeTest.cpp

#ifndef HLOC_CODEGEN_MACHINECODE_H
#define HLOC_CODEGEN_MACHINECODE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace hloc {

/// Passes of LLVM's code generator, by their arguments, that are skipped for generated code on
/// targets without matrix registers.
llvm::SmallVector<llvm::StringRef> getPassesLeftOut();

/// True if the module defines a function; otherwise there is nothing to optimize.
bool hasCode(const llvm::Module &module);

/// Machine code of `module`: an object file, or assembly text.
llvm::Error emitMachineCode(llvm::Module &module, llvm::TargetMachine &machine, bool assembly,
                            llvm::SmallVectorImpl<char> &output);

} // namespace hloc

#endif
