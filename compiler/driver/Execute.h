// SPDX-License-Identifier: Apache-2.0
// Running a compiled module in this process, linked by LLVM's JIT linker against the runtime.

#ifndef HLOC_COMPILER_DRIVER_EXECUTE_H
#define HLOC_COMPILER_DRIVER_EXECUTE_H

#include "hlort/hlort.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace hloc {

class LoadedModule {
public:
  using Run = int32_t(hlort_context *context, const void *const *arguments, void *const *results,
                      void *arena, hlort_status *status);

  /// Links `object`, whose symbols begin with `name`.
  static llvm::Expected<LoadedModule> load(llvm::ArrayRef<char> object, llvm::StringRef name);
  LoadedModule(LoadedModule &&);
  LoadedModule &operator=(LoadedModule &&);
  ~LoadedModule();

  Run *getRun() const { return run; }

private:
  class Linker;
  LoadedModule(std::unique_ptr<Linker> linker, Run *run);
  std::unique_ptr<Linker> linker;
  Run *run;
};

} // namespace hloc

#endif
