// SPDX-License-Identifier: Apache-2.0
// The pairs of participants between which a send or a receive transfers, which the text states in
// frontend_attributes. Tests: test/passes/frontend/peer-transfers.test and
// test/evaluator/send-recv-pairs.hlo.

#ifndef HLOC_COMPILER_HLO_PEERPAIRS_H
#define HLOC_COMPILER_HLO_PEERPAIRS_H

#include "mlir/IR/Operation.h"
#include "llvm/Support/Error.h"

namespace hloc::hlo {

/// The text after `_xla_send_recv_source_target_pairs=` in the frontend attributes of `op`, a send,
/// a recv or a recv-done; null if it names no pairs.
llvm::StringRef findPeerPairs(mlir::Operation *op);

/// Parses that text: source, target, source, target, ... The participants need not exist, but their
/// numbers fit in 31 bits. Fails if the text is not of the form {{0,1},{1,2}}.
llvm::Expected<llvm::SmallVector<int64_t>> parsePeerPairs(llvm::StringRef text);

} // namespace hloc::hlo

#endif
