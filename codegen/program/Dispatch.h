// SPDX-License-Identifier: Apache-2.0
// An object with several programs, each for another level of x86-64 processors, has functions for
// hosts, each of which calls the function of the same ending of the best program that this machine
// can run. The first call detects the processor's level and stores it in one word of the object; no
// constructor or library is needed. Test: test/tools/levels.test.

#ifndef HLOC_CODEGEN_DISPATCH_H
#define HLOC_CODEGEN_DISPATCH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"
#include <memory>
#include <string>

namespace hloc {

/// Prefix of the symbols of the program of module `name` for `cpu`.
std::string getVariantPrefix(llvm::StringRef name, llvm::StringRef cpu);

/// Makes a module with the functions for hosts that have these `endings`, such as NAME_run, which
/// call those of the programs for `cpus`, listed from the lowest level to the highest. On a machine
/// below the lowest they return HLORT_UNSUPPORTED.
std::unique_ptr<llvm::Module> makeDispatcher(llvm::LLVMContext &context, llvm::StringRef name,
                                             llvm::ArrayRef<std::string> cpus,
                                             llvm::ArrayRef<llvm::StringRef> endings);

} // namespace hloc

#endif
