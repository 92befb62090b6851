// SPDX-License-Identifier: Apache-2.0
#include "transfer/Message.h"

#include "transfer/Sizes.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

namespace hloc::runtime {

void FreeMessage::operator()(hlort_message *message) const {
  if (message->release)
    message->release(message->user, HLORT_CANCELLED);
  hlort_arena_free(message);
}

int64_t getBytes(const hlort_buffer &buffer) {
  int64_t bits = hlort_element_bits(buffer.element_type);
  if (bits == 0 || buffer.rank < 0 || (buffer.rank > 0 && !buffer.dims))
    return -1;
  int64_t elements = 1;
  bool empty = false;
  for (int32_t i = 0; i < buffer.rank; ++i) {
    if (buffer.dims[i] < 0)
      return -1;
    empty |= buffer.dims[i] == 0;
    if (__builtin_mul_overflow(elements, buffer.dims[i] ? buffer.dims[i] : 1, &elements))
      return -1;
  }
  int64_t all;
  if (empty || __builtin_mul_overflow(elements, bits, &all))
    return empty ? 0 : -1;
  return all / 8 + (all % 8 != 0);
}

static int64_t getMinorToMajor(const hlort_buffer &buffer, int32_t i) {
  return buffer.minor_to_major ? buffer.minor_to_major[i] : buffer.rank - 1 - i;
}

static bool isPermutation(const hlort_buffer &buffer) {
  for (int32_t wanted = 0; wanted < buffer.rank; ++wanted) {
    int32_t found = 0;
    for (int32_t i = 0; i < buffer.rank; ++i)
      found += getMinorToMajor(buffer, i) == wanted;
    if (found != 1)
      return false;
  }
  return true;
}

int32_t checkBuffers(int64_t count, const hlort_buffer *buffers, hlort_status *status) {
  if (count < 0 || (count > 0 && !buffers))
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT, "expected an array of buffers");
  for (int64_t i = 0; i < count; ++i) {
    int64_t bytes = getBytes(buffers[i]);
    if (bytes < 0 || !isPermutation(buffers[i]))
      return hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                              "array %" PRId64 " has a type, size or layout that cannot be", i);
    if (bytes > 0 && !buffers[i].data)
      return hlort_status_set(status, HLORT_INVALID_ARGUMENT, "array %" PRId64 " has no memory", i);
  }
  return HLORT_OK;
}

//===-- Making messages ---------------------------------------------------------------------===//

/// Allocates parts of one block; without a block, counts the bytes that it needs.
class Carver {
public:
  explicit Carver(char *block) : block(block) {}

  void *take(int64_t bytes, int64_t alignment) {
    used = (used + alignment - 1) / alignment * alignment;
    return block + std::exchange(used, used + bytes);
  }
  template <typename T> T *take(int64_t count) {
    return static_cast<T *>(take(count * int64_t(sizeof(T)), alignof(T)));
  }
  int64_t used = 0;

private:
  char *block;
};

static int64_t *copyNumbers(Carver &carver, const int64_t *numbers, int32_t count, bool fill) {
  int64_t *copy = carver.take<int64_t>(count);
  if (fill && count)
    std::memcpy(copy, numbers, size_t(count) * sizeof(int64_t));
  return copy;
}

static const char *copyText(Carver &carver, const char *text, bool fill) {
  if (!text)
    return nullptr;
  int64_t characters = int64_t(std::strlen(text)) + 1;
  char *copy = carver.take<char>(characters);
  if (fill)
    std::memcpy(copy, text, size_t(characters));
  return copy;
}

/// Arranges a message in `carver`'s block; writes it if `fill`.
static void layOut(Carver &carver, hlort_message *message, const Arrays &arrays, bool lent,
                   const Name &origin, bool fill) {
  auto *copies = carver.take<hlort_buffer>(arrays.count);
  for (int64_t i = 0; i < arrays.count; ++i) {
    const int64_t *sizes = getSizes(arrays.sizes, i);
    const hlort_buffer seen = withSizes(arrays.buffers[i], sizes);
    hlort_buffer copy = seen;
    copy.dims = copyNumbers(carver, seen.dims, copy.rank, fill);
    if (copy.minor_to_major)
      copy.minor_to_major = copyNumbers(carver, seen.minor_to_major, copy.rank, fill);
    if (!lent) {
      int64_t bytes = getBytes(seen);
      copy.data = carver.take(bytes, 64);
      if (fill && bytes && sizes)
        copyToHost(arrays.buffers[i], sizes, copy.data);
      else if (fill && bytes)
        std::memcpy(copy.data, seen.data, size_t(bytes));
    }
    if (fill)
      copies[i] = copy;
  }
  Name name = origin; // the module may be unloaded when the host asks for it
  name.instruction = copyText(carver, origin.instruction, fill);
  name.place = copyText(carver, origin.place, fill);
  if (!fill)
    return;
  message->buffers = copies;
  message->count = arrays.count;
  message->origin = name;
}

OwnedMessage makeMessage(const Arrays &arrays, bool lent, const Name &origin,
                         hlort_status *status) {
  Carver measure(nullptr);
  measure.take<hlort_message>(1);
  layOut(measure, nullptr, arrays, lent, origin, /*fill=*/false);
  void *block = hlort_arena_allocate(measure.used, 64, status);
  if (!block)
    return nullptr;
  Carver carver(static_cast<char *>(block));
  OwnedMessage message(new (carver.take<hlort_message>(1)) hlort_message);
  layOut(carver, message.get(), arrays, lent, origin, /*fill=*/true);
  return message;
}

//===-- Checking and copying ----------------------------------------------------------------===//

static const char *getTypeName(int32_t type) {
  static constexpr const char *names[] = {
      "?",          "pred",       "s8",   "s16",    "s32",      "s64",    "u8",     "u16",
      "u32",        "u64",        "f16",  "f32",    "f64",      "?",      "opaque", "c64",
      "bf16",       "token",      "c128", "f8e5m2", "f8e4m3fn", "s4",     "u4",     "f8e4m3b11fnuz",
      "f8e5m2fnuz", "f8e4m3fnuz", "s2",   "u2",     "f8e4m3",   "f8e3m4", "s1",     "u1",
      "f4e2m1fn",   "f8e8m0fnu"};
  return type >= 0 && type < int32_t(std::size(names)) ? names[type] : "?";
}

/// Writes the shape as HLO text, truncated to fit. A size of -1 in `sizes` means any size up to the
/// bound.
static void writeShape(const hlort_buffer &buffer, const int64_t *sizes, char (&text)[96]) {
  size_t used = 0;
  auto add = [&](const char *format, auto... values) {
    int written = std::snprintf(text + used, sizeof text - used, format, values...);
    used = std::min(sizeof text - 1, used + size_t(std::max(written, 0)));
  };
  add("%s[", getTypeName(buffer.element_type));
  for (int32_t i = 0; i < buffer.rank; ++i)
    add("%s%s%" PRId64, i ? "," : "", sizes && sizes[i] < 0 ? "<=" : "", buffer.dims[i]);
  add("%s", "]");
  if (!buffer.minor_to_major)
    return;
  for (int32_t i = 0; i < buffer.rank; ++i)
    add("%s%" PRId64, i ? "," : "{", buffer.minor_to_major[i]);
  add("%s", buffer.rank ? "}" : "");
}

static bool agree(const hlort_buffer &wanted, const int64_t *sizes, const hlort_buffer &given) {
  if (wanted.element_type != given.element_type || wanted.rank != given.rank)
    return false;
  for (int32_t i = 0; i < wanted.rank; ++i)
    if (sizes && sizes[i] < 0 ? given.dims[i] > wanted.dims[i] : given.dims[i] != wanted.dims[i])
      return false;
  for (int32_t i = 0; i < wanted.rank; ++i)
    if (getMinorToMajor(wanted, i) != getMinorToMajor(given, i))
      return getBytes(given) == 0;
  return true;
}

static int32_t refuseCount(const hlort_message &message, int64_t count, const Name &who,
                           hlort_status *status) {
  return hlort_status_set(
      status, HLORT_INVALID_ARGUMENT, "%s: expected %" PRId64 " arrays but %s gave %" PRId64,
      who.getText().characters, count, message.origin.getText().characters, message.count);
}

static int32_t refuseShape(const hlort_message &message, int64_t i, const Arrays &expected,
                           const Name &who, hlort_status *status) {
  char wanted[96], given[96];
  writeShape(expected.buffers[i], getSizes(expected.sizes, i), wanted);
  writeShape(message.buffers[i], nullptr, given);
  return hlort_status_set(
      status, HLORT_INVALID_ARGUMENT, "%s: expected array %" PRId64 " to be %s but %s gave %s",
      who.getText().characters, i, wanted, message.origin.getText().characters, given);
}

int32_t copyMessage(const hlort_message &message, const Arrays &arrays, const Name &who,
                    hlort_status *status) {
  if (arrays.count != message.count)
    return refuseCount(message, arrays.count, who, status);
  for (int64_t i = 0; i < arrays.count; ++i)
    if (!agree(arrays.buffers[i], getSizes(arrays.sizes, i), message.buffers[i]))
      return refuseShape(message, i, arrays, who, status);
  for (int64_t i = 0; i < arrays.count; ++i) {
    const hlort_buffer &given = message.buffers[i];
    int64_t bytes = getBytes(given);
    if (int64_t *sizes = getSizes(arrays.sizes, i)) {
      std::memcpy(sizes, given.dims, size_t(given.rank) * sizeof(int64_t));
      copyFromHost(arrays.buffers[i], sizes, given.data);
    } else if (bytes) {
      std::memcpy(arrays.buffers[i].data, given.data, size_t(bytes));
    }
  }
  return HLORT_OK;
}

} // namespace hloc::runtime

using namespace hloc::runtime;

const hlort_buffer *hlort_message_buffers(const hlort_message *message, int64_t *count) {
  *count = message ? message->count : 0;
  return message ? message->buffers : nullptr;
}

void hlort_message_free(hlort_message *message) {
  if (message)
    FreeMessage()(message);
}
