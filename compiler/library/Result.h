// SPDX-License-Identifier: Apache-2.0
// The definition of hloc_result.

#ifndef HLOC_COMPILER_LIBRARY_RESULT_H
#define HLOC_COMPILER_LIBRARY_RESULT_H

#include "compiler/driver/Execute.h"
#include "compiler/driver/WeightsMemory.h"
#include "hloc/hloc.h"
#include "hlort/async.h"
#include "hlort/weights.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SmallVector.h"
#include <deque>
#include <optional>
#include <string>
#include <vector>

/// The runtime functions for a module's contexts: those linked here, or, for an opened module,
/// those in its library.
struct Runtime {
  decltype(&hlort_context_create) createContext = &hlort_context_create;
  decltype(&hlort_context_destroy) destroyContext = &hlort_context_destroy;
  decltype(&hlort_context_threads) getThreads = &hlort_context_threads;
  decltype(&hlort_context_add_threads) addThreads = &hlort_context_add_threads;
  decltype(&hlort_weights_load) loadWeights = &hlort_weights_load;
};

struct hloc_result {
  hloc_outcome outcome = HLOC_REFUSED;
  std::vector<hloc_message> messages;
  std::string printed;

  /// Adds a diagnostic with its notes.
  void add(const mlir::Diagnostic &diagnostic);
  /// Adds and prints an error about a file as a whole.
  void addError(llvm::StringRef file, llvm::StringRef text);
  /// Adds and prints a remark that has no location in the module.
  void addRemark(llvm::StringRef text);

  // For a module that was compiled.
  hloc::WeightsMemory weights;
  std::optional<hloc::LoadedModule> loaded;
  llvm::SmallVector<char, 0> object;
  std::string header;

  /// For one that was opened, the loader's handle.
  void *library = nullptr;

  Runtime runtime;
  const hlort_module *module = nullptr;

private:
  const char *keep(llvm::StringRef text);
  void addOne(const mlir::Diagnostic &diagnostic);

  std::deque<std::string> strings; // of the messages
};

#endif
