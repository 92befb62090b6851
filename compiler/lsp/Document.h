// SPDX-License-Identifier: Apache-2.0
// A file that is open in an editor: its text, and what is derived from it.

#ifndef HLOC_COMPILER_LSP_DOCUMENT_H
#define HLOC_COMPILER_LSP_DOCUMENT_H

#include "compiler/lsp/Check.h"
#include "compiler/lsp/Index.h"

namespace hloc::lsp {

/// The maximum number of characters of a shape in lists.
inline constexpr size_t kMaxListedShape = 80;

class Document {
public:
  Document(URIForFile file, std::string text, int64_t version)
      : file(std::move(file)), text(std::make_shared<std::string>(std::move(text))),
        version(version) {}

  /// Applies changes, in this order.
  void change(llvm::ArrayRef<TextDocumentContentChangeEvent> changes, int64_t newVersion);

  const URIForFile &getFile() const { return file; }
  int64_t getVersion() const { return version; }
  std::shared_ptr<const std::string> getText() const { return text; }

  // Computed when they are first used.
  const Lines &getLines() const;
  const Index &getIndex() const;

  /// The shape of an instruction: the stated one, or otherwise that of the last version without
  /// errors. Empty if it is not known.
  llvm::StringRef getShape(const InstructionText &instruction) const;
  void setShapes(std::shared_ptr<const Shapes> known) { shapes = std::move(known); }

private:
  URIForFile file;
  std::shared_ptr<const std::string> text;
  int64_t version;
  std::shared_ptr<const Shapes> shapes;
  mutable std::optional<Lines> lines;
  mutable std::optional<Index> index;
};

} // namespace hloc::lsp

#endif
