// SPDX-License-Identifier: Apache-2.0
// Stands in for Polly, which LLVM's library for optimization at link time refers to.
#include "llvm/Plugins/PassPlugin.h"

/// Declared by LLVM's list of extensions.
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "none", "", nullptr};
}
