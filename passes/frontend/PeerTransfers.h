// SPDX-License-Identifier: Apache-2.0
// Sends and receives between participants, as the text has them: between whom, and which recv a
// recv-done ends. Test: test/passes/frontend/peer-transfers.test.

#ifndef HLOC_PASSES_PEERTRANSFERS_H
#define HLOC_PASSES_PEERTRANSFERS_H

#include "passes/collectives/Participants.h"

namespace hloc {

/// What a send or a recv-done transfers between participants.
struct PeerTransfer {
  /// source, target, ...: participants, no target twice.
  llvm::SmallVector<int64_t> pairs;
};

class PeerTransfers {
public:
  /// Finds those of `module`. Fails with errors at their places.
  static mlir::FailureOr<PeerTransfers> find(mlir::ModuleOp module);

  /// What `op`, a send or a recv-done, transfers; null if that is with the host.
  const PeerTransfer *lookup(mlir::Operation *op) const;

private:
  llvm::DenseMap<mlir::Operation *, PeerTransfer> transfers;
};

} // namespace hloc

#endif
