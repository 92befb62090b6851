// SPDX-License-Identifier: Apache-2.0
// Sends and receives between participants: the pairs of participants, and which recv a recv-done
// completes. Test: test/passes/frontend/peer-transfers.test.

#ifndef HLOC_PASSES_PEERTRANSFERS_H
#define HLOC_PASSES_PEERTRANSFERS_H

#include "passes/collectives/Participants.h"

namespace hloc {

/// The transfer of a send or a recv-done between participants.
struct PeerTransfer {
  /// source, target, source, target, ...; no target occurs twice.
  llvm::SmallVector<int64_t> pairs;
};

class PeerTransfers {
public:
  /// Finds those of `module`. Fails with errors at their locations.
  static mlir::FailureOr<PeerTransfers> find(mlir::ModuleOp module);

  /// The transfer of `op`, a send or a recv-done; null if it is with the host.
  const PeerTransfer *lookup(mlir::Operation *op) const;

private:
  llvm::DenseMap<mlir::Operation *, PeerTransfer> transfers;
};

} // namespace hloc

#endif
