// SPDX-License-Identifier: Apache-2.0
// Offsets of buffers: largest first, each at the best place that is free during its whole life
// (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference"): in the memory
// of a result before that is written, or else in the smallest gap of the arena.
#include "passes/memory/AssignBuffersPlan.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::buffers;

static constexpr int64_t alignment = 64;

static int64_t align(int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// The alignment of elements of `type` that a host guarantees.
static int64_t getElementAlignment(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  return std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
}

/// The best offset for `buffer` below `capacity` among the buffers `placed`, which are sorted by
/// offset; -1 if there is none.
int64_t Plan::findOffset(const Buffer &buffer, ArrayRef<int> placed, int64_t capacity) {
  int64_t size = align(buffer.bytes), offset = 0, best = -1, bestGap = INT64_MAX;
  for (int other : placed) {
    const Buffer &neighbour = buffers[other];
    if (neighbour.end() <= buffer.begin() || buffer.end() <= neighbour.begin())
      continue;
    int64_t gap = neighbour.offset - offset;
    if (gap >= size && gap < bestGap) {
      best = offset;
      bestGap = gap;
    }
    offset = std::max(offset, neighbour.offset + align(neighbour.bytes));
  }
  if (best >= 0)
    return best;
  return offset <= capacity - buffer.bytes ? offset : -1;
}

/// Inserts `node`, whose offset is set, into `placed`.
static void insertByOffset(std::vector<int> &placed, int node, ArrayRef<Buffer> buffers) {
  auto after = llvm::upper_bound(placed, buffers[node].offset, [&](int64_t value, int other) {
    return value < buffers[other].offset;
  });
  placed.insert(after, node);
}

/// Finds the smallest result that has room for `node`.
bool Plan::placeInResult(int node) {
  Buffer &buffer = buffers[node];
  int best = -1;
  int64_t bestOffset = -1;
  for (auto &[result, placed] : placedInResults) {
    const Buffer &host = buffers[result];
    if (getElementAlignment(host.type) % getElementAlignment(buffer.type) != 0 ||
        (best >= 0 && buffers[best].bytes <= host.bytes))
      continue;
    bool inUse = llvm::any_of(host.ranges, [&](const Range &range) {
      return range.begin < buffer.end() && buffer.begin() < range.end;
    });
    int64_t offset = inUse ? -1 : findOffset(buffer, placed, host.bytes);
    if (offset < 0)
      continue;
    best = result;
    bestOffset = offset;
  }
  if (best < 0)
    return false;
  buffer.place = Place::InResult;
  buffer.index = buffers[best].index;
  buffer.offset = bestOffset;
  bytesInResults += buffer.bytes;
  insertByOffset(placedInResults[best], node, buffers);
  return true;
}

void Plan::place() {
  std::vector<int> order;
  for (int node = 0; node < int(buffers.size()); ++node) {
    Buffer &buffer = buffers[node];
    if (find(node) != node || buffer.ranges.empty())
      continue;
    if (buffer.place == Place::Result)
      placedInResults[node];
    if (buffer.place != Place::Arena)
      continue;
    if (buffer.bytes <= maxStackBytes)
      buffer.place = Place::Stack;
    else
      order.push_back(node);
  }
  llvm::stable_sort(order, [&](int a, int b) { return buffers[a].bytes > buffers[b].bytes; });
  std::vector<int> placed;
  for (int node : order) {
    if (placeInResult(node))
      continue;
    Buffer &buffer = buffers[node];
    buffer.offset = findOffset(buffer, placed, INT64_MAX);
    arenaBytes = std::max(arenaBytes, buffer.offset + align(buffer.bytes));
    insertByOffset(placed, node, buffers);
    arenaBuffers.push_back(node);
  }
  llvm::sort(arenaBuffers);
  // The bound: sum the bytes that become live and dead along the program.
  std::vector<std::pair<int64_t, int64_t>> changes;
  for (int node : arenaBuffers) {
    changes.push_back({buffers[node].begin(), align(buffers[node].bytes)});
    changes.push_back({buffers[node].end(), -align(buffers[node].bytes)});
  }
  llvm::sort(changes);
  int64_t now = 0;
  for (auto [position, bytes] : changes)
    arenaBound = std::max(arenaBound, now += bytes);
}
