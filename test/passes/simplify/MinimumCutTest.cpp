// SPDX-License-Identifier: Apache-2.0
#include "passes/simplify/MinimumCut.h"
#include <bit>
#include <gtest/gtest.h>
#include <random>

using namespace hloc;

namespace {

struct Edge {
  int from, to;
  int64_t cost;
};

/// What it costs that the nodes in `side` (a bit each) are the source's.
int64_t costOf(const std::vector<Edge> &edges, unsigned side) {
  int64_t cost = 0;
  for (const Edge &edge : edges)
    if ((side >> edge.from & 1) && !(side >> edge.to & 1))
      cost += edge.cost;
  return cost;
}

TEST(MinimumCut, IsTheLargestOfTheCheapest) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    int count = 4 + int(random() % 6);
    MinimumCut network;
    for (int i = 2; i < count; ++i)
      network.addNode();
    std::vector<Edge> edges;
    for (int i = 0; i < 3 * count; ++i) {
      Edge edge{int(random() % count), int(random() % count), int64_t(random() % 5)};
      if (edge.from == edge.to)
        continue;
      edges.push_back(edge);
      network.addEdge(edge.from, edge.to, edge.cost);
    }
    unsigned best = 1; // the source alone
    for (unsigned side = 0; side < 1u << count; ++side) {
      if ((side & 3) != 1) // the source is on its side, and the sink on the other
        continue;
      int64_t cost = costOf(edges, side), least = costOf(edges, best);
      if (cost < least || (cost == least && std::popcount(side) > std::popcount(best)))
        best = side;
    }
    std::vector<bool> nodes = network.solve();
    unsigned found = 0;
    for (int i = 0; i < count; ++i)
      found |= unsigned(nodes[i]) << i;
    EXPECT_EQ(found, best) << "round " << round;
  }
}

} // namespace
