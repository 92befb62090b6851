// SPDX-License-Identifier: Apache-2.0

#include "Operation.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <random>

namespace hloc::test {

int64_t Shape::count() const {
  int64_t count = 1;
  for (int64_t size : dims)
    count *= size;
  return count;
}

int64_t Shape::bytes() const { return (count() * hlort_element_bits(type) + 7) / 8; }

Index Operation::groupOf(int64_t participant, int64_t participants) const {
  Index everybody;
  for (int64_t i = 0; i < participants; ++i)
    everybody.push_back(i);
  if (groups.empty())
    return everybody;
  for (const Index &group : groups)
    if (std::find(group.begin(), group.end(), participant) != group.end())
      return group;
  return {};
}

int64_t Operation::aliasOf(int64_t result) const {
  if (!isInPlace)
    return -1;
  return kind == HLORT_COLLECTIVE_PERMUTE_SLICES ? int64_t(results.size()) + result
         : kind == HLORT_RAGGED_ALL_TO_ALL       ? 1
                                                 : result;
}

Descriptor::Descriptor(const Operation &source, const hlort_program &program) : operation(source) {
  for (const Shape &shape : operation.operands)
    operands.push_back(
        {shape.type, int32_t(shape.dims.size()), shape.dims.data(), combineOf(shape.type)});
  for (const Shape &shape : operation.results)
    results.push_back({shape.type, int32_t(shape.dims.size()), shape.dims.data(), nullptr});
  for (const Index &group : operation.groups) {
    groupSizes.push_back(int64_t(group.size()));
    members.insert(members.end(), group.begin(), group.end());
  }
  what.program = &program;
  what.name = operation.name.c_str();
  what.place = "test.hlo:1:1";
  what.kind = operation.kind;
  what.dimension = operation.dimension;
  what.operand_count = int64_t(operands.size());
  what.operands = operands.data();
  what.result_count = int64_t(results.size());
  what.results = results.data();
  what.group_count = int64_t(groupSizes.size());
  what.group_sizes = groupSizes.data();
  what.members = members.data();
  what.pair_count = int64_t(operation.pairs.size() / 2);
  what.pairs = operation.pairs.data();
  what.slice_size_count = int64_t(operation.sliceSizes.size());
  what.slice_sizes = operation.sliceSizes.data();
}

//===- Reductions ----------------------------------------------------------------------------===//

template <typename T> static void combineNumbers(void *into, const void *from, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    T a, b;
    std::memcpy(&a, static_cast<char *>(into) + i * sizeof(T), sizeof(T));
    std::memcpy(&b, static_cast<const char *>(from) + i * sizeof(T), sizeof(T));
    a = T(a * T(3) + b);
    std::memcpy(static_cast<char *>(into) + i * sizeof(T), &a, sizeof(T));
  }
}

template <int bits> static void combinePacked(void *into, const void *from, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    int shift = int(i * bits % 8), mask = (1 << bits) - 1;
    uint8_t &byte = static_cast<uint8_t *>(into)[i * bits / 8];
    int a = byte >> shift & mask,
        b = static_cast<const uint8_t *>(from)[i * bits / 8] >> shift & mask;
    byte = uint8_t((byte & ~(mask << shift)) | (((a * 3 + b + 1) & mask) << shift));
  }
}

hlort_combine combineOf(int32_t type) {
  switch (type) {
  case HLORT_F32:
    return combineNumbers<float>;
  case HLORT_F64:
    return combineNumbers<double>;
  case HLORT_C64:
    return combineNumbers<std::complex<float>>;
  case HLORT_C128:
    return combineNumbers<std::complex<double>>;
  default:
    break;
  }
  switch (hlort_element_bits(type)) {
  case 1:
    return combinePacked<1>;
  case 2:
    return combinePacked<2>;
  case 4:
    return combinePacked<4>;
  case 8:
    return combineNumbers<uint8_t>;
  case 16:
    return combineNumbers<uint16_t>;
  case 32:
    return combineNumbers<uint32_t>;
  default:
    return combineNumbers<uint64_t>;
  }
}

//===- Elements ------------------------------------------------------------------------------===//

/// The element in the low bits.
static Bytes getElement(const Shape &shape, const Bytes &bytes, int64_t i) {
  int64_t bits = hlort_element_bits(shape.type);
  if (bits < 8)
    return {uint8_t(bytes[i * bits / 8] >> (i * bits % 8) & ((1 << bits) - 1))};
  return Bytes(bytes.begin() + i * bits / 8, bytes.begin() + (i + 1) * bits / 8);
}

static void setElement(const Shape &shape, Bytes &bytes, int64_t i, const Bytes &element) {
  int64_t bits = hlort_element_bits(shape.type);
  if (bits >= 8) {
    std::copy(element.begin(), element.end(), bytes.begin() + i * bits / 8);
    return;
  }
  int shift = int(i * bits % 8), mask = (1 << bits) - 1;
  uint8_t &byte = bytes[i * bits / 8];
  byte = uint8_t((byte & ~(mask << shift)) | ((element[0] & mask) << shift));
}

void clearPadding(const Shape &shape, Bytes &bytes) {
  for (int64_t bit = shape.count() * hlort_element_bits(shape.type), end = bytes.size() * 8;
       bit < end; ++bit)
    bytes[bit / 8] &= uint8_t(~(1 << bit % 8));
}

static int64_t flat(const Index &dims, const Index &index) {
  int64_t number = 0;
  for (size_t d = 0; d < dims.size(); ++d)
    number = number * dims[d] + index[d];
  return number;
}

template <typename Function> static void forEachIndex(const Index &dims, Function function) {
  for (int64_t size : dims)
    if (size == 0)
      return;
  Index index(dims.size());
  while (true) {
    function(index);
    size_t d = dims.size();
    while (d > 0 && ++index[d - 1] == dims[d - 1])
      index[--d] = 0;
    if (d == 0)
      return;
  }
}

static Index integersOf(const Shape &shape, const Bytes &bytes) {
  Index numbers;
  for (int64_t i = 0; i < shape.count(); ++i) {
    int64_t value = 0;
    Bytes element = getElement(shape, bytes, i);
    std::memcpy(&value, element.data(), element.size());
    numbers.push_back(value);
  }
  return numbers;
}

std::vector<std::vector<Bytes>> makeOperands(const Operation &operation, int64_t participants,
                                             uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::vector<Bytes>> all(participants);
  for (int64_t p = 0; p < participants; ++p)
    for (const Shape &shape : operation.operands) {
      Bytes bytes(shape.bytes());
      for (uint8_t &byte : bytes)
        byte = uint8_t(random() & 0x3f); // floats are small numbers
      clearPadding(shape, bytes);
      all[p].push_back(bytes);
    }
  for (const auto &[operand, values] : operation.integers)
    for (int64_t p = 0; p < participants; ++p) {
      const Shape &shape = operation.operands[operand];
      const Index &mine = values[values.size() == 1 ? 0 : p];
      for (int64_t i = 0; i < shape.count(); ++i) {
        Bytes element(sizeof(int64_t));
        std::memcpy(element.data(), &mine[i], sizeof(int64_t));
        element.resize(hlort_element_bits(shape.type) / 8);
        setElement(shape, all[p][operand], i, element);
      }
    }
  return all;
}

//===- Definitions ---------------------------------------------------------------------------===//

namespace {
struct Definition {
  const Operation &operation;
  const std::vector<std::vector<Bytes>> &operands;
  int64_t participant;
  Index group;
  int64_t place;
  int64_t n = int64_t(group.size());

  Bytes element(int64_t member, int64_t operand, const Index &index) const {
    const Shape &shape = operation.operands[operand];
    return getElement(shape, operands[member][operand], flat(shape.dims, index));
  }
  Bytes fold(int64_t operand, const Index &index) const {
    Bytes sum = element(group[0], operand, index);
    for (int64_t m = 1; m < n; ++m)
      combineOf(operation.operands[operand].type)(sum.data(),
                                                  element(group[m], operand, index).data(), 1);
    return sum;
  }
  Index sources() const {
    Index result;
    for (size_t i = 0; i + 1 < operation.pairs.size(); i += 2)
      if (operation.pairs[i + 1] == participant)
        result.push_back(operation.pairs[i]);
    return result;
  }
  /// The element of result i at that index, of the kinds that say it so.
  Bytes resultElement(int64_t i, Index index) const;
  void slices(std::vector<Bytes> &results) const;
  void ragged(std::vector<Bytes> &results) const;
  void move(int64_t source, int64_t from, Index start, Bytes &result, int64_t to, Index target,
            const Index &sizes) const;
};
} // namespace

Bytes Definition::resultElement(int64_t i, Index index) const {
  int64_t d = operation.dimension, member;
  Bytes zero(std::max(hlort_element_bits(operation.results[i].type) / 8, 1));
  if (operation.kind == HLORT_COLLECTIVE_PERMUTE)
    return sources().empty() ? zero : element(sources().back(), i, index);
  if (n == 0)
    return zero;
  switch (operation.kind) {
  case HLORT_ALL_REDUCE:
    return fold(i, index);
  case HLORT_REDUCE_SCATTER:
    index[d] += place * operation.results[i].dims[d];
    return fold(i, index);
  case HLORT_ALL_GATHER: {
    int64_t size = operation.operands[i].dims[d];
    member = index[d] / size;
    index[d] %= size;
    return element(group[member], i, index);
  }
  case HLORT_ALL_TO_ALL: {
    int64_t part = operation.operands[i].dims[d] / n;
    member = index[d] / part;
    index[d] = index[d] % part + place * part;
    return element(group[member], i, index);
  }
  case HLORT_ALL_TO_ALL_TUPLE:
    return element(group[i], place, index);
  default: { // broadcast
    int64_t root = 0;
    if (operation.operands.size() > operation.results.size())
      root = integersOf(operation.operands.back(), operands[participant].back())[0];
    return element(group[root], i, index);
  }
  }
}

void Definition::move(int64_t source, int64_t from, Index start, Bytes &result, int64_t to,
                      Index target, const Index &sizes) const {
  forEachIndex(sizes, [&](const Index &index) {
    Index at = index, there = index;
    for (size_t d = 0; d < index.size(); ++d)
      at[d] += start[d], there[d] += target[d];
    const Shape &shape = operation.operands[to];
    setElement(shape, result, flat(shape.dims, there), element(source, from, at));
  });
}

void Definition::slices(std::vector<Bytes> &results) const {
  int64_t k = int64_t(operation.results.size());
  for (size_t number = 0; number < sources().size(); ++number) {
    int64_t source = sources()[number], used = 0;
    for (int64_t i = 0; i < k; ++i) {
      Index starts = integersOf(operation.operands[2 * k + i], operands[source][2 * k + i]),
            targets = integersOf(operation.operands[3 * k + i], operands[source][3 * k + i]);
      size_t rank = operation.operands[i].dims.size();
      for (size_t s = 0; s < starts.size() / rank; ++s, used += int64_t(rank)) {
        auto part = [&](const Index &all, size_t at) {
          return Index(all.begin() + at, all.begin() + at + rank);
        };
        if (sources().size() == 1 || s == number)
          move(source, i, part(starts, s * rank), results[i], k + i, part(targets, s * rank),
               part(operation.sliceSizes, used));
      }
    }
  }
}

void Definition::ragged(std::vector<Bytes> &results) const {
  for (int64_t source : group) {
    Index offsets = integersOf(operation.operands[2], operands[source][2]),
          sizes = integersOf(operation.operands[3], operands[source][3]),
          targets = integersOf(operation.operands[4], operands[source][4]);
    int64_t updates = int64_t(sizes.size()) / n;
    for (int64_t i = place * updates; i < (place + 1) * updates; ++i) {
      Index start(operation.operands[0].dims.size()), target = start,
                                                      size = operation.operands[0].dims;
      start[0] = offsets[i], target[0] = targets[i], size[0] = sizes[i];
      move(source, 0, start, results[0], 1, target, size);
    }
  }
}

std::vector<Bytes> resultsByDefinition(const Operation &operation, int64_t participant,
                                       const std::vector<std::vector<Bytes>> &operands) {
  Index group = operation.groupOf(participant, int64_t(operands.size()));
  Definition definition{operation, operands, participant, group,
                        std::find(group.begin(), group.end(), participant) - group.begin()};
  std::vector<Bytes> results;
  for (size_t i = 0; i < operation.results.size(); ++i) {
    const Shape &shape = operation.results[i];
    results.emplace_back(shape.bytes());
    if (operation.kind == HLORT_COLLECTIVE_PERMUTE_SLICES)
      results[i] = operands[participant][operation.results.size() + i];
    else if (operation.kind == HLORT_RAGGED_ALL_TO_ALL)
      results[i] = operands[participant][1];
    else
      forEachIndex(shape.dims, [&](const Index &index) {
        setElement(shape, results[i], flat(shape.dims, index),
                   definition.resultElement(int64_t(i), index));
      });
  }
  if (operation.kind == HLORT_COLLECTIVE_PERMUTE_SLICES)
    definition.slices(results);
  if (operation.kind == HLORT_RAGGED_ALL_TO_ALL)
    definition.ragged(results);
  return results;
}

} // namespace hloc::test
