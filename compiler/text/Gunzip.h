// SPDX-License-Identifier: Apache-2.0
// Reading files that gzip has compressed. Test: test/text/GunzipTest.cpp.

#ifndef HLOC_COMPILER_TEXT_GUNZIP_H
#define HLOC_COMPILER_TEXT_GUNZIP_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace hloc {

/// The maximum size of unpacked files: a larger one is not a program but a mistake, or an attempt
/// to fill memory.
constexpr uint64_t kMaxUnpackedBytes = uint64_t(1) << 32;

/// True if these are the first bytes of a gzip file.
inline bool isGzip(llvm::StringRef bytes) { return bytes.starts_with("\x1f\x8b"); }

/// The contents of a gzip file, of all its members one after the other, with a NUL byte appended.
/// An error that says what is wrong if it is truncated, damaged, or unpacks to more than
/// `maxBytes`.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> gunzip(llvm::MemoryBufferRef file,
                                                           uint64_t maxBytes = kMaxUnpackedBytes);

} // namespace hloc

#endif
