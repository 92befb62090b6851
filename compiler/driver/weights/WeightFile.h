// SPDX-License-Identifier: Apache-2.0
// Files of named arrays, such as trained weights: safetensors, .npz, .npy and GGUF. Files are
// mapped, and arrays are read in place unless they are compressed. The structure of a file is
// checked when it is opened. Test: test/driver/WeightFileTest.cpp.

#ifndef HLOC_COMPILER_DRIVER_WEIGHTS_WEIGHTFILE_H
#define HLOC_COMPILER_DRIVER_WEIGHTS_WEIGHTFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>
#include <vector>

namespace hloc {

/// An array as described by its file.
struct StoredArray {
  /// Empty if the file has one array and no names.
  std::string name;
  /// HLO's name of the element type, such as `f32`, or the file's name if HLO has none, which is
  /// never a name of HLO's.
  std::string type;
  std::vector<int64_t> shape;
};

/// Elements, row-major and little-endian, at least a byte each; and the owner of their memory.
struct StoredBytes {
  llvm::ArrayRef<char> bytes;
  std::shared_ptr<const void> owner;
};

class WeightFile {
public:
  /// Opens a file; its first bytes determine the format. Errors read "FILE: error: ...".
  static llvm::Expected<std::shared_ptr<WeightFile>> open(llvm::StringRef path);
  /// The same for a file's contents; the buffer has its name.
  static llvm::Expected<std::shared_ptr<WeightFile>>
  open(std::unique_ptr<llvm::MemoryBuffer> contents);
  virtual ~WeightFile() = default;

  llvm::StringRef getPath() const { return path; }
  llvm::ArrayRef<StoredArray> getArrays() const { return arrays; }
  /// The elements of an array. Errors as above.
  virtual llvm::Expected<StoredBytes> read(size_t array) = 0;

protected:
  explicit WeightFile(std::unique_ptr<llvm::MemoryBuffer> contents)
      : contents(std::move(contents)), path(this->contents->getBufferIdentifier()) {}

  /// Bytes of the file from `offset` on.
  StoredBytes slice(uint64_t offset, uint64_t size) const {
    return {llvm::ArrayRef(contents->getBufferStart() + offset, size), contents};
  }
  llvm::Error fault(const llvm::Twine &message) const {
    return llvm::createStringError(path + ": error: " + message);
  }

  std::shared_ptr<llvm::MemoryBuffer> contents;
  std::string path;
  std::vector<StoredArray> arrays;
};

// One per format. All but the first expect a file that begins with the signature of its format.
using OpenedWeights = llvm::Expected<std::shared_ptr<WeightFile>>;
OpenedWeights openSafetensors(std::unique_ptr<llvm::MemoryBuffer> contents);
OpenedWeights openNpy(std::unique_ptr<llvm::MemoryBuffer> contents);
OpenedWeights openNpz(std::unique_ptr<llvm::MemoryBuffer> contents);
OpenedWeights openGguf(std::unique_ptr<llvm::MemoryBuffer> contents);

/// Bytes of an array with elements of `elementBytes`; nothing if a size is negative or the number
/// does not fit into 63 bits.
std::optional<uint64_t> countBytes(llvm::ArrayRef<int64_t> shape, uint64_t elementBytes);

} // namespace hloc

#endif
