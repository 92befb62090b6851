// SPDX-License-Identifier: Apache-2.0
// The processor that runs this program. Test: test/target/MachineTest.cpp.

#ifndef HLOC_COMPILER_TARGET_HOSTPROCESSOR_H
#define HLOC_COMPILER_TARGET_HOSTPROCESSOR_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

namespace hloc {

/// The instruction sets of this machine's processor that its system lets programs use, by LLVM's
/// names of features; false where one is known to be missing.
llvm::StringMap<bool> getHostFeatures();

/// LLVM's name of the processor whose model number is that of `reported` and which has the features
/// for which `has` is true. `knows` says which features LLVM's description of `reported` has. A
/// hypervisor may report an older model than the features belong to; then the name is that of the
/// first processor of that maker with the newest of them.
llvm::StringRef nameProcessor(llvm::StringRef reported,
                              llvm::function_ref<bool(llvm::StringRef)> knows,
                              llvm::function_ref<bool(llvm::StringRef)> has);

} // namespace hloc

#endif
