// SPDX-License-Identifier: Apache-2.0
// Offsets of buffers: largest first, each at the best place that is free during its whole life
// (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference"): in the memory
// of a result before that is written, or else in the smallest gap of the arena. If that leaves
// holes, other orders are tried. Test: test/passes/memory/arena-offsets.mlir.
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

/// Assigns offsets in the arena to the buffers `order`, in this order; returns the arena's size.
int64_t Plan::placeInArena(ArrayRef<int> order) {
  std::vector<int> placed;
  int64_t bytes = 0;
  for (int node : order) {
    Buffer &buffer = buffers[node];
    buffer.offset = findOffset(buffer, placed, INT64_MAX);
    bytes = std::max(bytes, buffer.offset + align(buffer.bytes));
    insertByOffset(placed, node, buffers);
  }
  return bytes;
}

/// The number of live bytes in the arena, from each position at which it changes.
std::map<int64_t, int64_t> Plan::countArenaBytes() const {
  std::map<int64_t, int64_t> live;
  for (int node : arenaBuffers) {
    live[buffers[node].begin()] += align(buffers[node].bytes);
    live[buffers[node].end()] -= align(buffers[node].bytes);
  }
  int64_t now = 0;
  for (auto &[position, bytes] : live)
    bytes = now += bytes;
  return live;
}

/// Tries other orders until the arena is no larger than the bound: first the buffers with the
/// longest lives, or those with the greatest product of size and life, or those that are live when
/// the most bytes are. Each order, and the given one, is then changed step by step: the buffer that
/// ends last in the arena moves to the front.
void Plan::improveArena(std::vector<int> order, const std::map<int64_t, int64_t> &live) {
  constexpr size_t mostSteps = 32, mostWork = 1 << 25;
  const size_t steps = std::min(mostSteps, mostWork / (order.size() * order.size()));
  std::vector<int> best = order;
  DenseMap<int, int64_t> beside;
  for (int node : order)
    for (auto at = live.find(buffers[node].begin()); at->first < buffers[node].end(); ++at)
      beside[node] = std::max(beside[node], at->second);
  auto life = [&](int node) { return double(buffers[node].end() - buffers[node].begin()); };
  auto area = [&](int node) { return life(node) * double(buffers[node].bytes); };
  std::vector<std::vector<int>> starts(4, order);
  llvm::stable_sort(starts[1], [&](int a, int b) { return life(a) > life(b); });
  llvm::stable_sort(starts[2], [&](int a, int b) { return area(a) > area(b); });
  starts[3] = starts[1];
  llvm::stable_sort(starts[3], [&](int a, int b) { return beside[a] > beside[b]; });
  for (std::vector<int> &now : starts)
    for (size_t step = 0; step < steps && arenaBytes > arenaBound; ++step) {
      if (int64_t bytes = placeInArena(now); bytes < arenaBytes) {
        arenaBytes = bytes;
        best = now;
      }
      auto last = llvm::max_element(now, [&](int a, int b) {
        return buffers[a].offset + align(buffers[a].bytes) <
               buffers[b].offset + align(buffers[b].bytes);
      });
      if (last == now.begin())
        break;
      std::rotate(now.begin(), last, last + 1);
    }
  placeInArena(best);
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
  llvm::erase_if(order, [&](int node) { return placeInResult(node); });
  arenaBytes = placeInArena(order);
  arenaBuffers = order;
  llvm::sort(arenaBuffers);
  std::map<int64_t, int64_t> live = countArenaBytes();
  for (auto [position, bytes] : live)
    arenaBound = std::max(arenaBound, bytes);
  if (arenaBytes > arenaBound)
    improveArena(order, live);
}
