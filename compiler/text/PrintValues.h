// SPDX-License-Identifier: Apache-2.0
// Printing of literals and attribute values in the form of HLO text.

#ifndef HLOC_COMPILER_TEXT_PRINTVALUES_H
#define HLOC_COMPILER_TEXT_PRINTVALUES_H

#include "mlir/IR/Operation.h"
#include "llvm/Support/raw_ostream.h"

namespace hloc::text {

/// The literal `value` of type `type`; `{...}` for its arrays if `elided`.
void printLiteral(mlir::Attribute value, mlir::Type type, bool elided, llvm::raw_ostream &out);

/// The shortest decimal that is parsed as `value`.
void printNumber(double value, llvm::raw_ostream &out);

/// Prints `, name=value` for each attribute that belongs to the operation's opcode and differs from
/// its default. False if one has no form in the text.
bool printOwnAttributes(mlir::Operation *operation, llvm::raw_ostream &out);

/// `{ {0}: (1, {}, may-alias), ... }`.
void printAliases(mlir::ArrayAttr aliases, llvm::raw_ostream &out);

} // namespace hloc::text

#endif
