// SPDX-License-Identifier: Apache-2.0
// The documentation of opcodes and attributes in docs/operations.md, which is generated from the
// definitions and embedded in the program. Test: test/lsp/hover.test.

#ifndef HLOC_COMPILER_LSP_MANUAL_H
#define HLOC_COMPILER_LSP_MANUAL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

namespace hloc::lsp {

class Manual {
public:
  struct Attribute {
    llvm::StringRef name;
    /// The possible values, in Markdown.
    llvm::StringRef values;
    /// `required`, `optional` or a default; empty for attributes of every instruction.
    llvm::StringRef need;

    /// The values, if they are an enumeration.
    llvm::SmallVector<llvm::StringRef> getNames() const;
  };
  struct Operation {
    llvm::StringRef opcode;
    /// One sentence.
    llvm::StringRef summary;
    /// The whole section of the page, in Markdown.
    llvm::StringRef page;
    llvm::SmallVector<Attribute, 0> attributes;
  };

  static const Manual &get();

  /// The operation of an opcode, or of an asynchronous form such as `add-start`; null if there is
  /// none.
  const Operation *find(llvm::StringRef opcode) const;
  /// An attribute of `operation`, which may be null, or of every instruction; null if there is
  /// none.
  const Attribute *find(const Operation *operation, llvm::StringRef attribute) const;
  /// In the order of the page.
  llvm::ArrayRef<Operation> getOperations() const { return operations; }
  /// The attributes of every instruction.
  llvm::ArrayRef<Attribute> getSharedAttributes() const { return shared; }

private:
  Manual();

  llvm::SmallVector<Operation, 0> operations;
  llvm::SmallVector<Attribute, 0> shared;
  llvm::StringMap<unsigned> numbers;
};

} // namespace hloc::lsp

#endif
