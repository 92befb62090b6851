// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/weights/WeightFile.h"
#include "compiler/text/InputFile.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace hloc {

std::optional<uint64_t> countBytes(ArrayRef<int64_t> shape, uint64_t elementBytes) {
  std::optional<int64_t> bytes = int64_t(elementBytes);
  bool isEmpty = is_contained(shape, 0);
  for (int64_t size : shape) {
    if (size < 0)
      return std::nullopt;
    bytes = checkedMul(*bytes, isEmpty ? 0 : size);
    if (!bytes)
      return std::nullopt;
  }
  return *bytes;
}

/// Other formats that people might take for weights, by the first bytes.
static StringRef findForeignForm(StringRef data) {
  if (data.starts_with("\x89HDF"))
    return "an HDF5 file (.h5)";
  if (data.starts_with("\x80\x02") || data.starts_with("\x80\x04"))
    return "a pickle (PyTorch, Python)";
  if (data.starts_with("HloModule"))
    return "a module";
  return "";
}

Expected<std::shared_ptr<WeightFile>> WeightFile::open(StringRef path) {
  Expected<std::unique_ptr<MemoryBuffer>> buffer = readInputFile(path, /*isText=*/false);
  if (!buffer)
    return createStringError(path + ": error: " + toString(buffer.takeError()));
  return open(std::move(*buffer));
}

Expected<std::shared_ptr<WeightFile>> WeightFile::open(std::unique_ptr<MemoryBuffer> contents) {
  StringRef data = contents->getBuffer(), path = contents->getBufferIdentifier();
  if (data.starts_with("\x93NUMPY"))
    return openNpy(std::move(contents));
  if (data.starts_with("PK\x03\x04") || data.starts_with("PK\x05\x06"))
    return openNpz(std::move(contents));
  if (data.starts_with("GGUF"))
    return openGguf(std::move(contents));
  if (path.ends_with(".safetensors") || (data.size() > 8 && data[8] == '{'))
    return openSafetensors(std::move(contents));
  StringRef form = findForeignForm(data);
  return createStringError(path + ": error: is " + (form.empty() ? "no file of weights" : form) +
                           ", expected .safetensors, .npz, .npy or .gguf");
}

} // namespace hloc
