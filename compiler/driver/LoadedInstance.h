// SPDX-License-Identifier: Apache-2.0
// A loaded module with the memory for one participant's calls.

#ifndef HLOC_COMPILER_DRIVER_LOADEDINSTANCE_H
#define HLOC_COMPILER_DRIVER_LOADEDINSTANCE_H

#include "compiler/driver/Execute.h"
#include "compiler/driver/HostArray.h"
#include "compiler/driver/Interface.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>

namespace hloc {

class LoadedInstance {
public:
  LoadedInstance(const ModuleInterface &interface, LoadedModule &module, hlort_context *context,
                 llvm::ArrayRef<HostArray> inputs);

  /// Copies the inputs to the module's arguments.
  void fillArguments();
  /// Fills the block of prepared arrays from the inputs, if the module has one.
  int32_t prepare(hlort_status &status);
  /// Runs the module, after preparing it if that has not been done; returns its error code, with
  /// the message in `status`.
  int32_t call(hlort_status &status);
  std::vector<HostArray> getResults();

private:
  /// Memory of one array, aligned as hosts must align it.
  using Buffer = std::unique_ptr<char, void (*)(void *)>;
  static Buffer allocate(int64_t bytes);
  char *getResultMemory(size_t result);
  /// The size of a bounded dimension, in the memory of the argument or result that holds it.
  static int32_t &sizeIn(char *memory) { return *reinterpret_cast<int32_t *>(memory); }

  const ModuleInterface &interface;
  LoadedModule &module;
  hlort_context *context;
  llvm::ArrayRef<HostArray> inputs;
  Buffer arena;
  bool isPrepared = false;
  std::vector<Buffer> arguments, results;
  llvm::DenseMap<size_t, size_t> aliasOf;
};

} // namespace hloc

#endif
