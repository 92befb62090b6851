// SPDX-License-Identifier: Apache-2.0
// Prefetches what loops read and write sequentially (passes/schedule/Streams.h).

#ifndef HLOC_CODEGEN_EMIT_STREAMPREFETCH_H
#define HLOC_CODEGEN_EMIT_STREAMPREFETCH_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace hloc {

/// In each innermost loop of `function`, prefetches the cache lines of the arrays `streams`
/// (arguments of the function) that later iterations read or write, if successive iterations access
/// adjacent memory. A line has `lineBytes` and goes into L1, or into L2 only.
void prefetchStreams(mlir::LLVM::LLVMFuncOp function, llvm::ArrayRef<mlir::Value> streams,
                     int64_t lineBytes, bool intoL2);

} // namespace hloc

#endif
