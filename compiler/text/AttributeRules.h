// SPDX-License-Identifier: Apache-2.0
// The table of attributes: how the value of each is parsed, the attribute of the operation that it
// becomes, and for which opcodes.

#ifndef HLOC_COMPILER_TEXT_ATTRIBUTERULES_H
#define HLOC_COMPILER_TEXT_ATTRIBUTERULES_H

#include "compiler/text/ParserImpl.h"

namespace hloc::text {

struct AttributeRule {
  llvm::StringRef text;
  /// The operation's attribute; starts with `hlo.` for those that every instruction may have, and
  /// is empty for metadata, which becomes part of the location.
  llvm::StringRef target;
  mlir::ParseResult (Parser::*parse)(Instruction &, llvm::StringRef);
  /// Only for opcodes that start with this.
  llvm::StringRef only = "";

  bool isShared() const;
  /// True if the value is a computation or a list of them.
  bool namesComputations() const;
  bool applies(const Opcode &opcode) const;
};

llvm::ArrayRef<AttributeRule> getAttributeRules();
/// The rules for attribute `name`: none if no opcode has such an attribute.
llvm::ArrayRef<AttributeRule> findAttributeRules(llvm::StringRef name);

} // namespace hloc::text

#endif
