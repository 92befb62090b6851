// SPDX-License-Identifier: Apache-2.0
// The processor that runs this program.
#pragma once
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

namespace hloc {

/// The instruction sets of this machine's processor that its system lets programs use, by LLVM's
/// names of features; false where one is known to be missing.
llvm::StringMap<bool> getHostFeatures();

/// LLVM's name of the processor that reports the model `reported` and has the features for which
/// `has` is true. Under a hypervisor the model may be an older one than the features; then this is
/// the oldest processor of that maker that has the newest of them. `knows` says which features
/// LLVM's description of `reported` has.
llvm::StringRef nameProcessor(llvm::StringRef reported,
                              llvm::function_ref<bool(llvm::StringRef)> knows,
                              llvm::function_ref<bool(llvm::StringRef)> has);

} // namespace hloc
