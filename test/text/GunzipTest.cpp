// SPDX-License-Identifier: Apache-2.0
#include "compiler/text/Gunzip.h"
#include "mlir/Support/LLVM.h"
#include <gtest/gtest.h>
#include <zlib.h>

using namespace hloc;

namespace {

/// One member of a gzip file.
std::string pack(const std::string &text) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
            Z_OK);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(text.data()));
  stream.avail_in = text.size();
  stream.next_out = reinterpret_cast<Bytef *>(packed.data());
  stream.avail_out = packed.size();
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// The text, or "error: " and what is wrong.
std::string unpack(const std::string &packed, uint64_t maxBytes = kMaxUnpackedBytes) {
  auto buffer = gunzip(llvm::MemoryBufferRef(packed, "x.gz"), maxBytes);
  if (!buffer)
    return "error: " + llvm::toString(buffer.takeError());
  EXPECT_EQ((*buffer)->getBufferIdentifier(), "x.gz");
  EXPECT_EQ(*(*buffer)->getBufferEnd(), '\0');
  return (*buffer)->getBuffer().str();
}

TEST(Gunzip, AnySize) {
  for (size_t size : {0, 1, 1000, (1 << 18) - 1, 1 << 18, (1 << 18) + 1, 1 << 20}) {
    std::string text(size, 'x');
    for (size_t i = 0; i < size; i += 7)
      text[i] = char(i * 2654435761u >> 24);
    EXPECT_EQ(unpack(pack(text)), text) << size;
  }
}

TEST(Gunzip, SeveralMembers) {
  EXPECT_EQ(unpack(pack("one ") + pack("") + pack("two")), "one two");
}

TEST(Gunzip, NoMoreThanAllowed) {
  std::string packed = pack(std::string(1 << 24, ' '));
  EXPECT_LT(packed.size(), 1u << 15);
  EXPECT_EQ(unpack(packed, 1 << 24).size(), 1u << 24);
  EXPECT_EQ(unpack(packed, (1 << 24) - 1), "error: unpacks to more than 16777215 bytes");
  EXPECT_EQ(unpack(packed, 10), "error: unpacks to more than 10 bytes");
}

TEST(Gunzip, CutOffAnywhere) {
  std::string packed = pack("a module of some length, with words in it");
  for (size_t size = 2; size < packed.size(); ++size)
    EXPECT_EQ(unpack(packed.substr(0, size)),
              "error: the gzip data is cut off after " + std::to_string(size) + " bytes");
}

/// Whatever byte is another one, there is an answer, and never a wrong text: it has a checksum.
TEST(Gunzip, DamagedAnywhere) {
  std::string text = "a module of some length, with words in it", packed = pack(text);
  for (size_t at = 2; at < packed.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = packed;
      damaged[at] ^= char(1 << bit);
      std::string result = unpack(damaged);
      EXPECT_TRUE(result == text || result.starts_with("error: ")) << at;
    }
}

} // namespace
