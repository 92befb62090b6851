// SPDX-License-Identifier: Apache-2.0
// The emitters of runtime calls, one for each kind. RuntimeCall.cpp registers them by callee.

#ifndef HLOC_CODEGEN_CALLS_H
#define HLOC_CODEGEN_CALLS_H

#include "codegen/program/RuntimeCall.h"

namespace hloc {

/// Whether this is a collective's start that its done follows at once: one call does both.
bool isWaitedForAtOnce(hlo::RuntimeCallOp call);
/// Whether this is such a done.
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
