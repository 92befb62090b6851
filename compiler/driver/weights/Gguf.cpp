// SPDX-License-Identifier: Apache-2.0
// llama.cpp's format: facts about the model, a list of arrays, their bytes. Of blocks of quantized
// numbers, only Q8_0 is supported, whose values f32 represents exactly.
#include "compiler/driver/weights/WeightFile.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace llvm::support::endian;

namespace hloc {

namespace {

/// Kinds of a fact's value.
enum FactKind : uint32_t { String = 8, Array = 9, KindCount = 13 };
constexpr unsigned kFactBytes[KindCount] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
constexpr uint32_t kUint32 = 4;

constexpr uint32_t kQ8_0 = 8;
/// A block of Q8_0: an f16 and this many s8; the numbers are their products with it.
constexpr int64_t kBlock = 32, kBlockBytes = 2 + kBlock;

struct NumberForm {
  const char *type;
  unsigned bytes;
};

/// The type of a GGUF type number; null and 0 for those that are blocks.
NumberForm findForm(uint32_t number) {
  switch (number) {
  case 0:
    return {"f32", 4};
  case 1:
    return {"f16", 2};
  case 24:
    return {"s8", 1};
  case 25:
    return {"s16", 2};
  case 26:
    return {"s32", 4};
  case 27:
    return {"s64", 8};
  case 28:
    return {"f64", 8};
  case 30:
    return {"bf16", 2};
  default:
    return {nullptr, 0};
  }
}

std::string getBlockName(uint32_t number) {
  static constexpr const char *names[] = {nullptr, nullptr, "Q4_0", "Q4_1", nullptr, nullptr,
                                          "Q5_0",  "Q5_1",  "Q8_0", "Q8_1", "Q2_K",  "Q3_K",
                                          "Q4_K",  "Q5_K",  "Q6_K", "Q8_K"};
  return number < std::size(names) && names[number] ? names[number]
                                                    : "type " + std::to_string(number);
}

class GgufFile : public WeightFile {
public:
  explicit GgufFile(std::unique_ptr<MemoryBuffer> contents)
      : WeightFile(std::move(contents)), rest(this->contents->getBuffer()) {}

  Error load();
  Expected<StoredBytes> read(size_t array) override;

private:
  struct Place {
    uint32_t type = 0;
    uint64_t offset = 0, bytes = 0;
  };

  Error cutOff() const { return fault("is cut off"); }
  template <class T> bool take(T &value) {
    if (rest.size() < sizeof(T))
      return false;
    value = support::endian::read<T, endianness::little>(rest.data());
    rest = rest.drop_front(sizeof(T));
    return true;
  }
  bool takeString(StringRef &text) {
    uint64_t size = 0;
    if (!take(size) || size > rest.size())
      return false;
    text = rest.take_front(size);
    rest = rest.drop_front(size);
    return true;
  }
  bool skipValues(uint32_t kind, uint64_t count, unsigned depth);
  Error readFacts(uint64_t count);
  Error readArray();

  StringRef rest;
  uint64_t alignment = 32;
  std::vector<Place> places;
};

/// Skips `count` values of a fact; false if they are not all there.
bool GgufFile::skipValues(uint32_t kind, uint64_t count, unsigned depth) {
  if (kind >= KindCount || depth > 8)
    return false;
  if (kind != String && kind != Array) {
    if (count > rest.size() / kFactBytes[kind])
      return false;
    rest = rest.drop_front(count * kFactBytes[kind]);
    return true;
  }
  for (uint64_t i = 0; i < count; ++i) {
    StringRef text;
    uint32_t inner = 0;
    uint64_t length = 0;
    if (kind == String ? !takeString(text)
                       : !take(inner) || !take(length) || !skipValues(inner, length, depth + 1))
      return false;
  }
  return true;
}

Error GgufFile::readFacts(uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    StringRef key;
    uint32_t kind = 0;
    if (!takeString(key) || !take(kind))
      return cutOff();
    StringRef value = rest;
    if (!skipValues(kind, 1, 0))
      return fault("its fact '" + key + "' is damaged or cut off");
    if (key != "general.alignment")
      continue;
    alignment = kind == kUint32 ? read32le(value.data()) : 0;
    if (alignment == 0)
      return fault("expected general.alignment to be a number above 0");
  }
  return Error::success();
}

Error GgufFile::readArray() {
  StringRef name;
  uint32_t rank = 0;
  Place place;
  if (!takeString(name) || !take(rank))
    return cutOff();
  StoredArray array{name.str(), "", {}};
  if (rank > 8)
    return fault("'" + name + "' has " + Twine(rank) + " dimensions");
  for (uint32_t d = 0; d < rank; ++d) {
    uint64_t size = 0;
    if (!take(size))
      return cutOff();
    array.shape.insert(array.shape.begin(), int64_t(size)); // the innermost comes first
  }
  if (!take(place.type) || !take(place.offset))
    return cutOff();
  NumberForm form = findForm(place.type);
  bool isBlocks = place.type == kQ8_0;
  array.type = form.type ? form.type : isBlocks ? "f32" : getBlockName(place.type);
  std::optional<uint64_t> bytes = countBytes(array.shape, isBlocks ? 4 : form.bytes);
  if (isBlocks && bytes) {
    if (array.shape.empty() || array.shape.back() % kBlock != 0)
      return fault("'" + name + "' is Q8_0, but its rows are no multiple of " + Twine(kBlock));
    bytes = *bytes / 4 / kBlock * kBlockBytes;
  }
  if (!bytes)
    return fault("'" + name + "' has a size that cannot be");
  place.bytes = *bytes;
  arrays.push_back(std::move(array));
  places.push_back(place);
  return Error::success();
}

Error GgufFile::load() {
  rest = rest.drop_front(4);
  uint32_t version = 0;
  uint64_t arrayCount = 0, factCount = 0;
  if (!take(version))
    return cutOff();
  if (version != 2 && version != 3)
    return fault("is GGUF of version " + Twine(version) + ", expected 2 or 3");
  if (!take(arrayCount) || !take(factCount))
    return cutOff();
  if (Error error = readFacts(factCount))
    return error;
  StringSet<> seen;
  for (uint64_t i = 0; i < arrayCount; ++i) {
    if (Error error = readArray())
      return error;
    if (!seen.insert(arrays.back().name).second)
      return fault("'" + arrays.back().name + "' is in it twice");
  }
  uint64_t size = contents->getBufferSize(), start = size - rest.size();
  start = (start + alignment - 1) / alignment * alignment;
  for (auto [array, place] : llvm::zip(arrays, places)) {
    if (start > size || place.offset > size - start || place.bytes > size - start - place.offset)
      return fault("the data of '" + array.name + "' are not all in the file: is it whole?");
    place.offset += start;
  }
  return Error::success();
}

Expected<StoredBytes> GgufFile::read(size_t array) {
  const Place &place = places[array];
  StoredBytes stored = slice(place.offset, place.bytes);
  if (place.type != kQ8_0)
    return stored;
  auto numbers = std::make_shared<std::vector<char>>(place.bytes / kBlockBytes * kBlock * 4);
  char *out = numbers->data();
  for (const char *block = stored.bytes.begin(); block != stored.bytes.end();
       block += kBlockBytes) {
    APFloat scale(APFloat::IEEEhalf(), APInt(16, read16le(block)));
    bool lost;
    scale.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lost);
    for (int64_t i = 0; i < kBlock; ++i, out += 4) {
      float value = scale.convertToFloat() * float(int8_t(block[2 + i]));
      write32le(out, bit_cast<uint32_t>(value));
    }
  }
  return StoredBytes{ArrayRef(numbers->data(), numbers->size()), numbers};
}

} // namespace

OpenedWeights openGguf(std::unique_ptr<MemoryBuffer> contents) {
  auto file = std::make_shared<GgufFile>(std::move(contents));
  if (Error error = file->load())
    return std::move(error);
  return file;
}

} // namespace hloc
