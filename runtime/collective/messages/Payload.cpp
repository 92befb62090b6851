// SPDX-License-Identifier: Apache-2.0

#include "collective/messages/Payload.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace hloc::runtime {

/// The alignment of boxes, for the vectors of combining functions.
static constexpr int64_t kAlignment = 64;

static uint64_t hashed(uint64_t hash, int64_t value) {
  hash = (hash ^ uint64_t(value)) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 29;
}

static uint64_t hashed(uint64_t hash, const int64_t *values, int64_t count) {
  hash = hashed(hash, count);
  for (int64_t i = 0; i < count; ++i)
    hash = hashed(hash, values[i]);
  return hash;
}

Header::Header(const Member &member, int64_t payloadBytes)
    : kind(member.what->kind), hasChannel(member.what->has_channel), channel(member.what->channel),
      root(member.root), shapes(0), payloadBytes(payloadBytes) {
  const hlort_collective &what = *member.what;
  std::snprintf(where, sizeof where, "%s", describe(what).c_str());
  if (isPeerTransfer(what)) {
    kind = HLORT_PEER_SEND;
    MovedArrays moved(what);
    for (int64_t i = 0; i < moved.count; ++i)
      shapes = hashed(hashed(shapes, moved.arrays[i].element_type), moved.arrays[i].dims,
                      moved.arrays[i].rank);
    return;
  }
  shapes = hashed(hashed(shapes, what.dimension), what.result_count);
  for (int64_t i = 0; i < what.operand_count; ++i)
    shapes = hashed(hashed(shapes, what.operands[i].element_type), what.operands[i].dims,
                    what.operands[i].rank);
  shapes = hashed(shapes, what.pairs, 2 * what.pair_count);
  shapes = hashed(shapes, what.slice_sizes, what.slice_size_count);
}

const char *difference(const Header &one, const Header &other) {
  if (one.kind != other.kind)
    return "they are not the same operation";
  if (one.hasChannel != other.hasChannel || one.channel != other.channel)
    return "their channels differ";
  if (one.shapes != other.shapes)
    return "their shapes or pairs differ";
  return one.root != other.root ? "their roots differ" : nullptr;
}

Payload::Payload(std::vector<Box> parts, int64_t prefix) : boxes(std::move(parts)), bytes(prefix) {
  for (const Box &box : boxes) {
    if (!offsets.empty() || prefix)
      bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    offsets.push_back(bytes);
    bytes += box.packedBytes();
  }
}

void Payload::pack(char *to, const std::vector<const void *> &operands) const {
  for (size_t i = 0; i < boxes.size(); ++i) {
    if (boxes[i].packedBytes() > 0 && boxes[i].rows * boxes[i].bits % 8)
      to[offsets[i] + boxes[i].packedBytes() - 1] = 0;
    copyBox(packed(boxes[i]), to + offsets[i], operands[boxes[i].from]);
  }
}

void Payload::unpack(const std::vector<void *> &results, const char *from) const {
  for (size_t i = 0; i < boxes.size(); ++i)
    copyBox(unpacked(boxes[i]), results[boxes[i].to], from + offsets[i]);
}

std::vector<Box> reducedBoxes(const hlort_collective &what, int32_t t, int32_t n, bool isShared) {
  std::vector<Box> boxes;
  for (int64_t i = 0; i < what.operand_count; ++i) {
    Box box = keptBox(what, i, t, n);
    if (isShared) {
      // Shares begin at byte boundaries, whatever the type.
      int64_t bits = elementBits(what.operands[i]), groups = (box.bits / bits + 7) / 8;
      int64_t begin = groups * t / n * 8 * bits, end = groups * (t + 1) / n * 8 * bits;
      box.fromOffset = box.toOffset = begin;
      box.bits = std::min(end, box.bits) - std::min(begin, box.bits);
    }
    boxes.push_back(box);
  }
  return boxes;
}

void reducePayloads(const Member &member, const Payload &payload,
                    const std::vector<const char *> &sent) {
  alignas(kAlignment) char sum[Pieces::kBytes];
  for (size_t i = 0; i < payload.boxes.size(); ++i) {
    const Box &box = payload.boxes[i];
    const hlort_collective_array &array = member.what->operands[box.from];
    int64_t bits = box.rows * box.bits, elementSize = elementBits(array);
    Pieces pieces(1, bits);
    for (int64_t p = 0; p < pieces.count(); ++p) {
      int64_t begin = pieces[p].bitBegin, count = pieces[p].bitEnd - begin;
      const int64_t at = payload.offsets[i] + begin / 8;
      std::memcpy(sum, sent[0] + at, size_t((count + 7) / 8));
      for (size_t m = 1; m < sent.size(); ++m)
        array.combine(sum, sent[m] + at, count / elementSize);
      // Results of reductions are contiguous.
      copyBits(member.results[box.to], box.toOffset + begin, sum, 0, count);
    }
  }
}

} // namespace hloc::runtime
