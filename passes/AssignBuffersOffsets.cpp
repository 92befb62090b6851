// SPDX-License-Identifier: Apache-2.0
// Offsets of buffers in the arena: largest first, each at the lowest place that is free during its
// whole life (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference").
#include "passes/AssignBuffersPlan.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::buffers;

static constexpr int64_t alignment = 64;

static int64_t align(int64_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

void Plan::place() {
  for (int node = 0; node < int(buffers.size()); ++node) {
    Buffer &buffer = buffers[node];
    if (find(node) != node || buffer.place != Place::Arena || buffer.ranges.empty())
      continue;
    if (buffer.bytes <= maxStackBytes)
      buffer.place = Place::Stack;
    else
      arenaBuffers.push_back(node);
  }
  // The bound: bytes gained and lost along the program.
  std::vector<std::pair<int64_t, int64_t>> changes;
  for (int node : arenaBuffers) {
    changes.push_back({buffers[node].begin(), align(buffers[node].bytes)});
    changes.push_back({buffers[node].end(), -align(buffers[node].bytes)});
  }
  llvm::sort(changes);
  int64_t now = 0;
  for (auto [position, bytes] : changes)
    arenaBound = std::max(arenaBound, now += bytes);

  std::vector<int> order(arenaBuffers);
  llvm::stable_sort(order, [&](int a, int b) { return buffers[a].bytes > buffers[b].bytes; });
  std::vector<int> placed; // by offset
  for (int node : order) {
    Buffer &buffer = buffers[node];
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
    buffer.offset = best >= 0 ? best : offset;
    arenaBytes = std::max(arenaBytes, buffer.offset + size);
    auto after = llvm::upper_bound(placed, buffer.offset, [&](int64_t value, int other) {
      return value < buffers[other].offset;
    });
    placed.insert(after, node);
  }
}
