// SPDX-License-Identifier: Apache-2.0
// Defines the entry point of Polly, to which LLVM's library for link-time optimization refers.
// hloc does not use Polly.
#include "llvm/Plugins/PassPlugin.h"

/// Declared by LLVM's list of extensions.
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "none", "", nullptr};
}
