// SPDX-License-Identifier: Apache-2.0
#include "codegen/Link.h"
#include "lld/Common/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

LLD_HAS_DRIVER(elf)

namespace hloc {

llvm::Error runLinker(llvm::ArrayRef<std::string> arguments) {
  // LLD keeps its state in globals.
  static std::mutex lock;
  std::lock_guard<std::mutex> guard(lock);
  llvm::SmallVector<const char *> raw{"ld.lld"};
  for (const std::string &argument : arguments)
    raw.push_back(argument.c_str());
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  lld::Result done = lld::lldMain(raw, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (done.retCode != 0)
    return llvm::createStringError("linking failed: " + messages);
  return llvm::Error::success();
}

namespace {
/// Files that vanish with this object.
class ScratchFiles {
public:
  ~ScratchFiles() {
    for (const std::string &path : paths)
      llvm::sys::fs::remove(path);
  }
  llvm::Expected<std::string> make(llvm::ArrayRef<char> contents) {
    llvm::SmallString<128> path;
    int descriptor;
    if (std::error_code error = llvm::sys::fs::createTemporaryFile("hloc", "o", descriptor, path))
      return llvm::createStringError("cannot make a temporary file: " + error.message());
    paths.push_back(path.str().str());
    llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
    stream.write(contents.data(), contents.size());
    stream.close();
    if (stream.has_error()) {
      std::string message = stream.error().message();
      stream.clear_error();
      return llvm::createStringError("cannot write " + paths.back() + ": " + message);
    }
    return paths.back();
  }

private:
  std::vector<std::string> paths;
};
} // namespace

llvm::Error linkObjects(llvm::ArrayRef<llvm::ArrayRef<char>> objects, llvm::SmallVectorImpl<char> &output) {
  ScratchFiles files;
  std::vector<std::string> arguments{"-r"};
  for (llvm::ArrayRef<char> object : objects) {
    llvm::Expected<std::string> path = files.make(object);
    if (!path)
      return path.takeError();
    arguments.push_back(*path);
  }
  llvm::Expected<std::string> linked = files.make({});
  if (!linked)
    return linked.takeError();
  arguments.insert(arguments.end(), {"-o", *linked});
  if (llvm::Error error = runLinker(arguments))
    return error;
  auto buffer = llvm::MemoryBuffer::getFile(*linked, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return llvm::createStringError("cannot read " + *linked + ": " + buffer.getError().message());
  output.assign((*buffer)->getBufferStart(), (*buffer)->getBufferEnd());
  return llvm::Error::success();
}

} // namespace hloc
