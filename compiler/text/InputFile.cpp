// SPDX-License-Identifier: Apache-2.0
#include "compiler/text/InputFile.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include <unistd.h>

using namespace llvm;
using namespace llvm::sys;

namespace hloc {

/// All that a pipe, a terminal or an empty device has.
static Expected<std::unique_ptr<MemoryBuffer>> readStream(fs::file_t file, StringRef name,
                                                          fs::file_type type) {
  bool isDevice =
      type == fs::file_type::block_file || (type == fs::file_type::character_file && !isatty(file));
  SmallVector<char, 0> contents;
  constexpr size_t kChunk = 1 << 16;
  while (true) {
    size_t size = contents.size();
    contents.resize_for_overwrite(size + kChunk);
    Expected<size_t> read =
        fs::readNativeFile(file, MutableArrayRef(contents.data() + size, kChunk));
    if (!read)
      return read.takeError();
    contents.resize(size + *read);
    if (*read == 0)
      break;
    if (isDevice)
      return createStringError("it is a device, expected a file");
    if (contents.size() > kMaxStreamBytes)
      return createStringError("a stream of more than " + Twine(kMaxStreamBytes >> 30) +
                               " GiB, expected a file");
  }
  return MemoryBuffer::getMemBufferCopy(StringRef(contents.data(), contents.size()), name);
}

Expected<std::unique_ptr<MemoryBuffer>> readInputFile(StringRef path, bool isText) {
  bool isInput = path == "-";
  StringRef name = isInput ? "<stdin>" : path;
  fs::file_t file = fs::getStdinHandle();
  if (!isInput) {
    Expected<fs::file_t> opened = fs::openNativeFileForRead(path);
    if (!opened)
      return opened.takeError();
    file = *opened;
  }
  scope_exit close([&] {
    if (!isInput)
      fs::closeFile(file);
  });
  fs::file_status status;
  if (std::error_code error = fs::status(file, status))
    return errorCodeToError(error);
  if (status.type() == fs::file_type::directory_file)
    return errorCodeToError(std::make_error_code(std::errc::is_a_directory));
  // Standard input may have been read in part.
  if (isInput || status.type() != fs::file_type::regular_file || status.getSize() == 0)
    return readStream(file, name, status.type());
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getOpenFile(file, name, status.getSize(), /*RequiresNullTerminator=*/isText);
  if (!buffer)
    return errorCodeToError(buffer.getError());
  return std::move(*buffer);
}

} // namespace hloc
