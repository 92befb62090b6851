// SPDX-License-Identifier: Apache-2.0
// Prints the hlo dialect as HLO text that XLA reads back as the same module. Printing what was
// parsed from printed text gives the same text. Tests: test/text/*.hlo.

#ifndef HLOC_COMPILER_TEXT_PRINTER_H
#define HLOC_COMPILER_TEXT_PRINTER_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace hloc {

/// Fails, with a diagnostic at the place, on what has no form in HLO text: operations of other
/// dialects, operations with several results, kernels. Nothing is printed then.
mlir::LogicalResult printHlo(mlir::ModuleOp module, llvm::raw_ostream &out);

/// The same for messages to show lines of: values of arrays are left out, and nothing is refused.
void printListing(mlir::ModuleOp module, llvm::raw_ostream &out);

} // namespace hloc

#endif
