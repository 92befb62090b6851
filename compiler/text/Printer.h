// SPDX-License-Identifier: Apache-2.0
// Prints the hlo dialect as HLO text that XLA parses as the same module. Printing the parsed result
// of printed text gives the same text. Tests: test/text/*.hlo.

#ifndef HLOC_COMPILER_TEXT_PRINTER_H
#define HLOC_COMPILER_TEXT_PRINTER_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace hloc {

/// Fails, with a diagnostic at the location, on operations without a form in HLO text: those of
/// other dialects, those with several results, kernels. Then nothing is printed.
mlir::LogicalResult printHlo(mlir::ModuleOp module, llvm::raw_ostream &out);

/// The same for messages to show lines of: values of arrays are omitted, and nothing is refused.
void printListing(mlir::ModuleOp module, llvm::raw_ostream &out);

} // namespace hloc

#endif
