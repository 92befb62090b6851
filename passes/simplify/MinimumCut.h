// SPDX-License-Identifier: Apache-2.0
// Divides a network into the sides of a source and a sink so that the edges from the former to the
// latter have the least total cost. Test: test/passes/simplify/MinimumCutTest.cpp.

#ifndef HLOC_PASSES_MINIMUMCUT_H
#define HLOC_PASSES_MINIMUMCUT_H

#include <cstdint>
#include <limits>
#include <vector>

namespace hloc {

class MinimumCut {
public:
  /// Cost of an edge that no cut may contain.
  static constexpr int64_t never = std::numeric_limits<int64_t>::max() / 4;
  /// The nodes that always exist.
  enum : int { Source, Sink };

  MinimumCut() : leaving(2) {}

  int addNode();
  void addEdge(int from, int to, int64_t cost);

  /// For each node, true if it is on the source's side. Of all cuts of least cost, this is the one
  /// with the most nodes on the source's side.
  std::vector<bool> solve();

private:
  struct Edge {
    int to;
    int64_t left; ///< residual capacity
  };

  bool measureDistances();
  int64_t push(int node, int64_t most);

  std::vector<Edge> edges;               ///< each followed by its reverse edge
  std::vector<std::vector<int>> leaving; ///< numbers of the edges at each node
  std::vector<int> distances;
  std::vector<size_t> next; ///< of a node's edges, the first that may still lead to the sink
};

} // namespace hloc

#endif
