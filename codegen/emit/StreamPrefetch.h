// SPDX-License-Identifier: Apache-2.0
// Asks ahead for what loops read and write in the order of memory (passes/schedule/Streams.h).

#ifndef HLOC_CODEGEN_EMIT_STREAMPREFETCH_H
#define HLOC_CODEGEN_EMIT_STREAMPREFETCH_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace hloc {

/// In each innermost loop of `function`, asks for the lines that later rounds read or write of the
/// arrays `streams`, arguments of the function, where each round goes on in memory where the one
/// before ended. A line has `lineBytes`.
void prefetchStreams(mlir::LLVM::LLVMFuncOp function, llvm::ArrayRef<mlir::Value> streams,
                     int64_t lineBytes);

} // namespace hloc

#endif
