// SPDX-License-Identifier: Apache-2.0
// Files that hold an HloModuleProto: what XLA dumps as protocol buffers, what JAX serializes.
// A module is a file by itself, or the first field of an HloProto, and that the first of an
// HloSnapshot. Tests: test/text/proto/forms.test, test/text/proto/ProtoTest.cpp.

#ifndef HLOC_COMPILER_TEXT_PROTO_FINDMODULE_H
#define HLOC_COMPILER_TEXT_PROTO_FINDMODULE_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace hloc::text {

/// Whether a file begins as a protocol buffer with a module does, and as no text does.
bool isModuleProto(llvm::StringRef bytes);

/// The bytes of the module in such a file.
llvm::StringRef findModule(llvm::StringRef bytes);

/// Where the first field stands that is damaged or cut off; nothing if they are all whole. Looks at
/// the outermost fields alone.
std::optional<size_t> findDamage(llvm::StringRef bytes);

} // namespace hloc::text

#endif
