// SPDX-License-Identifier: Apache-2.0
// Several programs in one object, each for another level of x86-64 processors, and the entry
// function that calls the best one this machine can run. It asks the processor at the first call
// and keeps the answer in one word of the object: no constructor, no library. Test:
// test/tools/levels.test.

#ifndef HLOC_CODEGEN_DISPATCH_H
#define HLOC_CODEGEN_DISPATCH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"
#include <memory>
#include <string>

namespace hloc {

/// Prefix of the symbols of module `name`'s program for `cpu`.
std::string getVariantPrefix(llvm::StringRef name, llvm::StringRef cpu);

/// A module with the entry function NAME_run, which calls those of the programs for `cpus`, given
/// from the lowest level to the highest. A machine below the lowest gets HLORT_UNSUPPORTED.
std::unique_ptr<llvm::Module> makeDispatcher(llvm::LLVMContext &context, llvm::StringRef name,
                                             llvm::ArrayRef<std::string> cpus);

} // namespace hloc

#endif
