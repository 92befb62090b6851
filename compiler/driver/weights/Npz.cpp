// SPDX-License-Identifier: Apache-2.0
// NumPy's format for several arrays: a zip archive of .npy files, stored (numpy.savez) or deflated
// (savez_compressed).
#include "compiler/driver/weights/NpyWeights.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"
#include <limits>
#include <zlib.h>

using namespace llvm;
using namespace llvm::support::endian;

namespace hloc {

namespace {

// The records of a zip archive (APPNOTE.TXT of PKWARE), by their signatures.
constexpr uint32_t kFileRecord = 0x04034b50, kDirectoryRecord = 0x02014b50, kEndRecord = 0x06054b50,
                   kEndRecord64 = 0x06064b50, kEndLocator64 = 0x07064b50;
constexpr size_t kFileRecordBytes = 30, kDirectoryRecordBytes = 46, kEndRecordBytes = 22,
                 kEndRecord64Bytes = 56, kEndLocator64Bytes = 20;
constexpr uint16_t kStored = 0, kDeflated = 8, kExtra64 = 1;
constexpr uint32_t kIn64 = 0xffffffff; // placeholder for a number in the 64-bit part
/// How much of a deflated file is unpacked to read its header, whose length is 16 bits in NumPy.
constexpr size_t kHeaderBytes = 1 << 17;

/// A file in the archive.
struct Member {
  uint16_t method = 0;
  uint32_t crc = 0;
  uint64_t packed = 0, size = 0, record = 0;
  uint64_t start = 0; ///< offset of its bytes
  uint64_t dataOffset = 0, dataBytes = 0;
};

class NpzFile : public WeightFile {
public:
  explicit NpzFile(std::unique_ptr<MemoryBuffer> contents)
      : WeightFile(std::move(contents)), data(this->contents->getBuffer()) {}

  Error load();
  Expected<StoredBytes> read(size_t array) override;

private:
  Error damaged(const Twine &why) const { return fault("is no whole zip archive: " + why); }
  Error findDirectory(uint64_t &offset, uint64_t &count) const;
  Error readDirectory(uint64_t offset, uint64_t count);
  static bool readExtra64(StringRef extra, Member &member);
  Error addMember(StringRef name, Member member);
  Expected<std::string> unpack(const Member &member, uint64_t limit) const;

  const char *at(uint64_t offset) const { return data.data() + offset; }
  bool isRecord(uint64_t offset, uint32_t signature, size_t bytes) const {
    return offset <= data.size() && data.size() - offset >= bytes &&
           read32le(at(offset)) == signature;
  }

  StringRef data;
  std::vector<Member> members; // one per array
};

/// Finds the archive's table of contents, from the record at its end, which a comment may follow.
Error NpzFile::findDirectory(uint64_t &offset, uint64_t &count) const {
  if (data.size() < kEndRecordBytes)
    return damaged("it is too short");
  uint64_t end = data.size() - kEndRecordBytes, last = end > 0xffff ? end - 0xffff : 0;
  while (!isRecord(end, kEndRecord, kEndRecordBytes)) {
    if (end == last)
      return damaged("the record at its end is missing");
    --end;
  }
  count = read16le(at(end + 10));
  offset = read32le(at(end + 16));
  uint64_t locator = end - kEndLocator64Bytes;
  if (end >= kEndLocator64Bytes && isRecord(locator, kEndLocator64, kEndLocator64Bytes)) {
    uint64_t record = read64le(at(locator + 8));
    if (!isRecord(record, kEndRecord64, kEndRecord64Bytes))
      return damaged("the 64-bit record at its end is missing");
    count = read64le(at(record + 32));
    offset = read64le(at(record + 48));
  }
  return Error::success();
}

/// Reads numbers that did not fit into 32 bits from the 64-bit part.
bool NpzFile::readExtra64(StringRef extra, Member &member) {
  while (extra.size() >= 4) {
    uint16_t kind = read16le(extra.data()), size = read16le(extra.data() + 2);
    extra = extra.drop_front(4);
    if (size > extra.size())
      return false;
    StringRef numbers = extra.take_front(size);
    extra = extra.drop_front(size);
    if (kind != kExtra64)
      continue;
    for (uint64_t *field : {&member.size, &member.packed, &member.record}) {
      if (*field != kIn64)
        continue;
      if (numbers.size() < 8)
        return false;
      *field = read64le(numbers.data());
      numbers = numbers.drop_front(8);
    }
  }
  return true;
}

Error NpzFile::readDirectory(uint64_t offset, uint64_t count) {
  StringSet<> seen;
  for (uint64_t i = 0; i < count; ++i) {
    if (!isRecord(offset, kDirectoryRecord, kDirectoryRecordBytes))
      return damaged("entry " + Twine(i) + " of its table of contents is missing");
    const char *record = at(offset);
    uint16_t nameBytes = read16le(record + 28), extraBytes = read16le(record + 30),
             commentBytes = read16le(record + 32);
    uint64_t bytes = kDirectoryRecordBytes + nameBytes + extraBytes + commentBytes;
    if (data.size() - offset < bytes)
      return damaged("entry " + Twine(i) + " of its table of contents is cut off");
    StringRef name(record + kDirectoryRecordBytes, nameBytes),
        extra(record + kDirectoryRecordBytes + nameBytes, extraBytes);
    Member member;
    member.method = read16le(record + 10);
    member.crc = read32le(record + 16);
    member.packed = read32le(record + 20);
    member.size = read32le(record + 24);
    member.record = read32le(record + 42);
    if (!readExtra64(extra, member))
      return damaged("entry " + Twine(i) + " of its table of contents has a 64-bit part too short");
    if (read16le(record + 8) & 1)
      return fault("'" + name + "' is encrypted");
    if (!seen.insert(name).second)
      return fault("'" + name + "' is in it twice");
    if (Error error = addMember(name, member))
      return error;
    offset += bytes;
  }
  return Error::success();
}

Error NpzFile::addMember(StringRef name, Member member) {
  auto wrong = [&](const Twine &message) { return fault("'" + name + "' " + message); };
  if (name.ends_with("data.pkl"))
    return fault("is a PyTorch file (a pickle), expected .safetensors, .npz, .npy or .gguf");
  if (!name.consume_back(".npy"))
    return wrong("is no .npy file, expected an archive of these (.npz)");
  if (!isRecord(member.record, kFileRecord, kFileRecordBytes))
    return wrong("is not where the table of contents says");
  member.start = member.record + kFileRecordBytes + read16le(at(member.record + 26)) +
                 read16le(at(member.record + 28));
  if (member.start > data.size() || data.size() - member.start < member.packed)
    return wrong("is cut off");
  if (member.method != kStored && member.method != kDeflated)
    return wrong("is packed by method " + Twine(member.method) +
                 ", expected stored or deflated data");
  std::string unpacked;
  StringRef header = data.substr(member.start, member.packed);
  if (member.method == kDeflated) {
    Expected<std::string> beginning = unpack(member, kHeaderBytes);
    if (!beginning)
      return wrong(toString(beginning.takeError()));
    unpacked = std::move(*beginning);
    header = unpacked;
  } else if (member.packed != member.size) {
    return wrong("has two sizes");
  }
  Expected<NpyArray> array = readNpyArray(header, name);
  if (!array)
    return wrong(toString(array.takeError()));
  if (member.size < array->dataOffset || member.size - array->dataOffset != array->dataBytes)
    return wrong("has " + Twine(member.size - array->dataOffset) + " bytes of data, expected " +
                 Twine(array->dataBytes));
  member.dataOffset = array->dataOffset;
  member.dataBytes = array->dataBytes;
  arrays.push_back(std::move(array->array));
  members.push_back(member);
  return Error::success();
}

/// The first bytes of a deflated file, all of them if `limit` is its size.
Expected<std::string> NpzFile::unpack(const Member &member, uint64_t limit) const {
  z_stream stream = {};
  if (inflateInit2(&stream, -15) != Z_OK) // the largest window, and no header
    return createStringError("no memory to unpack it");
  scope_exit end([&] { inflateEnd(&stream); });
  limit = std::min(limit, member.size);
  // Deflate compresses at most by a factor of 1032.
  if (member.size / 1032 > member.packed)
    return createStringError("is damaged: its size cannot be");
  std::string bytes(limit, '\0');
  StringRef rest = data.substr(member.start, member.packed);
  constexpr size_t kMost = std::numeric_limits<uInt>::max(); // zlib counts in 32 bits
  for (size_t done = 0; done < limit;) {
    uInt given = uInt(std::min(rest.size(), kMost)), room = uInt(std::min(limit - done, kMost));
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(rest.data()));
    stream.avail_in = given;
    stream.next_out = reinterpret_cast<Bytef *>(bytes.data() + done);
    stream.avail_out = room;
    int status = inflate(&stream, Z_NO_FLUSH);
    rest = rest.drop_front(given - stream.avail_in);
    size_t made = room - stream.avail_out;
    done += made;
    bool isStuck = made == 0 && given == stream.avail_in;
    if ((status != Z_OK && status != Z_STREAM_END) || isStuck ||
        (status == Z_STREAM_END && done < limit))
      return createStringError("is damaged: " +
                               Twine(stream.msg ? stream.msg : "its data end too early"));
  }
  return bytes;
}

Error NpzFile::load() {
  uint64_t offset = 0, count = 0;
  if (Error error = findDirectory(offset, count))
    return error;
  return readDirectory(offset, count);
}

Expected<StoredBytes> NpzFile::read(size_t array) {
  const Member &member = members[array];
  if (member.method == kStored)
    return slice(member.start + member.dataOffset, member.dataBytes);
  Expected<std::string> bytes = unpack(member, member.size);
  if (!bytes)
    return fault("'" + arrays[array].name + ".npy' " + toString(bytes.takeError()));
  auto whole = std::make_shared<std::string>(std::move(*bytes));
  uLong crc = crc32_z(0, reinterpret_cast<const Bytef *>(whole->data()), whole->size());
  if (crc != member.crc)
    return fault("'" + arrays[array].name + ".npy' is damaged: its checksum is another one");
  return StoredBytes{ArrayRef(whole->data() + member.dataOffset, member.dataBytes), whole};
}

} // namespace

OpenedWeights openNpz(std::unique_ptr<MemoryBuffer> contents) {
  auto file = std::make_shared<NpzFile>(std::move(contents));
  if (Error error = file->load())
    return std::move(error);
  return file;
}

} // namespace hloc
