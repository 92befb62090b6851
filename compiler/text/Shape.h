// SPDX-License-Identifier: Apache-2.0
// Element types and shapes as spelled in the text.

#ifndef HLOC_COMPILER_TEXT_SHAPE_H
#define HLOC_COMPILER_TEXT_SHAPE_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/raw_ostream.h"

namespace hloc::text {

/// MLIR's type for the element type spelled `name` (`pred`, `f32`, `c64`); null if it has none.
/// pred is i1, sN is iN, uN is uiN; s1, which would be pred, is si1.
mlir::Type getElementType(llvm::StringRef name, mlir::MLIRContext *context);

/// The spelling of an element type; empty if HLO has no such type.
llvm::StringRef getElementName(mlir::Type type);

/// Prints a type as a shape of the text: `f32[2,3]{1,0}`, `(s32[], token[])`. Arrays have their
/// layout if `layouts` is set. False if HLO text cannot express the type.
bool printShape(mlir::Type type, llvm::raw_ostream &out, bool layouts = true);

/// The same as a string, without default layouts, for messages.
std::string shapeText(mlir::Type type);

/// True if a value of one type may be declared with the other: they agree except for layouts and
/// which dimensions are dynamic.
bool areCompatible(mlir::Type a, mlir::Type b);

} // namespace hloc::text

#endif
