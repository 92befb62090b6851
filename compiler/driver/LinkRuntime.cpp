// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/LinkRuntime.h"
#include "codegen/object/Link.h"
#include "codegen/object/ScratchFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include <dlfcn.h>

using namespace llvm;

namespace hloc {

namespace {

/// The path of the file in the first of these folders that contains it; empty if none does.
std::string findFile(ArrayRef<std::string> folders, StringRef name) {
  for (StringRef folder : folders) {
    SmallString<128> path(folder);
    sys::path::append(path, name);
    if (sys::fs::exists(path))
      return std::string(path);
  }
  return {};
}

/// The folders that may contain the system's libraries.
std::vector<std::string> systemFolders() {
  Triple host(sys::getProcessTriple());
  std::string multiarch = (host.getArchName() + "-linux-gnu").str();
  return {"/lib/" + multiarch, "/usr/lib/" + multiarch, "/lib64", "/usr/lib64", "/lib", "/usr/lib"};
}

/// The folder of the program or shared library that contains this code; empty if the loader does
/// not tell.
std::string getOwnFolder() {
  Dl_info info;
  bool known = dladdr(reinterpret_cast<void *>(&getOwnFolder), &info) && info.dli_fname;
  return known ? sys::path::parent_path(info.dli_fname).str() : "";
}

/// The runtime's archive, next to this program or library.
std::string findRuntime() {
  std::string program = sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&findRuntime));
  SmallString<128> top(sys::path::parent_path(sys::path::parent_path(program)));
  std::vector<std::string> folders;
  for (StringRef library : {"lib", "lib64"})
    folders.push_back((top + "/" + library).str());
  folders.push_back(folders[0] + "/" +
                    (Triple(sys::getProcessTriple()).getArchName() + "-linux-gnu").str());
  folders.push_back(getOwnFolder());
  return findFile(folders, "libhlort.a");
}

/// Links `object` with the runtime and the system's libraries: the linker's `options`, then files
/// before and after them.
Error linkWithRuntime(ArrayRef<char> object, ArrayRef<std::string> options,
                      ArrayRef<std::string> before, ArrayRef<std::string> after,
                      SmallVectorImpl<char> &linked) {
  std::string runtime = findRuntime();
  if (runtime.empty())
    return createStringError(
        "libhlort.a is neither in ../lib of the program's folder nor beside libhloc.so");
  Expected<ScratchFile> input = ScratchFile::create("o", object),
                        output = ScratchFile::create("out");
  if (!input || !output)
    return joinErrors(input.takeError(), output.takeError());
  std::vector<std::string> arguments = {"-o", output->getPath(), "--gc-sections"};
  llvm::append_range(arguments, options);
  llvm::append_range(arguments, before);
  arguments.insert(arguments.end(), {input->getPath(), runtime, "--as-needed"});
  std::vector<std::string> folders = systemFolders();
  folders.push_back(sys::path::parent_path(runtime).str()); // the Python package has libtbb there
  for (StringRef name : {"libtbb.so.12", "libstdc++.so.6", "libm.so.6", "libgcc_s.so.1",
                         "libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"})
    if (std::string path = findFile(folders, name); !path.empty())
      arguments.push_back(path);
  llvm::append_range(arguments, after);
  if (Error error = runLinker(arguments))
    return error;
  return output->read(linked);
}

} // namespace

/// For the user: "error: ...".
static Error asMessage(Error error) {
  return error ? createStringError("error: " + toString(std::move(error))) : Error::success();
}

/// True if the object calls the runtime, so that it matters which context it runs with.
static Expected<bool> callsRuntime(ArrayRef<char> object) {
  MemoryBufferRef buffer(StringRef(object.data(), object.size()), "");
  Expected<std::unique_ptr<object::ObjectFile>> file =
      object::ObjectFile::createELFObjectFile(buffer);
  if (!file)
    return file.takeError();
  for (const object::SymbolRef &symbol : (*file)->symbols()) {
    Expected<StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    if (name->starts_with("hlort_"))
      return true;
  }
  return false;
}

Error linkShared(ArrayRef<char> object, SmallVectorImpl<char> &library) {
  Expected<bool> usesContext = callsRuntime(object);
  if (!usesContext)
    return asMessage(usesContext.takeError());
  // The runtime's own destructors run at the end of the process: the library is never unloaded.
  std::vector<std::string> options = {"-shared", "-z",       "defs",
                                      "-z",      "nodelete", "--defsym=__dso_handle=0"};
  if (*usesContext) // hosts create one with the library's own functions
    for (StringRef function : {"hlort_context_create", "hlort_context_destroy",
                               "hlort_context_threads", "hlort_context_add_threads"})
      options.push_back(("--undefined=" + function).str());
  return asMessage(linkWithRuntime(object, options, {}, {}, library));
}

Error linkProgram(ArrayRef<char> object, SmallVectorImpl<char> &program) {
  std::vector<std::string> folders = systemFolders();
  std::string start = findFile(folders, "Scrt1.o"), prologue = findFile(folders, "crti.o"),
              epilogue = findFile(folders, "crtn.o"), loader;
  for (StringRef name : {"ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"})
    if (loader.empty())
      loader = findFile({"/lib64", "/lib"}, name);
  if (start.empty() || prologue.empty() || epilogue.empty() || loader.empty())
    return createStringError(
        "error: a program needs the C library's start files Scrt1.o, crti.o and crtn.o "
        "(Debian's package libc6-dev)");
  return asMessage(linkWithRuntime(object, {"-pie", "--eh-frame-hdr", "-dynamic-linker", loader},
                                   {start, prologue}, {epilogue}, program));
}

} // namespace hloc
