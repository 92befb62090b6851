// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/LinkRuntime.h"
#include "codegen/Link.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace hloc {

namespace {

/// The first of these folders that has the file, with it; empty if none has.
std::string findFile(ArrayRef<std::string> folders, StringRef name) {
  for (StringRef folder : folders) {
    SmallString<128> path(folder);
    sys::path::append(path, name);
    if (sys::fs::exists(path))
      return std::string(path);
  }
  return {};
}

/// Where the system's libraries may be.
std::vector<std::string> systemFolders() {
  Triple host(sys::getProcessTriple());
  std::string multiarch = (host.getArchName() + "-linux-gnu").str();
  return {"/lib/" + multiarch, "/usr/lib/" + multiarch, "/lib64", "/usr/lib64", "/lib", "/usr/lib"};
}

/// The runtime's archive, beside this program.
std::string findRuntime() {
  std::string program = sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&findRuntime));
  SmallString<128> top(sys::path::parent_path(sys::path::parent_path(program)));
  std::vector<std::string> folders;
  for (StringRef library : {"lib", "lib64"})
    folders.push_back((top + "/" + library).str());
  folders.push_back(folders[0] + "/" + (Triple(sys::getProcessTriple()).getArchName() + "-linux-gnu").str());
  return findFile(folders, "libhlort.a");
}

/// A file that vanishes with this object.
struct ScratchFile {
  SmallString<128> path;
  int descriptor = -1;

  Error create(StringRef ending) {
    if (std::error_code error = sys::fs::createTemporaryFile("hloc", ending, descriptor, path))
      return createStringError("error: cannot make a temporary file: " + error.message());
    return Error::success();
  }
  ~ScratchFile() {
    if (!path.empty())
      sys::fs::remove(path);
  }
};

/// Links `object` with the runtime and the system's libraries: the linker's `options`, then files
/// before and after them.
Error linkWithRuntime(ArrayRef<char> object, ArrayRef<std::string> options, ArrayRef<std::string> before,
                      ArrayRef<std::string> after, SmallVectorImpl<char> &linked) {
  std::string runtime = findRuntime();
  if (runtime.empty())
    return createStringError("error: libhlort.a is not in ../lib beside hloc");
  ScratchFile input, output;
  if (Error error = input.create("o"))
    return error;
  if (Error error = output.create("out"))
    return error;
  {
    raw_fd_ostream stream(input.descriptor, /*shouldClose=*/true);
    stream.write(object.data(), object.size());
    stream.close();
    if (stream.has_error()) {
      std::string why = stream.error().message();
      stream.clear_error();
      return createStringError("error: cannot write " + input.path + ": " + why);
    }
    raw_fd_ostream(output.descriptor, /*shouldClose=*/true);
  }
  std::vector<std::string> arguments = {"-o", std::string(output.path), "--gc-sections"};
  llvm::append_range(arguments, options);
  llvm::append_range(arguments, before);
  arguments.insert(arguments.end(), {std::string(input.path), runtime, "--as-needed"});
  for (StringRef name : {"libtbb.so.12", "libstdc++.so.6", "libm.so.6", "libgcc_s.so.1", "libc.so.6",
                         "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"})
    if (std::string path = findFile(systemFolders(), name); !path.empty())
      arguments.push_back(path);
  llvm::append_range(arguments, after);
  if (Error error = runLinker(arguments))
    return error;
  auto buffer = MemoryBuffer::getFile(output.path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError("error: cannot read " + output.path + ": " + buffer.getError().message());
  linked.assign((*buffer)->getBufferStart(), (*buffer)->getBufferEnd());
  return Error::success();
}

} // namespace

Error linkShared(ArrayRef<char> object, SmallVectorImpl<char> &library) {
  // The runtime's own destructors run at the end of the process: the library is never unloaded.
  return linkWithRuntime(object, {"-shared", "-z", "defs", "-z", "nodelete", "--defsym=__dso_handle=0"}, {}, {}, library);
}

Error linkProgram(ArrayRef<char> object, SmallVectorImpl<char> &program) {
  std::vector<std::string> folders = systemFolders();
  std::string start = findFile(folders, "Scrt1.o"), prologue = findFile(folders, "crti.o"),
              epilogue = findFile(folders, "crtn.o"), loader;
  for (StringRef name : {"ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"})
    if (loader.empty())
      loader = findFile({"/lib64", "/lib"}, name);
  if (start.empty() || prologue.empty() || epilogue.empty() || loader.empty())
    return createStringError("error: a program needs the C library's start files Scrt1.o, crti.o and crtn.o "
                             "(Debian's package libc6-dev)");
  return linkWithRuntime(object, {"-pie", "--eh-frame-hdr", "-dynamic-linker", loader}, {start, prologue}, {epilogue}, program);
}

} // namespace hloc
