// SPDX-License-Identifier: Apache-2.0

#include "program/Arguments.h"

#include "program/NpyHeader.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

namespace hloc::runtime {

namespace {

bool isBounded(const hlort_port &port, int32_t dimension) {
  return port.sizes && port.sizes[dimension] >= 0;
}

std::string typeText(const hlort_port &port) {
  std::string text;
  for (int32_t d = 0; d < port.rank; ++d)
    text +=
        (d ? "," : "") + std::string(isBounded(port, d) ? "<=" : "") + std::to_string(port.dims[d]);
  return findElement(port.element_type)->name + ("[" + text + "]");
}

/// True if the port admits an array of `shape`.
bool admits(const hlort_port &port, const ArrayShape &shape) {
  if (shape.size() != size_t(port.rank))
    return false;
  for (int32_t d = 0; d < port.rank; ++d)
    if (shape[size_t(d)] != port.dims[d] &&
        !(isBounded(port, d) && shape[size_t(d)] >= 0 && shape[size_t(d)] < port.dims[d]))
      return false;
  return true;
}

} // namespace

std::string readArgument(const std::string &file, const hlort_port &port, char *memory,
                         ArrayShape &shape) {
  std::ifstream stream(file, std::ios::binary);
  std::string data{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.is_open() || stream.bad())
    return "cannot be read: " + std::string(std::strerror(errno));
  std::optional<NpyHeader> header = readNpyHeader(data);
  if (!header)
    return "is not an .npy file";
  const Element &element = *findElement(port.element_type);
  if (header->type != element.getNpyType() || !admits(port, header->shape))
    return "holds '" + header->type + "' [" + joinSizes(header->shape) + "], but parameter '" +
           port.name + "' is " + typeText(port) + ", stored as '" + element.getNpyType() + "'";
  if (header->columnMajor && port.rank > 1)
    return "is in column-major (Fortran) order, expected row-major order";
  shape = header->shape;
  size_t expected = size_t(countElements(shape)) * size_t(element.getBytes()),
         present = data.size() - header->dataOffset;
  if (present != expected)
    return "has " + std::to_string(present) + " bytes of data, expected " +
           std::to_string(expected);
  const char *source = data.data() + header->dataOffset;
  ArrayPlaces places(port, shape);
  places.forEach([&](int64_t place) {
    places.store(source, memory, place);
    source += element.getBytes();
    return true;
  });
  return {};
}

void drawArgument(const hlort_port &port, uint64_t seed, int64_t bound, char *memory) {
  ArrayShape shape = getBounds(port);
  ArrayPlaces places(port, shape);
  std::mt19937_64 source(seed);
  places.forEach([&](int64_t place) {
    char value[Element::mostBytes];
    places.getElement().draw(source, bound, value);
    places.store(value, memory, place);
    return true;
  });
}

std::string writeResult(const std::string &file, const hlort_port &port, const ArrayShape &shape,
                        const char *memory) {
  ArrayPlaces places(port, shape);
  const Element &element = places.getElement();
  std::string contents = makeNpyHeader(element.getNpyType(), shape);
  places.forEach([&](int64_t place) {
    char value[Element::mostBytes];
    places.load(memory, place, value);
    contents.append(value, size_t(element.getBytes()));
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
  ArrayPlaces places(port, shape);
  const Element &element = places.getElement();
  std::string text;
  int64_t number = 0;
  places.forEach([&](int64_t place) {
    char value[Element::mostBytes];
    places.load(memory, place, value);
    text += number ? ", " : "";
    text += number < shown ? element.getText(value, /*allDigits=*/false) : "...";
    return ++number <= shown;
  });
  return element.name + ("[" + joinSizes(shape) + "] {" + text + "}");
}

} // namespace hloc::runtime
