// SPDX-License-Identifier: Apache-2.0
// A maximum flow (Dinic, 1970) determines a minimum cut.
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

/// Computes the distance of each node from the source along edges with residual capacity; returns
/// true if the sink is reachable.
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

/// Pushes up to `most` from `node` to the sink along shortest paths; returns the amount.
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
  // Nodes from which the sink is still reachable are on its side.
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
