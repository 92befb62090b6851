// SPDX-License-Identifier: Apache-2.0
// Reading and checking a module from a file: what every tool does first.

#ifndef HLOC_COMPILER_TEXT_LOAD_H
#define HLOC_COMPILER_TEXT_LOAD_H

#include "compiler/text/Parser.h"

namespace hloc {

/// Whether a module was written as HLO, as text or as a protocol buffer, or as MLIR.
enum class ModuleForm { Hlo, Mlir };

struct LoadOptions : ParseOptions {
  /// Check the module; several errors are reported, not only the first.
  bool verify = true;
};

/// The name of a file without `.gz`, and without `.pb` behind `.hlo`: names of others are made of
/// it.
llvm::StringRef removeOuterEnding(llvm::StringRef path);

/// Opens `path` (`-` is standard input) as the main buffer of `sources`, unpacked if gzip has
/// packed it. False if the file is missing, empty, damaged or neither text nor an HloModuleProto;
/// `problem`, or else the error stream, says why.
bool openModule(llvm::StringRef path, llvm::SourceMgr &sources, std::string *problem = nullptr);

/// The same of a file's contents, which must outlive `sources` and end in a NUL byte.
bool openModuleInMemory(llvm::MemoryBufferRef contents, llvm::SourceMgr &sources,
                        std::string &problem);

/// Diagnostics at places of `sources` go to `stream` instead of the error stream. The handler that
/// prints them (mlir::SourceMgrDiagnosticHandler) is to have the same stream.
void printMessagesTo(llvm::raw_ostream &stream, llvm::SourceMgr &sources);

/// Reads the main buffer of `sources`, in the form that the name's ending or the contents show.
/// Errors are diagnostics of the context. Null after an error. Of an HloModuleProto `sources` gets
/// a listing, of which messages show lines.
mlir::OwningOpRef<mlir::ModuleOp> loadModule(const std::shared_ptr<llvm::SourceMgr> &sources,
                                             mlir::MLIRContext *context,
                                             const LoadOptions &options = {},
                                             ModuleForm *form = nullptr);

/// Both, with diagnostics printed on the error stream: file:line:column, source line, caret.
mlir::OwningOpRef<mlir::ModuleOp> loadModuleFile(llvm::StringRef path, mlir::MLIRContext *context,
                                                 const LoadOptions &options = {},
                                                 ModuleForm *form = nullptr);

} // namespace hloc

#endif
