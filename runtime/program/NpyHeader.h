// SPDX-License-Identifier: Apache-2.0
// The header of .npy files, NumPy's format of arrays. The compiler's tools use it too. Test:
// test/driver/NpyTest.cpp.
#ifndef HLOC_RUNTIME_PROGRAM_NPYHEADER_H
#define HLOC_RUNTIME_PROGRAM_NPYHEADER_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hloc::runtime {

struct NpyHeader {
  /// Kind and bytes, such as "f4"; big-endian types keep their '>'.
  std::string type;
  std::vector<int64_t> shape;
  bool columnMajor = false;
  /// The offset of the elements.
  size_t dataOffset = 0;
};

/// Reads the header at the start of a file; nothing if there is none.
std::optional<NpyHeader> readNpyHeader(std::string_view file);

/// The header of a file for a row-major array of `type`.
std::string makeNpyHeader(const std::string &type, const std::vector<int64_t> &shape);

/// "2,3"
std::string joinSizes(const std::vector<int64_t> &shape);

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_PROGRAM_NPYHEADER_H
