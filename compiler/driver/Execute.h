// SPDX-License-Identifier: Apache-2.0
// Running a compiled module in this process, linked by LLVM's JIT linker against the runtime.

#ifndef HLOC_COMPILER_DRIVER_EXECUTE_H
#define HLOC_COMPILER_DRIVER_EXECUTE_H

#include "hlort/hlort.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <type_traits>

namespace hloc {

class LoadedModule {
public:
  using Run = std::remove_pointer_t<hlort_entry>;

  /// Links `object`, whose symbols begin with `name`.
  static llvm::Expected<LoadedModule> load(llvm::ArrayRef<char> object, llvm::StringRef name);
  LoadedModule(LoadedModule &&);
  LoadedModule &operator=(LoadedModule &&);
  ~LoadedModule();

  Run *getRun() const { return run; }
  /// The module's descriptor, its symbol NAME_module; null if the object has none.
  const hlort_module *getDescriptor() const { return descriptor; }

private:
  class Linker;
  LoadedModule(std::unique_ptr<Linker> linker, Run *run, const hlort_module *descriptor);
  std::unique_ptr<Linker> linker;
  Run *run;
  const hlort_module *descriptor;
};

} // namespace hloc

#endif
