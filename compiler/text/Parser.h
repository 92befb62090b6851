// SPDX-License-Identifier: Apache-2.0
// Parses HLO text into the hlo dialect. Errors are diagnostics of the context, at file, line and
// column; after one the parser continues with the next instruction, so that one run reports
// several.
// Tests: test/text/*.hlo, test/text/errors/.

#ifndef HLOC_COMPILER_TEXT_PARSER_H
#define HLOC_COMPILER_TEXT_PARSER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace hloc {

/// Treatment of `constant({...})`, a constant whose value the printer omitted.
enum class ElidedConstants {
  Keep,   ///< zeros, marked `hlo.elided`: printed as `{...}` again
  Refuse, ///< an error at its location: for users of the value
  Zero,   ///< zeros, as if they had been written
};

struct ParseOptions {
  /// Unknown attributes are errors instead of warnings.
  bool strict = false;
  ElidedConstants elidedConstants = ElidedConstants::Keep;
  /// Parsing stops after this number of errors.
  unsigned maxErrors = 20;
};

/// Parses the module in the main buffer of `sources`: a module, computations without header, or a
/// single instruction. Null after an error.
mlir::OwningOpRef<mlir::ModuleOp> parseHlo(const llvm::SourceMgr &sources,
                                           mlir::MLIRContext *context,
                                           const ParseOptions &options = {});

/// The same for text in memory; locations refer to `fileName`. `text` must end in a NUL byte.
mlir::OwningOpRef<mlir::ModuleOp> parseHlo(llvm::StringRef text, llvm::StringRef fileName,
                                           mlir::MLIRContext *context,
                                           const ParseOptions &options = {});

} // namespace hloc

#endif
