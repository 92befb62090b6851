// SPDX-License-Identifier: Apache-2.0

#include "program/Array.h"

#include <cstring>
#include <functional>
#include <numeric>

namespace hloc::runtime {

ArrayShape getBounds(const hlort_port &port) { return {port.dims, port.dims + port.rank}; }

int64_t countElements(const ArrayShape &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

std::string getIndexText(int64_t position, const ArrayShape &shape) {
  std::string text;
  for (size_t d = shape.size(); d-- > 0; position /= shape[d])
    text = std::to_string(position % shape[d]) + (text.empty() ? "" : ",") + text;
  return "[" + text + "]";
}

ArrayPlaces::ArrayPlaces(const hlort_port &port, const ArrayShape &shape)
    : element(*findElement(port.element_type)), shape(shape), strides(shape.size()),
      count(countElements(shape)) {
  for (int64_t i = 0, step = 1; i < port.rank; ++i) {
    int64_t dimension = port.minor_to_major ? port.minor_to_major[i] : port.rank - 1 - i;
    strides[size_t(dimension)] = step;
    step *= port.dims[dimension];
  }
}

int64_t ArrayPlaces::getPlace(int64_t position) const {
  int64_t place = 0;
  for (size_t d = shape.size(); d-- > 0; position /= shape[d])
    place += position % shape[d] * strides[d];
  return place;
}

void ArrayPlaces::store(const char *source, char *memory, int64_t place) const {
  if (element.bits >= 8) {
    std::memcpy(memory + place * element.getBytes(), source, size_t(element.getBytes()));
    return;
  }
  int64_t bit = place * element.bits;
  int mask = (1 << element.bits) - 1, shift = int(bit % 8);
  char &byte = memory[bit / 8];
  byte = char((byte & ~(mask << shift)) | ((*source & mask) << shift));
}

void ArrayPlaces::load(const char *memory, int64_t place, char *target) const {
  if (element.bits >= 8) {
    std::memcpy(target, memory + place * element.getBytes(), size_t(element.getBytes()));
    return;
  }
  int64_t bit = place * element.bits;
  int value = (uint8_t(memory[bit / 8]) >> (bit % 8)) & ((1 << element.bits) - 1);
  if (element.kind == Element::Signed && value >> (element.bits - 1))
    value -= 1 << element.bits;
  *target = char(value);
}

} // namespace hloc::runtime
