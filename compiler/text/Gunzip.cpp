// SPDX-License-Identifier: Apache-2.0
#include "compiler/text/Gunzip.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include <limits>
#include <zlib.h>

using namespace llvm;

namespace hloc {

/// inflateInit2's argument for the largest window and a gzip header.
static constexpr int kGzipWindow = 15 + 16;

Expected<std::unique_ptr<MemoryBuffer>> gunzip(MemoryBufferRef file, uint64_t maxBytes) {
  StringRef rest = file.getBuffer();
  z_stream stream = {};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK)
    return createStringError("no memory to unpack it");
  scope_exit end([&] { inflateEnd(&stream); });
  auto damaged = [&](const Twine &why) {
    return createStringError("damaged gzip data at byte " +
                             Twine(file.getBufferSize() - rest.size()) + ": " + why);
  };
  SmallVector<char, 0> text;
  constexpr uInt kChunk = 1 << 18; // zlib counts in 32 bits
  while (!rest.empty()) {
    if (!isGzip(rest))
      return damaged("expected another gzip member or the end of the file");
    for (int status = Z_OK; status != Z_STREAM_END;) {
      size_t before = text.size();
      if (before > maxBytes)
        return createStringError("unpacks to more than " + Twine(maxBytes) + " bytes");
      text.resize_for_overwrite(before + kChunk);
      uInt given = std::min<size_t>(rest.size(), std::numeric_limits<uInt>::max());
      stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(rest.data()));
      stream.avail_in = given;
      stream.next_out = reinterpret_cast<Bytef *>(text.data() + before);
      stream.avail_out = kChunk;
      status = inflate(&stream, Z_NO_FLUSH);
      text.truncate(before + kChunk - stream.avail_out);
      rest = rest.drop_front(given - stream.avail_in);
      bool isStuck = status == Z_BUF_ERROR || (status == Z_OK && rest.empty() && stream.avail_out);
      if (isStuck)
        return createStringError("the gzip data is cut off after " + Twine(file.getBufferSize()) +
                                 " bytes");
      if (status != Z_OK && status != Z_STREAM_END)
        return damaged(stream.msg ? stream.msg : "not what gzip writes");
    }
    if (inflateReset(&stream) != Z_OK)
      return createStringError("no memory to unpack it");
  }
  if (text.size() > maxBytes)
    return createStringError("unpacks to more than " + Twine(maxBytes) + " bytes");
  return std::make_unique<SmallVectorMemoryBuffer>(std::move(text), file.getBufferIdentifier());
}

} // namespace hloc
