// SPDX-License-Identifier: Apache-2.0
// Reading and making the values of `hlo.constant`.
//
// An array literal is an ElementsAttr: DenseElementsAttr, or for large arrays
// DenseResourceElementsAttr, which is neither hashed nor copied. Both are read here as bytes: one
// byte a pred (0 or 1), one byte (low bits, sign-extended for signed types) an element of fewer
// than eight bits, complex numbers interleaved, little endian, row-major.

#ifndef HLOC_COMPILER_HLO_LITERAL_H
#define HLOC_COMPILER_HLO_LITERAL_H

#include "mlir/IR/BuiltinAttributes.h"
#include <memory>

namespace hloc::hlo {

/// Bytes that one element takes in a literal; 1 for types of fewer than eight bits.
int64_t getLiteralElementBytes(mlir::Type elementType);

/// The elements' bytes; `storage` holds them where the attribute itself cannot (splats, pred).
llvm::ArrayRef<char> getLiteralBytes(mlir::ElementsAttr value,
                                     llvm::SmallVectorImpl<char> &storage);

/// Literal of `type` (its encoding is dropped) from the bytes described above.
mlir::ElementsAttr makeLiteral(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes);

/// The same of bytes that stay where they are as long as `owner` lives: large literals are no copy.
mlir::ElementsAttr makeLiteral(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes,
                               std::shared_ptr<const void> owner);

/// Whether all elements are the same, and if so one element's bytes.
bool isSplat(mlir::ElementsAttr value, llvm::SmallVectorImpl<char> &element);

} // namespace hloc::hlo

#endif
