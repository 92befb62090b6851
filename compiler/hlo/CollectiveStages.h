// SPDX-License-Identifier: Apache-2.0
// The operations of CollectiveStages.td. Separate from HloDialect.h, since few files need them.
// Test: test/passes/collectives/lower-collectives.hlo.

#ifndef HLOC_COMPILER_HLO_COLLECTIVESTAGES_H
#define HLOC_COMPILER_HLO_COLLECTIVESTAGES_H

#include "compiler/hlo/HloDialect.h"

namespace hloc::hlo {

/// The kind of a collective, with the runtime's numbers (hlort_collective_kind).
enum class CollectiveKind {
  AllReduce,
  ReduceScatter,
  AllGather,
  AllToAll,
  AllToAllTuple,
  Broadcast,
  Permute,
  PermuteSlices,
  RaggedAllToAll,
  PeerSend,
  PeerRecv
};

/// "all_reduce", ...
llvm::StringRef stringify(CollectiveKind kind);
std::optional<CollectiveKind> symbolizeCollectiveKind(llvm::StringRef name);

} // namespace hloc::hlo

#define GET_OP_CLASSES
#include "compiler/hlo/CollectiveStages.h.inc"

#endif
