// SPDX-License-Identifier: Apache-2.0
// Reading and checking a module from a file: what every tool does first.

#ifndef HLOC_COMPILER_TEXT_LOAD_H
#define HLOC_COMPILER_TEXT_LOAD_H

#include "compiler/text/Parser.h"

namespace hloc {

/// The form of a module: HLO, as text or as a protocol buffer, or MLIR.
enum class ModuleForm { Hlo, Mlir };

struct LoadOptions : ParseOptions {
  /// Verify the module; several errors are reported, not only the first.
  bool verify = true;
};

/// The name of a file without `.gz`, and without `.pb` after `.hlo`: names of output files are
/// derived from it.
llvm::StringRef removeOuterEnding(llvm::StringRef path);

/// Opens `path` (`-` is standard input) as the main buffer of `sources`, decompressed if it is a
/// gzip file. False if the file is missing, empty, damaged or neither text nor an HloModuleProto;
/// the reason goes to `problem`, or otherwise to the error stream.
bool openModule(llvm::StringRef path, llvm::SourceMgr &sources, std::string *problem = nullptr);

/// The same for a file's contents, which must outlive `sources` and end in a NUL byte.
bool openModuleInMemory(llvm::MemoryBufferRef contents, llvm::SourceMgr &sources,
                        std::string &problem);

/// Sends diagnostics at locations in `sources` to `stream` instead of the error stream. The handler
/// that prints them (mlir::SourceMgrDiagnosticHandler) must have the same stream.
void printMessagesTo(llvm::raw_ostream &stream, llvm::SourceMgr &sources);

/// Parses the main buffer of `sources`, in the form indicated by the file's extension or the
/// contents. Errors are diagnostics of the context. Null after an error. For an HloModuleProto, a
/// listing is added to `sources`, whose lines messages show.
mlir::OwningOpRef<mlir::ModuleOp> loadModule(const std::shared_ptr<llvm::SourceMgr> &sources,
                                             mlir::MLIRContext *context,
                                             const LoadOptions &options = {},
                                             ModuleForm *form = nullptr);

/// Does both, with diagnostics printed on the error stream: file:line:column, source line, caret.
mlir::OwningOpRef<mlir::ModuleOp> loadModuleFile(llvm::StringRef path, mlir::MLIRContext *context,
                                                 const LoadOptions &options = {},
                                                 ModuleForm *form = nullptr);

} // namespace hloc

#endif
