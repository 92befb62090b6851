// SPDX-License-Identifier: Apache-2.0

#include "collective/Member.h"

#include <algorithm>
#include <cstring>

namespace hloc::runtime {

int64_t elementBits(const hlort_collective_array &array) {
  return hlort_element_bits(array.element_type);
}

int64_t elementCount(const hlort_collective_array &array) {
  int64_t count = 1;
  for (int32_t d = 0; d < array.rank; ++d)
    count *= array.dims[d];
  return count;
}

int64_t byteCount(const hlort_collective_array &array) {
  return (elementCount(array) * elementBits(array) + 7) / 8;
}

bool isReduction(const hlort_collective &what) {
  return what.kind == HLORT_ALL_REDUCE || what.kind == HLORT_REDUCE_SCATTER;
}

Text describe(const hlort_collective &what) {
  static const char *const names[] = {"all-reduce",
                                      "reduce-scatter",
                                      "all-gather",
                                      "all-to-all",
                                      "all-to-all",
                                      "collective-broadcast",
                                      "collective-permute",
                                      "collective-permute",
                                      "ragged-all-to-all",
                                      "send",
                                      "recv"};
  return Text("%s '%s' (%s)", names[what.kind], what.name, what.place);
}

bool isPeerTransfer(const hlort_collective &what) {
  return what.kind == HLORT_PEER_SEND || what.kind == HLORT_PEER_RECV;
}

MovedArrays::MovedArrays(const hlort_collective &what)
    : count(what.kind == HLORT_PEER_SEND ? what.operand_count : what.result_count),
      arrays(what.kind == HLORT_PEER_SEND ? what.operands : what.results) {}

static void mixInto(uint64_t &hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  hash ^= hash >> 29;
}

/// The source and the target of a transfer.
static Group findPartners(const hlort_collective &what, int32_t participant) {
  Group group;
  for (int64_t i = 0; i < what.pair_count; ++i) {
    int32_t source = int32_t(what.pairs[2 * i]), target = int32_t(what.pairs[2 * i + 1]);
    if ((what.kind == HLORT_PEER_SEND ? source : target) != participant)
      continue;
    group.members.assign({source, target});
    if (source == target)
      group.members.pop_back();
    break;
  }
  group.place = what.kind == HLORT_PEER_SEND || group.size() < 2 ? 0 : 1;
  mixInto(group.hash, HLORT_PEER_SEND);
  mixInto(group.hash, uint64_t(what.channel));
  for (int32_t member : group.members)
    mixInto(group.hash, uint64_t(member + 1));
  return group;
}

Group findGroup(const hlort_collective &what, int32_t participant, int32_t participants) {
  if (isPeerTransfer(what))
    return findPartners(what, participant);
  Group group;
  if (what.group_count == 0)
    for (int32_t i = 0; i < participants; ++i)
      group.members.push_back(i);
  const int64_t *members = what.members;
  for (int64_t i = 0; i < what.group_count; members += what.group_sizes[i++])
    if (std::find(members, members + what.group_sizes[i], participant) !=
        members + what.group_sizes[i])
      group.members.assign(members, members + what.group_sizes[i]);
  for (int32_t i = 0; i < group.size(); ++i) {
    if (group.members[i] == participant)
      group.place = i;
    mixInto(group.hash, uint64_t(group.members[i] + 1));
  }
  return group;
}

//===- Reading the operands ------------------------------------------------------------------===//

static int64_t readInteger(const hlort_collective_array &array, const void *data, int64_t i) {
  int64_t bits = elementBits(array), value = 0;
  copyBits(&value, 0, data, i * bits, bits);
  switch (array.element_type) {
  case HLORT_S1:
  case HLORT_S2:
  case HLORT_S4:
  case HLORT_S8:
  case HLORT_S16:
  case HLORT_S32:
    return int64_t(uint64_t(value) << (64 - bits)) >> (64 - bits);
  default:
    return value;
  }
}

static void appendIntegers(std::vector<int64_t> &numbers, const hlort_collective_array &array,
                           const void *data) {
  for (int64_t i = 0, count = elementCount(array); i < count; ++i)
    numbers.push_back(readInteger(array, data, i));
}

/// True if operands and results have the sizes that the kind requires.
static bool hasMatchingShapes(const hlort_collective &what, int64_t members) {
  auto matches = [&](int64_t operand, int64_t result, int64_t operandParts, int64_t resultParts) {
    const hlort_collective_array &from = what.operands[operand], &to = what.results[result];
    return from.element_type == to.element_type &&
           elementCount(from) * resultParts == elementCount(to) * operandParts;
  };
  int64_t k = what.result_count;
  if (isPeerTransfer(what))
    return what.kind == HLORT_PEER_SEND ? k == 0 : what.operand_count == 0;
  bool hasDimension = what.kind == HLORT_REDUCE_SCATTER || what.kind == HLORT_ALL_GATHER ||
                      what.kind == HLORT_ALL_TO_ALL;
  if (what.kind == HLORT_RAGGED_ALL_TO_ALL)
    return what.operand_count == 6 && k == 1 && what.operands[0].rank > 0 && matches(1, 0, 1, 1) &&
           elementCount(what.operands[3]) % members == 0 &&
           elementCount(what.operands[2]) == elementCount(what.operands[3]) &&
           elementCount(what.operands[4]) == elementCount(what.operands[3]);
  bool isSlices = what.kind == HLORT_COLLECTIVE_PERMUTE_SLICES;
  bool hasRoot = what.kind == HLORT_COLLECTIVE_BROADCAST && what.operand_count == k + 1;
  if (what.operand_count != (isSlices ? 4 * k : k + hasRoot) ||
      (what.kind == HLORT_ALL_TO_ALL_TUPLE && k != members))
    return false;
  for (int64_t i = 0; i < k; ++i) {
    const hlort_collective_array &array = what.operands[i];
    if (hasDimension && (what.dimension < 0 || what.dimension >= array.rank ||
                         (what.kind != HLORT_ALL_GATHER && array.dims[what.dimension] % members)))
      return false;
    if (!matches(isSlices ? k + i : i, i, what.kind == HLORT_REDUCE_SCATTER ? members : 1,
                 what.kind == HLORT_ALL_GATHER ? members : 1))
      return false;
  }
  return true;
}

int32_t Member::read(const hlort_collective &what, int32_t participant, const Group &group,
                     const void *const *operands, void *const *results, hlort_status *status) {
  this->what = &what;
  this->participant = participant;
  this->operands.assign(operands, operands + what.operand_count);
  this->results.assign(results, results + what.result_count);
  if (!hasMatchingShapes(what, std::max(group.size(), 1)))
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                            "%s: the shapes do not match a group of %d", describe(what).c_str(),
                            group.size());
  int64_t k = what.result_count;
  if (what.kind == HLORT_COLLECTIVE_BROADCAST && what.operand_count == k + 1 && group.size() > 0) {
    root = readInteger(what.operands[k], operands[k], 0);
    if (root < 0 || root >= group.size())
      return hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                              "%s: root %lld is not a member of a group of %d",
                              describe(what).c_str(), (long long)root, group.size());
  } else if (what.kind == HLORT_COLLECTIVE_PERMUTE_SLICES) {
    for (int64_t i = 0; i < k; ++i)
      for (int64_t operand : {2 * k + i, 3 * k + i})
        appendIntegers(numbers, what.operands[operand], operands[operand]);
  } else if (what.kind == HLORT_RAGGED_ALL_TO_ALL) {
    for (int64_t operand : {2, 3, 4})
      appendIntegers(numbers, what.operands[operand], operands[operand]);
  }
  return HLORT_OK;
}

void Member::writeInitialResults(const Group &group) const {
  auto isTarget = [&] {
    for (int64_t i = 0; i < what->pair_count; ++i)
      if (what->pairs[2 * i + 1] == participant)
        return true;
    return false;
  };
  int64_t firstOutput = -1; // among the operands
  if (what->kind == HLORT_COLLECTIVE_PERMUTE_SLICES)
    firstOutput = what->result_count;
  else if (what->kind == HLORT_RAGGED_ALL_TO_ALL)
    firstOutput = 1;
  else if (group.size() > 0 && (what->kind != HLORT_COLLECTIVE_PERMUTE || isTarget()))
    return;
  for (int64_t i = 0; i < what->result_count; ++i) {
    size_t bytes = size_t(byteCount(what->results[i]));
    if (firstOutput < 0)
      std::memset(results[i], 0, bytes);
    else if (operands[firstOutput + i] != results[i])
      std::memcpy(results[i], operands[firstOutput + i], bytes);
  }
}

//===- Comparing -----------------------------------------------------------------------------===//

static std::string shapesOf(const hlort_collective_array *arrays, int64_t count) {
  std::string text;
  for (int64_t i = 0; i < count; ++i) {
    const hlort_collective_array &array = arrays[i];
    text += (i ? ", " : "") + std::string("type ") + std::to_string(array.element_type) + " [";
    for (int32_t d = 0; d < array.rank; ++d)
      text += (d ? "," : "") + std::to_string(array.dims[d]);
    text += "]";
  }
  return text;
}

std::string difference(const Member &one, const Member &other) {
  const hlort_collective &a = *one.what, &b = *other.what;
  if (&a == &b)
    return one.root == other.root ? "" : "their roots differ";
  if (isPeerTransfer(a) && isPeerTransfer(b)) {
    MovedArrays one(a), other(b);
    bool isSame = shapesOf(one.arrays, one.count) == shapesOf(other.arrays, other.count);
    return isSame ? "" : "their shapes differ";
  }
  if (a.kind != b.kind)
    return "they are not the same operation";
  if (a.has_channel != b.has_channel || a.channel != b.channel)
    return "their channels differ";
  if (a.operand_count != b.operand_count || a.result_count != b.result_count ||
      a.dimension != b.dimension ||
      shapesOf(a.operands, a.operand_count) != shapesOf(b.operands, b.operand_count))
    return "their shapes differ";
  if (a.pair_count != b.pair_count || !std::equal(a.pairs, a.pairs + 2 * a.pair_count, b.pairs))
    return "their source-target pairs differ";
  if (a.slice_size_count != b.slice_size_count ||
      !std::equal(a.slice_sizes, a.slice_sizes + a.slice_size_count, b.slice_sizes))
    return "their slices differ";
  return one.root == other.root ? "" : "their roots differ";
}

} // namespace hloc::runtime
