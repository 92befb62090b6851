// SPDX-License-Identifier: Apache-2.0
#include "compiler/text/proto/FindModule.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace hloc::text {

namespace {
/// Iterates over the outermost fields of a message.
class Fields {
public:
  explicit Fields(StringRef bytes) : rest(bytes), size(bytes.size()) {}

  bool atEnd() const { return rest.empty(); }
  size_t offset() const { return size - rest.size(); }
  unsigned number() const { return key >> 3; }
  bool isBytes() const { return (key & 7) == 2; }
  /// The contents of a field of bytes; as much as there is, if it is truncated.
  StringRef value() const { return contents; }

  /// Advances to the next field. False if there is no further complete one.
  bool next() {
    uint64_t length = 0;
    if (!takeVarint(key) || number() == 0)
      return false;
    switch (key & 7) {
    case 0:
      return takeVarint(length);
    case 1:
      length = 8;
      break;
    case 2:
      if (!takeVarint(length))
        return false;
      break;
    case 5:
      length = 4;
      break;
    default: // groups, which these messages do not have
      return false;
    }
    contents = rest.take_front(length);
    rest = rest.drop_front(contents.size());
    return contents.size() == length;
  }

private:
  bool takeVarint(uint64_t &value) {
    value = 0;
    for (unsigned shift = 0; shift < 64 && !rest.empty(); shift += 7) {
      uint8_t byte = rest.front();
      rest = rest.drop_front();
      value |= uint64_t(byte & 0x7f) << shift;
      if (byte < 0x80)
        return true;
    }
    return false;
  }

  StringRef rest, contents;
  uint64_t key = 0;
  size_t size;
};
} // namespace

/// The contents of the first field, if it is bytes.
static StringRef getFirst(StringRef bytes) {
  Fields fields(bytes);
  bool whole = fields.next();
  bool first = fields.number() == 1 && fields.isBytes();
  return first && (whole || fields.atEnd()) ? fields.value() : StringRef();
}

/// Names have no control characters, and messages begin with one: the key of a field with a small
/// number.
static bool isMessage(StringRef field) { return !field.empty() && uint8_t(field.front()) < ' '; }

bool isModuleProto(StringRef bytes) {
  auto isControl = [](char c) { return uint8_t(c) < ' ' && c != '\t' && c != '\n' && c != '\r'; };
  return !getFirst(bytes).empty() && any_of(bytes.take_front(4096), isControl);
}

StringRef findModule(StringRef bytes) {
  while (isMessage(getFirst(bytes)))
    bytes = getFirst(bytes);
  return bytes;
}

std::optional<size_t> findDamage(StringRef bytes) {
  Fields fields(bytes);
  while (!fields.atEnd()) {
    size_t offset = fields.offset();
    if (!fields.next())
      return offset;
  }
  return std::nullopt;
}

} // namespace hloc::text
