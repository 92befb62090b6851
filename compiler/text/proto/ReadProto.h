// SPDX-License-Identifier: Apache-2.0
// Reads an HloModuleProto into the hlo dialect, as the same module as its text. Errors are
// diagnostics of the context; they name instruction and computation, and refer to the line of the
// instruction in the output of printHlo. Tests: test/text/proto.

#ifndef HLOC_COMPILER_TEXT_PROTO_READPROTO_H
#define HLOC_COMPILER_TEXT_PROTO_READPROTO_H

#include "compiler/text/Parser.h"

namespace hloc {

/// Reads the module in `bytes`, a file for which text::isModuleProto is true; locations refer to
/// `fileName`. Null after an error.
mlir::OwningOpRef<mlir::ModuleOp> readProto(llvm::StringRef bytes, llvm::StringRef fileName,
                                            mlir::MLIRContext *context,
                                            const ParseOptions &options = {});

} // namespace hloc

#endif
