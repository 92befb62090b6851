// SPDX-License-Identifier: Apache-2.0
// Reads an HloModuleProto into the hlo dialect: the same module as from its text. Errors are
// diagnostics of the context; they name instruction and computation, and have the line on which
// printHlo shows the instruction. Tests: test/text/proto.

#ifndef HLOC_COMPILER_TEXT_PROTO_READPROTO_H
#define HLOC_COMPILER_TEXT_PROTO_READPROTO_H

#include "compiler/text/Parser.h"

namespace hloc {

/// The module in `bytes`, a file that text::isModuleProto; `fileName` stands in locations. Null
/// after an error.
mlir::OwningOpRef<mlir::ModuleOp> readProto(llvm::StringRef bytes, llvm::StringRef fileName,
                                            mlir::MLIRContext *context,
                                            const ParseOptions &options = {});

} // namespace hloc

#endif
