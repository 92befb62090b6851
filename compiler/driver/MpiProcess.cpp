// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/MpiProcess.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <dlfcn.h>

using namespace llvm;

namespace hloc {

static constexpr StringLiteral kLibrary = "libhlort_mpi_process.so";

/// The library next to this program; otherwise its name, for the loader to search for.
static std::string findLibrary() {
  std::string program = sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&findLibrary));
  StringRef top = sys::path::parent_path(sys::path::parent_path(program));
  for (StringRef folder : {"lib", "lib64"}) {
    SmallString<128> path(top);
    sys::path::append(path, folder, kLibrary);
    if (sys::fs::exists(path))
      return std::string(path);
  }
  return std::string(kLibrary);
}

Expected<std::unique_ptr<MpiProcess>> MpiProcess::begin() {
  // Global: MPI loads parts of its own that use its symbols.
  void *library = dlopen(findLibrary().c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
  if (!library)
    return createStringError("--mpi needs %s, which is built where OpenMPI or MPICH is found: %s",
                             kLibrary.data(), dlerror());
  Functions functions;
  bool hasAll = true;
  auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    hasAll &= function != nullptr;
  };
  find(functions.begin, "hlort_mpi_process_begin");
  find(functions.agree, "hlort_mpi_process_agree");
  find(functions.gather, "hlort_mpi_process_gather");
  find(functions.end, "hlort_mpi_process_end");
  if (!hasAll)
    return createStringError("%s is of another version", kLibrary.data());
  std::unique_ptr<MpiProcess> made(new MpiProcess(functions));
  hlort_status status = {};
  if (functions.begin(&made->process, &status) != HLORT_OK) {
    made->setFailed();
    return createStringError(status.message);
  }
  return made;
}

MpiProcess::~MpiProcess() { functions.end(hasFailed); }

std::vector<std::string> MpiProcess::gather(const std::string &text) const {
  std::vector<std::string> texts;
  char *all = functions.gather(text.c_str());
  for (const char *next = all; next && int64_t(texts.size()) < getSize();
       next += texts.back().size() + 1)
    texts.emplace_back(next);
  std::free(all);
  return texts;
}

} // namespace hloc
