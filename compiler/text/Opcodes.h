// SPDX-License-Identifier: Apache-2.0
// The opcodes of the text and their properties for the parser; all but the required attributes are
// derived from the registered operations. Tests: test/text/errors/unknown-opcode.hlo.

#ifndef HLOC_COMPILER_TEXT_OPCODES_H
#define HLOC_COMPILER_TEXT_OPCODES_H

#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/StringMap.h"
#include <optional>

namespace hloc::text {

struct Opcode {
  std::string text;
  /// The operation; nothing for `parameter`, which becomes a block argument.
  std::optional<mlir::RegisteredOperationName> operation;
  unsigned minOperands = 0;
  bool anyNumber = false;
  /// Attributes that must be present, as spelled in the text.
  llvm::SmallVector<llvm::StringRef, 2> required;

  bool hasAttribute(llvm::StringRef name) const;
};

/// Opcodes by their spelling in the text. Stored with the dialect: a context builds its table once,
/// when the first text is read.
class OpcodeTable : public mlir::DialectInterface::Base<OpcodeTable> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OpcodeTable)

  explicit OpcodeTable(mlir::Dialect *dialect);
  /// The table of the context. Must not be called from two threads at once.
  static const OpcodeTable &get(mlir::MLIRContext *context);
  /// Null if there is no such opcode.
  const Opcode *find(llvm::StringRef text) const {
    auto found = opcodes.find(text);
    return found == opcodes.end() ? nullptr : &found->second;
  }
  /// The opcode with the most similar spelling to `text`; empty if none is similar.
  llvm::StringRef nearest(llvm::StringRef text) const;

private:
  llvm::StringMap<Opcode> opcodes;
};

} // namespace hloc::text

#endif
