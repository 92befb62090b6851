// SPDX-License-Identifier: Apache-2.0
// Divides a network into the side of a source and that of a sink, so that the edges which lead from
// one to the other cost least. Test: test/passes/simplify/MinimumCutTest.cpp.

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
  /// The nodes that are there from the start.
  enum : int { Source, Sink };

  MinimumCut() : leaving(2) {}

  int addNode();
  void addEdge(int from, int to, int64_t cost);

  /// Whether each node is on the source's side: of all cuts that cost least, in that whose side of
  /// the source has most nodes.
  std::vector<bool> solve();

private:
  struct Edge {
    int to;
    int64_t left; ///< what may still flow
  };

  bool measureDistances();
  int64_t push(int node, int64_t most);

  std::vector<Edge> edges;               ///< each followed by the one in the other direction
  std::vector<std::vector<int>> leaving; ///< numbers of the edges at each node
  std::vector<int> distances;
  std::vector<size_t> next; ///< of a node's edges, the first that may lead on
};

} // namespace hloc

#endif
