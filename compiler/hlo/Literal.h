// SPDX-License-Identifier: Apache-2.0
// Reading and making the values of `hlo.constant`.
//
// An array literal is an ElementsAttr: DenseElementsAttr, or for large arrays
// DenseResourceElementsAttr, which is neither hashed nor copied. Both are read here as bytes: one
// byte per pred (0 or 1), one byte (low bits, sign-extended for signed types) per element of fewer
// than eight bits, complex numbers interleaved, little-endian, row-major.

#ifndef HLOC_COMPILER_HLO_LITERAL_H
#define HLOC_COMPILER_HLO_LITERAL_H

#include "mlir/IR/BuiltinAttributes.h"
#include <memory>

namespace hloc::hlo {

/// Bytes of one element in a literal; 1 for types of fewer than eight bits.
int64_t getLiteralElementBytes(mlir::Type elementType);

/// The bytes of the elements; they are in `storage` if the attribute does not contain them in this
/// form (splats, pred).
llvm::ArrayRef<char> getLiteralBytes(mlir::ElementsAttr value,
                                     llvm::SmallVectorImpl<char> &storage);

/// Literal of `type` (its encoding is dropped) from the bytes described above.
mlir::ElementsAttr makeLiteral(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes);

/// The same for bytes that stay valid as long as `owner` lives: large literals are not copied.
mlir::ElementsAttr makeLiteral(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes,
                               std::shared_ptr<const void> owner);

/// True if all elements are the same; then `element` is set to the bytes of one.
bool isSplat(mlir::ElementsAttr value, llvm::SmallVectorImpl<char> &element);

} // namespace hloc::hlo

#endif
