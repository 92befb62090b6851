// SPDX-License-Identifier: Apache-2.0
// The operations that every communicator is tested with.

#include "Operation.h"

#include <algorithm>

namespace hloc::test {

static const int32_t kTypes[] = {HLORT_PRED, HLORT_S1,  HLORT_U2,  HLORT_S4,  HLORT_U8,
                                 HLORT_BF16, HLORT_F32, HLORT_S64, HLORT_C64, HLORT_C128};

/// One group of all, none at all, pairs, and one in which members are not in order.
static std::vector<std::vector<Index>> groupings(int64_t n) {
  Index all, reversed;
  for (int64_t i = 0; i < n; ++i)
    all.push_back(i);
  reversed.assign(all.rbegin(), all.rend());
  std::vector<std::vector<Index>> result = {{}, {reversed}};
  if (n % 2 == 0) {
    std::vector<Index> pairs;
    for (int64_t i = 0; i < n / 2; ++i)
      pairs.push_back({i + n / 2, i});
    result.push_back(pairs);
  }
  return result;
}

static Shape scaled(Shape shape, int64_t d, int64_t factor) {
  shape.dims[d] *= factor;
  return shape;
}

/// The kinds that split or join along a dimension, and all-reduce, for a part of that shape.
static void appendRegular(std::vector<Operation> &operations, const Shape &part, int64_t d,
                          const std::vector<Index> &groups, int64_t size) {
  Shape whole = scaled(part, d, size);
  auto add = [&](const char *name, hlort_collective_kind kind, Shape from, Shape to) {
    Operation operation{name, kind, {from}, {to}};
    operation.dimension = d;
    operation.groups = groups;
    operations.push_back(operation);
  };
  add("reduce", HLORT_ALL_REDUCE, part, part);
  operations.push_back(operations.back());
  operations.back().isInPlace = true;
  add("scatter", HLORT_REDUCE_SCATTER, whole, part);
  add("gather", HLORT_ALL_GATHER, part, whole);
  add("exchange", HLORT_ALL_TO_ALL, whole, whole);
  add("broadcast", HLORT_COLLECTIVE_BROADCAST, part, part);
}

static void appendTuples(std::vector<Operation> &operations, int64_t n,
                         const std::vector<Index> &groups, int64_t size) {
  Operation several{"several", HLORT_ALL_REDUCE, {}, {}};
  several.operands = {{HLORT_F32, {3, 5}}, {HLORT_S4, {7}}, {HLORT_F64, {}}, {HLORT_S32, {0}}};
  several.results = several.operands;
  several.groups = groups;
  operations.push_back(several);
  Operation tuple{"tuple", HLORT_ALL_TO_ALL_TUPLE, {}, {}};
  for (int64_t i = 0; i < size; ++i)
    tuple.operands.push_back({HLORT_F32, {4, 3}});
  tuple.results = tuple.operands;
  tuple.groups = groups;
  operations.push_back(tuple);
  Operation rooted{"rooted", HLORT_COLLECTIVE_BROADCAST, {}, {}};
  rooted.results = {{HLORT_F32, {9}}, {HLORT_S4, {3}}};
  rooted.operands = {rooted.results[0], rooted.results[1], {HLORT_S32, {}}};
  rooted.groups = groups;
  rooted.integers = {{2, {{size - 1}}}};
  operations.push_back(rooted);
  if (n > 2) {
    rooted.name = "outsiders";
    rooted.groups = {{2, 0}};
    rooted.integers = {{2, {{1}}}};
    operations.push_back(rooted);
  }
}

static void appendPermutes(std::vector<Operation> &operations, int64_t n) {
  Operation shift{"shift", HLORT_COLLECTIVE_PERMUTE, {}, {}};
  shift.operands = shift.results = {{HLORT_F32, {5, 2}}, {HLORT_S4, {5}}};
  for (int64_t i = 0; i + 1 < n; ++i)
    shift.pairs.insert(shift.pairs.end(), {i, i + 1});
  operations.push_back(shift);
  shift.name = "ring";
  shift.pairs.insert(shift.pairs.end(), {n - 1, 0});
  operations.push_back(shift);
  shift.name = "self";
  shift.pairs = {0, 0};
  operations.push_back(shift);

  Operation slices{"slices", HLORT_COLLECTIVE_PERMUTE_SLICES, {}, {}};
  Shape first{HLORT_F32, {3, 4, 5}}, second{HLORT_S4, {6, 3}};
  slices.results = {first, second};
  slices.operands = {first,
                     second,
                     first,
                     second,
                     {HLORT_S32, {2, 3}},
                     {HLORT_S64, {2}},
                     {HLORT_S32, {2, 3}},
                     {HLORT_S64, {2}}};
  slices.sliceSizes = {2, 3, 5, 1, 1, 3, 2, 2};
  slices.integers = {{4, {{1, 1, 0, 0, 0, 2}}}, {5, {{3, 1}}}};
  std::vector<Index> firstTargets, secondTargets;
  for (int64_t p = 0; p < n; ++p) {
    firstTargets.push_back({p % 2, p % 2, 0, 2, 3, p % 3});
    secondTargets.push_back({p % 5, p % 2});
  }
  slices.integers.push_back({6, firstTargets});
  slices.integers.push_back({7, secondTargets});
  for (int64_t i = 0; i < n; ++i)
    slices.pairs.insert(slices.pairs.end(), {i, (i + 1) % n});
  operations.push_back(slices);
  slices.isInPlace = true;
  operations.push_back(slices);
}

static void appendRagged(std::vector<Operation> &operations, int64_t n) {
  // Participant p sends (p + t) % 3 rows to t, one after the other; they arrive in their order.
  Operation ragged{"ragged", HLORT_RAGGED_ALL_TO_ALL, {}, {}};
  Shape rows{HLORT_BF16, {2 * n, 3}}, numbers{HLORT_S32, {n}};
  ragged.operands = {rows, rows, numbers, numbers, numbers, numbers};
  ragged.results = {rows};
  std::vector<Index> offsets(n), sizes(n), targets(n), receives(n);
  for (int64_t p = 0; p < n; ++p)
    for (int64_t t = 0, offset = 0; t < n; offset += (p + t++) % 3) {
      int64_t target = 0;
      for (int64_t before = 0; before < p; ++before)
        target += (before + t) % 3;
      offsets[p].push_back(offset);
      sizes[p].push_back((p + t) % 3);
      targets[p].push_back(target);
      receives[p].push_back((t + p) % 3);
    }
  ragged.integers = {{2, offsets}, {3, sizes}, {4, targets}, {5, receives}};
  operations.push_back(ragged);
  ragged.isInPlace = true;
  operations.push_back(ragged);
}

std::vector<Operation> makeOperations(int64_t n) {
  std::vector<Operation> operations;
  for (const std::vector<Index> &groups : groupings(n)) {
    int64_t size = groups.empty() ? n : int64_t(groups[0].size());
    for (int32_t type : kTypes) {
      appendRegular(operations, {type, {3}}, 0, groups, size);
      appendRegular(operations, {type, {2, 3, 5}}, 1, groups, size);
    }
    appendRegular(operations, {HLORT_F32, {0, 4}}, 1, groups, size);
    if (groups.size() == 1) {
      appendRegular(operations, {HLORT_F32, {3, 8300}}, 1, groups, size); // several pieces a row
      appendRegular(operations, {HLORT_S4, {2, 13001}}, 1, groups, size);
      appendRegular(operations, {HLORT_U8, {2000, 17}}, 1, groups, size); // several rows a piece
    }
    appendTuples(operations, n, groups, size);
  }
  appendPermutes(operations, n);
  appendRagged(operations, n);
  return operations;
}

} // namespace hloc::test
