// SPDX-License-Identifier: Apache-2.0
// The data that each kind of collective moves between two members.

#include "collective/Member.h"

namespace hloc::runtime {

namespace {
/// An array divided into the dimensions before one, and those from it on.
struct Split {
  int64_t rows = 1;
  int64_t bits = 1; // of a row
};
} // namespace

static Split splitAt(const hlort_collective_array &array, int64_t dimension) {
  Split split;
  for (int64_t d = 0; d < array.rank; ++d)
    (d < dimension ? split.rows : split.bits) *= array.dims[d];
  split.bits *= elementBits(array);
  return split;
}

/// Joins contiguous rows into one.
static Box joinRows(Box box) {
  if (box.fromStride == box.bits && box.toStride == box.bits) {
    box.bits *= box.rows;
    box.rows = 1;
  }
  return box;
}

static Box wholeBox(const hlort_collective_array &array, int64_t from, int64_t to) {
  Box box;
  box.from = int32_t(from), box.to = int32_t(to);
  box.bits = elementCount(array) * elementBits(array);
  return box;
}

/// Part `fromPart` of `fromParts` of an operand's rows to part `toPart` of `toParts` of the
/// result's.
static Box partBox(const hlort_collective &what, int64_t i, int64_t fromPart, int64_t fromParts,
                   int64_t toPart, int64_t toParts) {
  Split split = splitAt(what.operands[i], what.dimension);
  Box box;
  box.from = box.to = int32_t(i);
  box.rows = split.rows, box.bits = split.bits / fromParts;
  box.fromOffset = fromPart * box.bits, box.fromStride = split.bits;
  box.toOffset = toPart * box.bits, box.toStride = toParts * box.bits;
  return joinRows(box);
}

Box keptBox(const hlort_collective &what, int64_t array, int32_t t, int32_t n) {
  return what.kind == HLORT_ALL_REDUCE ? wholeBox(what.operands[array], array, array)
                                       : partBox(what, array, t, n, 0, 1);
}

static bool isInside(const hlort_collective_array &array, const int64_t *starts,
                     const int64_t *sizes) {
  for (int32_t d = 0; d < array.rank; ++d)
    if (starts[d] < 0 || sizes[d] < 0 || sizes[d] > array.dims[d] ||
        starts[d] > array.dims[d] - sizes[d])
      return false;
  return true;
}

/// The slices of arrays that the source sends: all, or if `only` >= 0, that slice of each array.
static bool appendSlices(std::vector<Box> &boxes, const Member &source, int64_t only) {
  const hlort_collective &what = *source.what;
  int64_t k = what.result_count;
  const int64_t *sizes = what.slice_sizes, *starts = source.numbers.data();
  const int64_t *end = sizes + what.slice_size_count;
  for (int64_t i = 0; i < k; ++i) {
    const hlort_collective_array &input = what.operands[i], &output = what.operands[k + i];
    int64_t count = elementCount(what.operands[2 * k + i]), rank = input.rank;
    const int64_t *targets = starts + count;
    if (rank == 0 || output.rank != rank || count % rank || count > end - sizes ||
        input.element_type != output.element_type ||
        elementCount(what.operands[3 * k + i]) != count)
      return false;
    for (int64_t slice = 0; slice < count / rank; ++slice) {
      const int64_t *at = starts + slice * rank, *to = targets + slice * rank;
      if (only < 0 || only == slice) {
        if (!isInside(input, at, sizes) || !isInside(output, to, sizes))
          return false;
        appendSlice(boxes, int32_t(i), int32_t(i), elementBits(input), int32_t(rank), sizes,
                    input.dims, at, output.dims, to);
      }
      sizes += rank;
    }
    starts = targets + count;
  }
  return true;
}

/// The rows that the source sends to the member at position t.
static bool appendRaggedRows(std::vector<Box> &boxes, const Member &source, int32_t t, int32_t n) {
  const hlort_collective_array &input = source.what->operands[0],
                               &output = source.what->operands[1];
  int64_t total = elementCount(source.what->operands[3]), updates = total / n;
  Split rows = splitAt(input, 1);
  if (output.rank != input.rank || splitAt(output, 1).bits != rows.bits)
    return false;
  for (int64_t i = t * updates; i < (t + 1) * updates; ++i) {
    int64_t from = source.numbers[i], size = source.numbers[total + i],
            to = source.numbers[2 * total + i];
    if (from < 0 || size < 0 || to < 0 || size > input.dims[0] || from > input.dims[0] - size ||
        size > output.dims[0] || to > output.dims[0] - size)
      return false;
    Box box;
    box.bits = size * rows.bits;
    box.fromOffset = from * rows.bits, box.toOffset = to * rows.bits;
    if (box.bits > 0)
      boxes.push_back(box);
  }
  return true;
}

/// The number of `source` among those that send to `target`, and how many there are; -1 if it does
/// not send to it.
static int64_t senderNumber(const hlort_collective &what, int32_t source, int32_t target,
                            int64_t *senders) {
  int64_t number = -1;
  *senders = 0;
  for (int64_t i = 0; i < what.pair_count; ++i) {
    if (what.pairs[2 * i + 1] != target)
      continue;
    if (what.pairs[2 * i] == source)
      number = *senders;
    ++*senders;
  }
  return number;
}

bool appendBoxes(std::vector<Box> &boxes, const Member &source, const Group &group, int32_t s,
                 int32_t t) {
  const hlort_collective &what = *source.what;
  int32_t n = group.size();
  int64_t k = what.result_count, senders = 0, number = -1;
  switch (what.kind) {
  case HLORT_ALL_GATHER:
    for (int64_t i = 0; i < k; ++i)
      boxes.push_back(partBox(what, i, 0, 1, s, n));
    return true;
  case HLORT_ALL_TO_ALL:
    for (int64_t i = 0; i < k; ++i)
      boxes.push_back(partBox(what, i, t, n, s, n));
    return true;
  case HLORT_ALL_TO_ALL_TUPLE:
    boxes.push_back(wholeBox(what.operands[t], t, s));
    return true;
  case HLORT_COLLECTIVE_BROADCAST:
    for (int64_t i = 0; i < k && s == source.root; ++i)
      boxes.push_back(wholeBox(what.operands[i], i, i));
    return true;
  case HLORT_RAGGED_ALL_TO_ALL:
    return appendRaggedRows(boxes, source, t, n);
  case HLORT_PEER_SEND:
  case HLORT_PEER_RECV: { // given by either side
    MovedArrays moved(what);
    for (int64_t i = 0; i < moved.count && s < t; ++i)
      boxes.push_back(wholeBox(moved.arrays[i], i, i));
    return true;
  }
  default:
    break;
  }
  number = senderNumber(what, group.members[s], group.members[t], &senders);
  if (number < 0)
    return true;
  if (what.kind == HLORT_COLLECTIVE_PERMUTE_SLICES)
    return appendSlices(boxes, source, senders == 1 ? -1 : number);
  // If several members send, the last one's operand remains.
  for (int64_t i = 0; i < k && number == senders - 1; ++i)
    boxes.push_back(wholeBox(what.operands[i], i, i));
  return true;
}

} // namespace hloc::runtime
