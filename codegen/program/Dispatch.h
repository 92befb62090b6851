// SPDX-License-Identifier: Apache-2.0
// Several programs in one object, each for another level of x86-64 processors, and the functions
// that hosts call, each of which calls that of the best program this machine can run. The first
// call asks the processor and keeps the answer in one word of the object: no constructor, no
// library. Test: test/tools/levels.test.

#ifndef HLOC_CODEGEN_DISPATCH_H
#define HLOC_CODEGEN_DISPATCH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"
#include <memory>
#include <string>

namespace hloc {

/// Prefix of the symbols of the program of module `name` for `cpu`.
std::string getVariantPrefix(llvm::StringRef name, llvm::StringRef cpu);

/// A module with the functions NAME_run, ... of these `endings`, which call those of the programs
/// for `cpus`, given from the lowest level to the highest. A machine below the lowest gets
/// HLORT_UNSUPPORTED.
std::unique_ptr<llvm::Module> makeDispatcher(llvm::LLVMContext &context, llvm::StringRef name,
                                             llvm::ArrayRef<std::string> cpus,
                                             llvm::ArrayRef<llvm::StringRef> endings);

} // namespace hloc

#endif
