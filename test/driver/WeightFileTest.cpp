// SPDX-License-Identifier: Apache-2.0
// Files of weights: their contents, and damaged files. (Files written by other programs:
// test/tools/bind.test.)
#include "compiler/driver/weights/WeightFile.h"
#include "llvm/Support/Endian.h"
#include <zlib.h>

#include <gtest/gtest.h>

using namespace llvm;
using namespace hloc;

namespace {

std::string little(uint64_t value, unsigned bytes) {
  std::string text;
  for (unsigned i = 0; i < bytes; ++i)
    text += char(value >> 8 * i);
  return text;
}

OpenedWeights openBytes(StringRef bytes) {
  return WeightFile::open(MemoryBuffer::getMemBufferCopy(bytes, "weights"));
}

/// What is wrong with a file, without its name; empty if nothing is, not even with its arrays.
std::string findFault(StringRef bytes) {
  OpenedWeights opened = openBytes(bytes);
  Error error = opened.takeError();
  for (size_t i = 0; !error && i < (*opened)->getArrays().size(); ++i) {
    Expected<StoredBytes> read = (*opened)->read(i);
    if (!read) {
      error = read.takeError();
      break;
    }
    volatile char sum = 0; // all that it says is there must be
    for (char byte : read->bytes)
      sum = sum + byte;
  }
  std::string text = toString(std::move(error));
  return text.empty() ? text : text.substr(text.find("error: ") + 7);
}

std::string makeSafetensors(StringRef header, size_t data) {
  return little(header.size(), 8) + header.str() + std::string(data, 'x');
}

const std::string safetensors = makeSafetensors(
    R"({"__metadata__":{"a":"b"},"w":{"dtype":"F32","shape":[2,3],"data_offsets":[4,28]},)"
    R"("b":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]},)"
    R"("n":{"dtype":"I8","shape":[0,7],"data_offsets":[9,9]}})",
    28);

std::string makeNpy(StringRef type, StringRef shape, size_t data) {
  std::string text =
      ("{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }").str();
  return "\x93NUMPY" + little(1, 2) + little(text.size(), 2) + text + std::string(data, 'x');
}

/// An archive of one file, whose sizes are in 64 bits if `large`.
std::string makeNpz(StringRef name, const std::string &file, bool packed, bool large = false) {
  std::string data = file;
  if (packed) {
    z_stream stream = {};
    EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    data.resize(deflateBound(&stream, file.size()));
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(file.data()));
    stream.avail_in = file.size();
    stream.next_out = reinterpret_cast<Bytef *>(data.data());
    stream.avail_out = data.size();
    EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    data.resize(stream.total_out);
    deflateEnd(&stream);
  }
  uint64_t crc = crc32_z(0, reinterpret_cast<const Bytef *>(file.data()), file.size());
  uint32_t size = large ? ~0u : file.size(), packedSize = large ? ~0u : data.size();
  std::string extra =
      large ? little(1, 2) + little(16, 2) + little(file.size(), 8) + little(data.size(), 8) : "";
  std::string about = little(20, 2) + little(0, 2) + little(packed ? 8 : 0, 2) + little(0, 4) +
                      little(crc, 4) + little(packedSize, 4) + little(size, 4) +
                      little(name.size(), 2) + little(extra.size(), 2);
  std::string out = little(0x04034b50, 4) + about + name.str() + extra + data;
  uint64_t directory = out.size();
  out += little(0x02014b50, 4) + little(20, 2) + about + little(0, 6) + little(0, 4) +
         little(0, 4) + name.str() + extra;
  uint64_t directoryBytes = out.size() - directory;
  if (large) {
    uint64_t end = out.size();
    out += little(0x06064b50, 4) + little(44, 8) + little(0, 12) + little(1, 8) + little(1, 8) +
           little(directoryBytes, 8) + little(directory, 8);
    out += little(0x07064b50, 4) + little(0, 4) + little(end, 8) + little(1, 4);
  }
  return out + little(0x06054b50, 4) + little(0, 4) + little(1, 2) + little(1, 2) +
         little(directoryBytes, 4) + little(large ? ~0u : directory, 4) + little(0, 2);
}

std::string makeGguf(uint32_t type, uint64_t inner, uint64_t outer, size_t data) {
  auto text = [](StringRef string) { return little(string.size(), 8) + string.str(); };
  std::string out = "GGUF" + little(3, 4) + little(1, 8) + little(2, 8);
  out += text("general.alignment") + little(4, 4) + little(64, 4);
  out += text("names") + little(9, 4) + little(8, 4) + little(2, 8) + text("a") + text("bc");
  out += text("w") + little(2, 4) + little(inner, 8) + little(outer, 8) + little(type, 4) +
         little(0, 8);
  out.resize((out.size() + 63) / 64 * 64);
  return out + std::string(data, '\1');
}

const std::vector<std::string> files = {safetensors,
                                        makeNpy("<f4", "2, 3", 24),
                                        makeNpz("w.npy", makeNpy("<f4", "2, 3", 24), false),
                                        makeNpz("w.npy", makeNpy("<f4", "2, 3", 24), true),
                                        makeNpz("w.npy", makeNpy("<f4", "2, 3", 24), true, true),
                                        makeGguf(0, 3, 2, 24),
                                        makeGguf(8, 32, 2, 68)};

TEST(WeightFile, KnowsItsArrays) {
  for (const std::string &file : files)
    EXPECT_EQ(findFault(file), "");
  OpenedWeights opened = openBytes(safetensors);
  ASSERT_TRUE(bool(opened));
  std::vector<std::string> names;
  for (const StoredArray &array : (*opened)->getArrays())
    names.push_back(array.name + " " + array.type + " " + std::to_string(array.shape.size()));
  llvm::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"b bf16 1", "n s8 2", "w f32 2"}));
}

TEST(WeightFile, LargeAndPackedArchivesAreTheSame) {
  for (bool packed : {false, true})
    for (bool large : {false, true}) {
      OpenedWeights opened = openBytes(makeNpz("w.npy", makeNpy("<f4", "2, 3", 24), packed, large));
      ASSERT_TRUE(bool(opened));
      ASSERT_EQ((*opened)->getArrays().size(), 1u);
      const StoredArray &array = (*opened)->getArrays()[0];
      EXPECT_EQ(array.name, "w");
      EXPECT_EQ(array.type, "f32");
      EXPECT_EQ(array.shape, (std::vector<int64_t>{2, 3}));
      Expected<StoredBytes> read = (*opened)->read(0);
      ASSERT_TRUE(bool(read));
      EXPECT_EQ(StringRef(read->bytes.data(), read->bytes.size()), std::string(24, 'x'));
    }
}

TEST(WeightFile, BlocksOfEightBitsAreNumbers) {
  OpenedWeights opened = openBytes(makeGguf(8, 32, 2, 68)); // a scale of 0x0101, all ones
  ASSERT_TRUE(bool(opened));
  EXPECT_EQ((*opened)->getArrays()[0].shape, (std::vector<int64_t>{2, 32}));
  Expected<StoredBytes> read = (*opened)->read(0);
  ASSERT_TRUE(bool(read));
  ASSERT_EQ(read->bytes.size(), 256u);
  float scale = 257.0f / (1 << 24); // a subnormal f16
  for (size_t i = 0; i < 64; ++i)
    EXPECT_EQ(bit_cast<float>(support::endian::read32le(read->bytes.data() + 4 * i)), scale);
}

TEST(WeightFile, IsRefusedWhereverItEnds) {
  for (const std::string &file : files)
    for (size_t size = 0; size < file.size(); ++size)
      EXPECT_NE(findFault(StringRef(file).take_front(size)), "") << "after " << size << " bytes";
}

// Whatever a byte becomes, the file is read or refused.
TEST(WeightFile, SurvivesOtherBytes) {
  for (const std::string &file : files)
    for (size_t at = 0; at < file.size(); ++at)
      for (int value : {0, 1, 0x7f, 0x80, 0xff, int(uint8_t(file[at] + 1))}) {
        std::string other = file;
        other[at] = char(value);
        (void)findFault(other);
      }
}

TEST(WeightFile, SaysWhatIsWrong) {
  auto expect = [](StringRef file, StringRef fault) {
    EXPECT_TRUE(StringRef(findFault(file)).contains(fault)) << findFault(file);
  };
  auto header = [](StringRef text) { return makeSafetensors(text, 8); };
  expect("", "is no file of weights, expected .safetensors, .npz, .npy or .gguf");
  expect("\x89HDF\r\n", "is an HDF5 file (.h5), expected");
  expect(little(1000, 8) + "{}", "its header takes 1000 bytes, but only 2 follow");
  expect(header("{\"w\": "), "its header is not JSON: ");
  expect(header("{" + std::string(1000, '[') + "}"), "its header is not a list of arrays");
  expect(header(R"({"w":{"dtype":"F32"}})"), "'w': expected a dtype, a shape and two data_offsets");
  expect(header(R"({"w":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})"),
         "expected sizes of 0 and more");
  expect(header(R"({"w":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})"),
         "expected data_offsets in order and within the 8 bytes");
  expect(header(R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[8,4]}})"),
         "expected data_offsets in order");
  expect(header(R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}})"),
         "hold 8 bytes, which is not what its shape and dtype take");
  expect(header(R"({"w":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}})"),
         "hold 0 bytes, which is not");
  expect(
      header(
          R"({"a":{"dtype":"U8","shape":[5],"data_offsets":[0,5]},"b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})"),
      "the data of 'a' and 'b' overlap");
  expect(makeNpy(">f4", "1,", 4), "holds big-endian numbers");
  expect(makeNpy("|O", "1,", 8), "holds 'O', expected numbers");
  expect(makeNpy("<f4", "9223372036854775807, 2", 4), "its shape is too large");
  expect(makeNpy("<f4", "2,", 4), "has 4 bytes of data, expected 8");
  expect(makeNpz("w.txt", "text", false), "'w.txt' is no .npy file");
  expect(makeNpz("model/data.pkl", "text", false), "is a PyTorch file (a pickle)");
  expect(makeGguf(0, 3, 2, 20), "the data of 'w' are not all in the file");
  expect(makeGguf(8, 16, 2, 34), "'w' is Q8_0, but its rows are no multiple of 32");
  std::string damaged = makeNpz("w.npy", makeNpy("<f4", "512,", 2048), true);
  damaged[14] = char(damaged[14] + 1); // the checksum of the file itself, which nobody reads
  EXPECT_EQ(findFault(damaged), "");
  size_t directory = damaged.rfind("PK\x01\x02");
  damaged[directory + 16] = char(damaged[directory + 16] + 1);
  expect(damaged, "'w.npy' is damaged: its checksum is another one");
}

} // namespace
