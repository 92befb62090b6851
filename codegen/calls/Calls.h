// SPDX-License-Identifier: Apache-2.0
// The emitters of runtime calls, one per kind. RuntimeCall.cpp registers them by callee.

#ifndef HLOC_CODEGEN_CALLS_H
#define HLOC_CODEGEN_CALLS_H

#include "codegen/program/RuntimeCall.h"

namespace hloc {

/// True if this is the start of a collective that is immediately followed by its done: a single
/// call replaces both.
bool isWaitedForAtOnce(hlo::RuntimeCallOp call);
/// True if this is such a done.
bool isDoneByItsStart(hlo::RuntimeCallOp call);
mlir::LogicalResult emitCollectiveDone(RuntimeCallBuilder &call);
mlir::LogicalResult emitCollectiveStart(RuntimeCallBuilder &call);
mlir::LogicalResult emitCustomCall(RuntimeCallBuilder &call);
mlir::LogicalResult emitFft(RuntimeCallBuilder &call);
mlir::LogicalResult emitHostTransfer(RuntimeCallBuilder &call);
mlir::LogicalResult emitPartitionId(RuntimeCallBuilder &call);
mlir::LogicalResult emitRandomState(RuntimeCallBuilder &call);
mlir::LogicalResult emitReplicaId(RuntimeCallBuilder &call);
mlir::LogicalResult emitRequire(RuntimeCallBuilder &call);

} // namespace hloc

#endif
