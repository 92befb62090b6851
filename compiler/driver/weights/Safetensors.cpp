// SPDX-License-Identifier: Apache-2.0
// Hugging Face's format: the length of a header, the header in JSON, the arrays' bytes.
#include "compiler/driver/weights/WeightFile.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace hloc {

namespace {

struct ElementForm {
  const char *type; ///< HLO's name; null if it has none
  unsigned bytes;
};

ElementForm findForm(StringRef name) {
  return StringSwitch<ElementForm>(name)
      .Case("BOOL", {"pred", 1})
      .Case("U8", {"u8", 1})
      .Case("I8", {"s8", 1})
      .Case("U16", {"u16", 2})
      .Case("I16", {"s16", 2})
      .Case("U32", {"u32", 4})
      .Case("I32", {"s32", 4})
      .Case("U64", {"u64", 8})
      .Case("I64", {"s64", 8})
      .Case("F8_E5M2", {"f8e5m2", 1})
      .Case("F8_E4M3", {"f8e4m3fn", 1})
      .Case("F8_E8M0", {"f8e8m0fnu", 1})
      .Case("F16", {"f16", 2})
      .Case("BF16", {"bf16", 2})
      .Case("F32", {"f32", 4})
      .Case("F64", {"f64", 8})
      .Case("C64", {"c64", 8})
      .Default({nullptr, 0});
}

/// True if brackets are nested more deeply than in any valid header: the JSON parser recurses as
/// deep.
bool isDeep(StringRef json) {
  constexpr int kMaxDepth = 16;
  int depth = 0;
  bool inString = false;
  for (size_t i = 0; i < json.size(); ++i) {
    if (inString && json[i] == '\\')
      ++i;
    else if (json[i] == '"')
      inString = !inString;
    else if (!inString && (json[i] == '{' || json[i] == '['))
      ++depth;
    else if (!inString && (json[i] == '}' || json[i] == ']'))
      --depth;
    if (depth > kMaxDepth)
      return true;
  }
  return false;
}

class SafetensorsFile : public WeightFile {
public:
  explicit SafetensorsFile(std::unique_ptr<MemoryBuffer> contents)
      : WeightFile(std::move(contents)) {}

  Error load();
  Expected<StoredBytes> read(size_t array) override {
    auto [begin, end] = ranges[array];
    return slice(begin, end - begin);
  }

private:
  Error add(StringRef name, const json::Value &description);
  Error checkOverlaps();

  uint64_t dataStart = 0;
  std::vector<std::pair<uint64_t, uint64_t>> ranges; // in the file
};

Error SafetensorsFile::load() {
  StringRef data = contents->getBuffer();
  if (data.size() < 8)
    return fault("is too short for a .safetensors file");
  uint64_t length = support::endian::read64le(data.data());
  if (length > data.size() - 8)
    return fault("its header takes " + Twine(length) + " bytes, but only " +
                 Twine(data.size() - 8) + " follow: is it a .safetensors file, and whole?");
  dataStart = 8 + length;
  if (isDeep(data.substr(8, length)))
    return fault("its header is not a list of arrays");
  Expected<json::Value> header = json::parse(data.substr(8, length));
  if (!header)
    return fault("its header is not JSON: " + toString(header.takeError()));
  const json::Object *entries = header->getAsObject();
  if (!entries)
    return fault("its header is not a JSON object");
  for (const auto &[name, description] : *entries)
    if (StringRef(name) != "__metadata__")
      if (Error error = add(name, description))
        return error;
  return checkOverlaps();
}

Error SafetensorsFile::add(StringRef name, const json::Value &description) {
  auto wrong = [&](const Twine &message) { return fault("'" + name + "': " + message); };
  const json::Object *fields = description.getAsObject();
  std::optional<StringRef> type = fields ? fields->getString("dtype") : std::nullopt;
  const json::Array *sizes = fields ? fields->getArray("shape") : nullptr,
                    *offsets = fields ? fields->getArray("data_offsets") : nullptr;
  if (!type || !sizes || !offsets || offsets->size() != 2)
    return wrong("expected a dtype, a shape and two data_offsets in the header");
  StoredArray array{name.str(), type->str(), {}};
  for (const json::Value &size : *sizes) {
    std::optional<int64_t> number = size.getAsInteger();
    if (!number || *number < 0)
      return wrong("expected sizes of 0 and more in its shape");
    array.shape.push_back(*number);
  }
  std::optional<int64_t> begin = (*offsets)[0].getAsInteger(), end = (*offsets)[1].getAsInteger();
  uint64_t room = contents->getBufferSize() - dataStart;
  if (!begin || !end || *begin < 0 || *end < *begin || uint64_t(*end) > room)
    return wrong("expected data_offsets in order and within the " + Twine(room) +
                 " bytes behind the header: is the file whole?");
  ElementForm form = findForm(*type);
  if (form.type) {
    array.type = form.type;
    std::optional<uint64_t> bytes = countBytes(array.shape, form.bytes);
    if (!bytes || *bytes != uint64_t(*end - *begin))
      return wrong("its data_offsets hold " + Twine(*end - *begin) +
                   " bytes, which is not what its shape and dtype take");
  }
  arrays.push_back(std::move(array));
  ranges.push_back({dataStart + *begin, dataStart + *end});
  return Error::success();
}

Error SafetensorsFile::checkOverlaps() {
  std::vector<size_t> order;
  for (size_t i = 0; i < arrays.size(); ++i)
    if (ranges[i].first != ranges[i].second)
      order.push_back(i);
  llvm::sort(order, [&](size_t x, size_t y) { return ranges[x] < ranges[y]; });
  for (size_t i = 1; i < order.size(); ++i)
    if (ranges[order[i]].first < ranges[order[i - 1]].second)
      return fault("the data of '" + arrays[order[i - 1]].name + "' and '" + arrays[order[i]].name +
                   "' overlap");
  return Error::success();
}

} // namespace

OpenedWeights openSafetensors(std::unique_ptr<MemoryBuffer> contents) {
  auto file = std::make_shared<SafetensorsFile>(std::move(contents));
  if (Error error = file->load())
    return std::move(error);
  return file;
}

} // namespace hloc
