// SPDX-License-Identifier: Apache-2.0

#include "program/Arguments.h"

#include "program/NpyHeader.h"
#include "program/Random.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numeric>

namespace hloc::runtime {

namespace {

enum class Kind { Pred, Signed, Unsigned, Float, Complex, Bits };

/// An element type in HLO's words and in NumPy's.
struct Element {
  const char *name;
  Kind kind;
  int bits;

  int fileBytes() const { return (bits + 7) / 8; }
  std::string npyType() const {
    const char *letter = kind == Kind::Pred                      ? "b"
                         : kind == Kind::Signed                  ? "i"
                         : kind == Kind::Complex                 ? "c"
                         : kind == Kind::Float && name[0] == 'f' ? "f"
                                                                 : "u";
    return letter + std::to_string(fileBytes());
  }
};

Element describe(int32_t type) {
  int bits = hlort_element_bits(type);
  switch (type) {
  case HLORT_PRED:
    return {"pred", Kind::Pred, bits};
  case HLORT_S2:
    return {"s2", Kind::Signed, bits};
  case HLORT_S1:
    return {"s1", Kind::Signed, bits};
  case HLORT_U1:
    return {"u1", Kind::Unsigned, bits};
  case HLORT_S4:
    return {"s4", Kind::Signed, bits};
  case HLORT_S8:
    return {"s8", Kind::Signed, bits};
  case HLORT_S16:
    return {"s16", Kind::Signed, bits};
  case HLORT_S32:
    return {"s32", Kind::Signed, bits};
  case HLORT_S64:
    return {"s64", Kind::Signed, bits};
  case HLORT_U2:
    return {"u2", Kind::Unsigned, bits};
  case HLORT_U4:
    return {"u4", Kind::Unsigned, bits};
  case HLORT_U8:
    return {"u8", Kind::Unsigned, bits};
  case HLORT_U16:
    return {"u16", Kind::Unsigned, bits};
  case HLORT_U32:
    return {"u32", Kind::Unsigned, bits};
  case HLORT_U64:
    return {"u64", Kind::Unsigned, bits};
  case HLORT_F16:
    return {"f16", Kind::Float, bits};
  case HLORT_BF16:
    return {"bf16", Kind::Float, bits};
  case HLORT_F32:
    return {"f32", Kind::Float, bits};
  case HLORT_F64:
    return {"f64", Kind::Float, bits};
  case HLORT_C64:
    return {"c64", Kind::Complex, bits};
  case HLORT_C128:
    return {"c128", Kind::Complex, bits};
  case HLORT_F4E2M1FN:
    return {"f4e2m1fn", Kind::Bits, bits};
  default:
    return {"f8", Kind::Bits, bits};
  }
}

bool isBounded(const hlort_port &port, int32_t dimension) {
  return port.sizes && port.sizes[dimension] >= 0;
}

std::string typeText(const hlort_port &port) {
  std::string text;
  for (int32_t d = 0; d < port.rank; ++d)
    text +=
        (d ? "," : "") + std::string(isBounded(port, d) ? "<=" : "") + std::to_string(port.dims[d]);
  return describe(port.element_type).name + ("[" + text + "]");
}

/// Whether an array may be of `shape`.
bool admits(const hlort_port &port, const ArrayShape &shape) {
  if (shape.size() != size_t(port.rank))
    return false;
  for (int32_t d = 0; d < port.rank; ++d)
    if (shape[size_t(d)] != port.dims[d] &&
        !(isBounded(port, d) && shape[size_t(d)] >= 0 && shape[size_t(d)] < port.dims[d]))
      return false;
  return true;
}

int64_t countOf(const ArrayShape &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

/// Calls visit(place in memory) for each element of an array of `shape` in row-major order, until
/// it returns false.
template <typename Visit>
void forEachPlace(const hlort_port &port, const ArrayShape &shape, Visit visit) {
  std::vector<int64_t> strides(size_t(port.rank)), index(size_t(port.rank));
  for (int64_t i = 0, step = 1; i < port.rank; ++i) {
    int64_t dimension = port.minor_to_major ? port.minor_to_major[i] : port.rank - 1 - i;
    strides[size_t(dimension)] = step;
    step *= port.dims[dimension];
  }
  for (int64_t left = countOf(shape), place = 0; left > 0; --left) {
    if (!visit(place))
      return;
    for (int64_t d = port.rank - 1; d >= 0; --d) {
      place += strides[size_t(d)];
      if (++index[size_t(d)] < shape[size_t(d)])
        break;
      place -= shape[size_t(d)] * strides[size_t(d)];
      index[size_t(d)] = 0;
    }
  }
}

/// Stores the element at `source`, in the form of files, at a place in memory.
void store(const Element &element, const char *source, char *memory, int64_t place) {
  if (element.bits >= 8) {
    std::memcpy(memory + place * element.fileBytes(), source, size_t(element.fileBytes()));
    return;
  }
  int64_t bit = place * element.bits;
  int mask = (1 << element.bits) - 1, shift = int(bit % 8);
  char &byte = memory[bit / 8];
  byte = char((byte & ~(mask << shift)) | ((*source & mask) << shift));
}

/// The reverse.
void load(const Element &element, const char *memory, int64_t place, char *target) {
  if (element.bits >= 8) {
    std::memcpy(target, memory + place * element.fileBytes(), size_t(element.fileBytes()));
    return;
  }
  int64_t bit = place * element.bits;
  int value = (uint8_t(memory[bit / 8]) >> (bit % 8)) & ((1 << element.bits) - 1);
  if (element.kind == Kind::Signed && value >> (element.bits - 1))
    value -= 1 << element.bits;
  *target = char(value);
}

/// f16 and bf16 by the bits of their mantissas, and the bias of their exponents.
struct HalfFormat {
  int mantissa, bias;
};
HalfFormat halfFormat(const Element &element) {
  return element.name[0] == 'b' ? HalfFormat{7, 127} : HalfFormat{10, 15};
}

/// Rounds a finite number of moderate size to nearest even.
uint16_t toHalf(double value, HalfFormat format) {
  int exponent;
  std::frexp(value, &exponent);
  int scale = std::max(exponent - 1, 1 - format.bias);
  auto quanta = uint32_t(std::nearbyint(std::ldexp(std::fabs(value), format.mantissa - scale)));
  uint32_t bits = (uint32_t(scale + format.bias - 1) << format.mantissa) + quanta;
  return uint16_t(bits | (std::signbit(value) ? 0x8000 : 0));
}

double fromHalf(uint16_t bits, HalfFormat format) {
  int exponent = (bits & 0x7fff) >> format.mantissa, fraction = bits & ((1 << format.mantissa) - 1);
  double value = exponent == 0x7fff >> format.mantissa
                     ? (fraction ? NAN : INFINITY)
                     : std::ldexp(fraction + (exponent ? 1 << format.mantissa : 0),
                                  std::max(exponent, 1) - format.bias - format.mantissa);
  return bits & 0x8000 ? -value : value;
}

template <typename T> T read(const char *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

std::string numberText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

/// One element in the form of files, as text.
std::string elementText(const Element &element, const char *bytes) {
  switch (element.kind) {
  case Kind::Pred:
    return *bytes ? "true" : "false";
  case Kind::Signed:
    return std::to_string(element.bits <= 8    ? read<int8_t>(bytes)
                          : element.bits == 16 ? read<int16_t>(bytes)
                          : element.bits == 32 ? read<int32_t>(bytes)
                                               : read<int64_t>(bytes));
  case Kind::Unsigned:
    return std::to_string(element.bits <= 8    ? read<uint8_t>(bytes)
                          : element.bits == 16 ? read<uint16_t>(bytes)
                          : element.bits == 32 ? read<uint32_t>(bytes)
                                               : read<uint64_t>(bytes));
  case Kind::Float:
    return numberText(element.bits == 16   ? fromHalf(read<uint16_t>(bytes), halfFormat(element))
                      : element.bits == 32 ? double(read<float>(bytes))
                                           : read<double>(bytes));
  case Kind::Complex: {
    bool isSingle = element.bits == 64;
    double re = isSingle ? double(read<float>(bytes)) : read<double>(bytes);
    double im = isSingle ? double(read<float>(bytes + 4)) : read<double>(bytes + 8);
    return "(" + numberText(re) + ", " + numberText(im) + ")";
  }
  case Kind::Bits:
    break;
  }
  char text[8];
  std::snprintf(text, sizeof text, "0x%02x", unsigned(uint8_t(*bytes)));
  return text;
}

void drawElement(const Element &element, std::mt19937_64 &bits, int64_t bound, char *target) {
  auto put = [&](const auto &value) { std::memcpy(target, &value, sizeof value); };
  switch (element.kind) {
  case Kind::Pred:
    return put(uint8_t(bits() >> 63));
  case Kind::Signed:
  case Kind::Unsigned: {
    int64_t value = drawInteger(bits, element.kind == Kind::Unsigned, bound);
    std::memcpy(target, &value, size_t(element.fileBytes())); // little-endian
    return;
  }
  case Kind::Float: {
    double value = drawNormal(bits);
    return element.bits == 16   ? put(toHalf(value, halfFormat(element)))
           : element.bits == 32 ? put(float(value))
                                : put(value);
  }
  case Kind::Complex: {
    double parts[] = {drawNormal(bits), drawNormal(bits)};
    if (element.bits == 128)
      return put(parts);
    float single[] = {float(parts[0]), float(parts[1])};
    return put(single);
  }
  case Kind::Bits:
    return put(uint8_t(bits() >> (element.bits == 4 ? 61 : 58))); // finite in all of them
  }
}

static_assert(std::endian::native == std::endian::little);

} // namespace

ArrayShape getBounds(const hlort_port &port) { return {port.dims, port.dims + port.rank}; }

std::string readArgument(const std::string &file, const hlort_port &port, char *memory,
                         ArrayShape &shape) {
  std::ifstream stream(file, std::ios::binary);
  std::string data{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.is_open() || stream.bad())
    return "cannot be read: " + std::string(std::strerror(errno));
  std::optional<NpyHeader> header = readNpyHeader(data);
  if (!header)
    return "is not an .npy file";
  Element element = describe(port.element_type);
  if (header->type != element.npyType() || !admits(port, header->shape))
    return "holds '" + header->type + "' [" + joinSizes(header->shape) + "], but parameter '" +
           port.name + "' is " + typeText(port) + ", stored as '" + element.npyType() + "'";
  if (header->columnMajor && port.rank > 1)
    return "is in column-major (Fortran) order, expected row-major order";
  shape = header->shape;
  size_t expected = size_t(countOf(shape)) * size_t(element.fileBytes()),
         present = data.size() - header->dataOffset;
  if (present != expected)
    return "has " + std::to_string(present) + " bytes of data, expected " +
           std::to_string(expected);
  const char *source = data.data() + header->dataOffset;
  forEachPlace(port, shape, [&](int64_t place) {
    store(element, source, memory, place);
    source += element.fileBytes();
    return true;
  });
  return {};
}

void drawArgument(const hlort_port &port, uint64_t seed, int64_t bound, char *memory) {
  Element element = describe(port.element_type);
  std::mt19937_64 bits(seed);
  forEachPlace(port, getBounds(port), [&](int64_t place) {
    char value[16];
    drawElement(element, bits, bound, value);
    store(element, value, memory, place);
    return true;
  });
}

std::string writeResult(const std::string &file, const hlort_port &port, const ArrayShape &shape,
                        const char *memory) {
  Element element = describe(port.element_type);
  std::string contents = makeNpyHeader(element.npyType(), shape);
  forEachPlace(port, shape, [&](int64_t place) {
    char value[16];
    load(element, memory, place, value);
    contents.append(value, size_t(element.fileBytes()));
    return true;
  });
  std::string partial = file + ".tmp";
  std::ofstream stream(partial, std::ios::binary);
  stream << contents;
  stream.close();
  if (stream && std::rename(partial.c_str(), file.c_str()) == 0)
    return {};
  std::string why = std::strerror(errno);
  std::remove(partial.c_str());
  return "cannot be written: " + why;
}

std::string summarizeResult(const hlort_port &port, const ArrayShape &shape, const char *memory) {
  constexpr int shown = 8;
  Element element = describe(port.element_type);
  std::string text;
  int64_t number = 0;
  forEachPlace(port, shape, [&](int64_t place) {
    char value[16];
    load(element, memory, place, value);
    text += (number ? ", " : "") + (number < shown ? elementText(element, value) : "...");
    return ++number <= shown;
  });
  return element.name + ("[" + joinSizes(shape) + "] {" + text + "}");
}

} // namespace hloc::runtime
