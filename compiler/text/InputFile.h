// SPDX-License-Identifier: Apache-2.0
// Reads the files that a user names. Test: test/tools/devices.test.

#ifndef HLOC_COMPILER_TEXT_INPUTFILE_H
#define HLOC_COMPILER_TEXT_INPUTFILE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace hloc {

/// The most bytes that are read from a pipe or a terminal. Files have no limit.
inline constexpr uint64_t kMaxStreamBytes = uint64_t(4) << 30;

/// Reads the file, or standard input if `path` is `-`. A device that might never end, such as
/// /dev/zero, is refused. `isText` asks for a zero byte after the contents. An error is the reason
/// alone, without the file's name.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readInputFile(llvm::StringRef path,
                                                                  bool isText = true);

} // namespace hloc

#endif
