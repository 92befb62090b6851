// SPDX-License-Identifier: Apache-2.0
// Opening shared libraries that hloc has made.
#include "compiler/library/Result.h"
#include "llvm/Object/ELFObjectFile.h"
#include <dlfcn.h>

using namespace llvm;

/// The name of the module's descriptor, NAME_module, among the exported symbols of the library.
static Expected<std::string> findDescriptor(StringRef file) {
  Expected<object::OwningBinary<object::ObjectFile>> binary =
      object::ObjectFile::createObjectFile(file);
  if (!binary)
    return binary.takeError();
  auto *library = dyn_cast<object::ELFObjectFileBase>(binary->getBinary());
  std::string found;
  if (library)
    for (object::ELFSymbolRef symbol : library->getDynamicSymbolIterators()) {
      Expected<StringRef> name = symbol.getName();
      if (!name)
        return name.takeError();
      if (symbol.getELFType() != ELF::STT_OBJECT || !name->ends_with("_module"))
        continue;
      if (!found.empty())
        return createStringError("expected one module in the library but got `" + found +
                                 "` and `" + *name + "`");
      found = name->str();
    }
  if (found.empty())
    return createStringError("expected a shared library that hloc has made");
  return found;
}

/// Looks a function up in a library.
template <typename Function> static bool find(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function;
}

static Error open(const char *file, hloc_result &result) {
  Expected<std::string> descriptor = findDescriptor(file);
  if (!descriptor)
    return descriptor.takeError();
  // The loader searches for names without a slash in the system's library folders.
  std::string path = StringRef(file).contains('/') ? file : std::string("./") + file;
  result.library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!result.library)
    return createStringError(StringRef(dlerror()));
  auto *module = static_cast<const hlort_module *>(dlsym(result.library, descriptor->c_str()));
  if (!module)
    return createStringError(StringRef(dlerror()));
  if (hlort_status status = {}; hlort_module_check(module, &status) != HLORT_OK)
    return createStringError(StringRef(status.message));
  // Code that does not call the runtime does not contain it and runs with any context, or none.
  Runtime &runtime = result.runtime;
  if (dlsym(result.library, "hlort_context_create") &&
      !(find(result.library, "hlort_context_create", runtime.createContext) &&
        find(result.library, "hlort_context_destroy", runtime.destroyContext) &&
        find(result.library, "hlort_context_threads", runtime.getThreads) &&
        find(result.library, "hlort_context_add_threads", runtime.addThreads)))
    return createStringError("the library lacks functions of the runtime");
  if (module->weights && !find(result.library, "hlort_weights_load", runtime.loadWeights))
    return createStringError("the library lacks functions of the runtime");
  result.module = module;
  result.outcome = HLOC_DONE;
  return Error::success();
}

hloc_result *hloc_open(const char *file) {
  auto *result = new hloc_result;
  if (Error error = file ? open(file, *result) : createStringError("expected the name of a file"))
    result->addError(file ? file : "", toString(std::move(error)));
  return result;
}
