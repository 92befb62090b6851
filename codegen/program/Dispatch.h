// SPDX-License-Identifier: Apache-2.0
// An object with several programs, each for another level of x86-64 processors, has an entry
// function that calls the best one that this machine can run. It detects the processor's level at
// the first call and stores it in one word of the object; no constructor or library is needed.
// Test: test/tools/levels.test.

#ifndef HLOC_CODEGEN_DISPATCH_H
#define HLOC_CODEGEN_DISPATCH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"
#include <memory>
#include <string>

namespace hloc {

/// Prefix of the symbols of the program of module `name` for `cpu`.
std::string getVariantPrefix(llvm::StringRef name, llvm::StringRef cpu);

/// Makes a module with the entry function NAME_run, which calls those of the programs for `cpus`,
/// listed from the lowest level to the highest. On a machine below the lowest it returns
/// HLORT_UNSUPPORTED.
std::unique_ptr<llvm::Module> makeDispatcher(llvm::LLVMContext &context, llvm::StringRef name,
                                             llvm::ArrayRef<std::string> cpus);

} // namespace hloc

#endif
