// SPDX-License-Identifier: Apache-2.0
#include "codegen/object/ScratchFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace hloc {

ScratchFile::~ScratchFile() {
  if (path.empty())
    return;
  sys::fs::remove(path);
  sys::DontRemoveFileOnSignal(path);
}

Expected<ScratchFile> ScratchFile::create(StringRef ending, ArrayRef<char> contents) {
  SmallString<128> path;
  int descriptor;
  if (std::error_code error = sys::fs::createTemporaryFile("hloc", ending, descriptor, path))
    return createStringError("cannot create a temporary file: " + error.message());
  ScratchFile file;
  file.path = std::string(path);
  sys::RemoveFileOnSignal(path);
  raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream.write(contents.data(), contents.size());
  stream.close();
  if (stream.has_error()) {
    std::string why = stream.error().message();
    stream.clear_error();
    return createStringError("cannot write " + file.path + ": " + why);
  }
  return file;
}

Error ScratchFile::read(SmallVectorImpl<char> &contents) const {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError("cannot read " + path + ": " + buffer.getError().message());
  contents.assign((*buffer)->getBufferStart(), (*buffer)->getBufferEnd());
  return Error::success();
}

} // namespace hloc
