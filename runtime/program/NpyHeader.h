// SPDX-License-Identifier: Apache-2.0
// The header of .npy files, NumPy's form of arrays. The compiler's tools read and write them by
// this too. Test: test/driver/NpyTest.cpp.
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
  /// Where the elements begin.
  size_t dataOffset = 0;
};

/// Reads the header at the start of a file; nothing if there is none.
std::optional<NpyHeader> readNpyHeader(std::string_view file);

/// The bytes before the elements of a row-major array of `type`.
std::string makeNpyHeader(const std::string &type, const std::vector<int64_t> &shape);

/// "2,3"
std::string joinSizes(const std::vector<int64_t> &shape);

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_PROGRAM_NPYHEADER_H
