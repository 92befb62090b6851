// SPDX-License-Identifier: Apache-2.0
// NumPy's format for one array.
#include "compiler/driver/weights/NpyWeights.h"
#include "runtime/program/NpyHeader.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace hloc {

/// HLO's name of a NumPy type. Types that NumPy lacks are raw bytes (`V2`); the only one of two
/// bytes is bf16.
static StringRef getHloName(StringRef type) {
  return StringSwitch<StringRef>(type)
      .Case("b1", "pred")
      .Case("i1", "s8")
      .Case("i2", "s16")
      .Case("i4", "s32")
      .Case("i8", "s64")
      .Case("u1", "u8")
      .Case("u2", "u16")
      .Case("u4", "u32")
      .Case("u8", "u64")
      .Case("f2", "f16")
      .Case("f4", "f32")
      .Case("f8", "f64")
      .Case("c8", "c64")
      .Case("c16", "c128")
      .Case("V2", "bf16")
      .Default("");
}

Expected<NpyArray> readNpyArray(StringRef data, StringRef name) {
  std::optional<runtime::NpyHeader> header = runtime::readNpyHeader(data);
  if (!header)
    return createStringError("has a header that is not understood: expected one array of numbers");
  if (StringRef(header->type).starts_with(">"))
    return createStringError("holds big-endian numbers, expected little-endian ones");
  if (header->columnMajor && header->shape.size() > 1)
    return createStringError("is in column-major (Fortran) order, expected row-major order: save "
                             "numpy.ascontiguousarray(x)");
  NpyArray result{{name.str(), header->type, header->shape}, header->dataOffset, 0};
  unsigned bytes = 0;
  StringRef type = header->type;
  if (type.drop_front().getAsInteger(10, bytes) || bytes == 0)
    return createStringError("holds '" + type + "', expected numbers");
  if (StringRef known = getHloName(type); !known.empty())
    result.array.type = known;
  std::optional<uint64_t> size = countBytes(header->shape, bytes);
  if (!size)
    return createStringError("its shape is too large");
  result.dataBytes = *size;
  return result;
}

namespace {

class NpyFile : public WeightFile {
public:
  explicit NpyFile(std::unique_ptr<MemoryBuffer> contents) : WeightFile(std::move(contents)) {}

  Error load() {
    StringRef data = contents->getBuffer();
    Expected<NpyArray> array = readNpyArray(data, "");
    if (!array)
      return fault(toString(array.takeError()));
    if (uint64_t present = data.size() - array->dataOffset; present != array->dataBytes)
      return fault("has " + Twine(present) + " bytes of data, expected " + Twine(array->dataBytes));
    offset = array->dataOffset;
    arrays.push_back(std::move(array->array));
    return Error::success();
  }
  Expected<StoredBytes> read(size_t) override {
    return slice(offset, contents->getBufferSize() - offset);
  }

private:
  uint64_t offset = 0;
};

} // namespace

OpenedWeights openNpy(std::unique_ptr<MemoryBuffer> contents) {
  auto file = std::make_shared<NpyFile>(std::move(contents));
  if (Error error = file->load())
    return std::move(error);
  return file;
}

} // namespace hloc
