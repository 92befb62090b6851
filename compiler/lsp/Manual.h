// SPDX-License-Identifier: Apache-2.0
// What docs/operations.md, which is generated from the definitions and is a part of the program,
// says of opcodes and attributes. Test: test/lsp/hover.test.

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
    /// What values it takes, in Markdown.
    llvm::StringRef values;
    /// `required`, `optional` or a default; empty for those of every instruction.
    llvm::StringRef need;

    /// The values, if they are some names.
    llvm::SmallVector<llvm::StringRef> getNames() const;
  };
  struct Operation {
    llvm::StringRef opcode;
    /// One sentence.
    llvm::StringRef summary;
    /// All that the page says, in Markdown.
    llvm::StringRef page;
    llvm::SmallVector<Attribute, 0> attributes;
  };

  static const Manual &get();

  /// The operation of an opcode, also of one such as `add-start`, an asynchronous form of another;
  /// null if there is none.
  const Operation *find(llvm::StringRef opcode) const;
  /// An attribute of `operation`, which may be null, or of every instruction; null if there is
  /// none.
  const Attribute *find(const Operation *operation, llvm::StringRef attribute) const;
  /// In the order of the page.
  llvm::ArrayRef<Operation> getOperations() const { return operations; }
  /// Those of every instruction.
  llvm::ArrayRef<Attribute> getSharedAttributes() const { return shared; }

private:
  Manual();

  llvm::SmallVector<Operation, 0> operations;
  llvm::SmallVector<Attribute, 0> shared;
  llvm::StringMap<unsigned> numbers;
};

} // namespace hloc::lsp

#endif
