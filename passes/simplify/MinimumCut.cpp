// SPDX-License-Identifier: Apache-2.0
// The greatest flow (Dinic, 1970) leaves a cut that costs as much behind.
#include "passes/simplify/MinimumCut.h"
#include <algorithm>

using namespace hloc;

int MinimumCut::addNode() {
  leaving.emplace_back();
  return int(leaving.size()) - 1;
}

void MinimumCut::addEdge(int from, int to, int64_t cost) {
  leaving[from].push_back(int(edges.size()));
  edges.push_back({to, std::min(cost, never)});
  leaving[to].push_back(int(edges.size()));
  edges.push_back({from, 0});
}

/// Edges from the source to each node, of those that let something through; whether the sink is
/// among the nodes that are reached.
bool MinimumCut::measureDistances() {
  distances.assign(leaving.size(), -1);
  distances[Source] = 0;
  std::vector<int> queue{Source};
  for (size_t i = 0; i < queue.size(); ++i)
    for (int number : leaving[queue[i]]) {
      const Edge &edge = edges[number];
      if (edge.left == 0 || distances[edge.to] >= 0)
        continue;
      distances[edge.to] = distances[queue[i]] + 1;
      queue.push_back(edge.to);
    }
  return distances[Sink] >= 0;
}

/// Lets up to `most` flow from `node` to the sink, on one of the shortest ways: what did.
int64_t MinimumCut::push(int node, int64_t most) {
  if (node == Sink)
    return most;
  for (size_t &i = next[node]; i < leaving[node].size(); ++i) {
    int number = leaving[node][i];
    Edge &edge = edges[number];
    if (edge.left == 0 || distances[edge.to] != distances[node] + 1)
      continue;
    int64_t pushed = push(edge.to, std::min(most, edge.left));
    if (pushed == 0)
      continue;
    edge.left -= pushed;
    edges[number ^ 1].left += pushed;
    return pushed;
  }
  return 0;
}

std::vector<bool> MinimumCut::solve() {
  while (measureDistances()) {
    next.assign(leaving.size(), 0);
    while (push(Source, never) > 0) {
    }
  }
  // On the sink's side is what something could still flow from to the sink.
  std::vector<bool> isNearSource(leaving.size(), true);
  std::vector<int> queue{Sink};
  isNearSource[Sink] = false;
  for (size_t i = 0; i < queue.size(); ++i)
    for (int number : leaving[queue[i]]) {
      int from = edges[number].to;
      if (isNearSource[from] && edges[number ^ 1].left > 0) {
        isNearSource[from] = false;
        queue.push_back(from);
      }
    }
  return isNearSource;
}
