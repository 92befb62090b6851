// SPDX-License-Identifier: Apache-2.0
// A record of what an object was made from and how, for `hloc diff`: a JSON value, compressed by
// gzip, in a section of its own that linkers leave out of programs. Test: test/tools/diff.test.
//
//   {"version": 1, "hloc": "0.1.0", "llvm": "22.1.8", "name": "model",
//    "module": "a hash of the text",
//    "options": {"-O": "3", ...}, "arguments": ["x f32[2,3]", ...], "results": [...],
//    "arena_bytes": 0, "weights_bytes": 0, "programs": [{"target": ..., "prefix": ...,
//    "kernels": [{"name", "kind", "outputs", "launches", "times", "schedule", "predicted_ns"}]}]}

#ifndef HLOC_COMPILER_DRIVER_DIFF_BUILDRECORD_H
#define HLOC_COMPILER_DRIVER_DIFF_BUILDRECORD_H

#include "compiler/driver/Compiler.h"
#include "llvm/Support/JSON.h"

namespace hloc {

/// The section's name.
inline constexpr llvm::StringLiteral kRecordSection(".hloc.record");

/// The record of `program`, the program on memory, for `targets`. It contains the options that
/// affect objects.
llvm::json::Value makeBuildRecord(mlir::ModuleOp program, const ModuleInterface &interface,
                                  llvm::ArrayRef<Target> targets, const CompileOptions &options);

/// Adds the section to `module` if its format is ELF.
void addBuildRecord(const llvm::json::Value &record, llvm::Module &module);

} // namespace hloc

#endif
