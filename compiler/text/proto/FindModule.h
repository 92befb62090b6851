// SPDX-License-Identifier: Apache-2.0
// Files that contain an HloModuleProto: XLA's dumps as protocol buffers, JAX's serialization. A
// module is a file by itself, or the first field of an HloProto, and that the first of an
// HloSnapshot. Test: test/text/proto/ProtoTest.cpp.

#ifndef HLOC_COMPILER_TEXT_PROTO_FINDMODULE_H
#define HLOC_COMPILER_TEXT_PROTO_FINDMODULE_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace hloc::text {

/// True if a file begins like a protocol buffer with a module, and unlike any text.
bool isModuleProto(llvm::StringRef bytes);

/// The bytes of the module in such a file.
llvm::StringRef findModule(llvm::StringRef bytes);

/// The offset of the first field that is damaged or truncated; nothing if all are complete. Checks
/// only the outermost fields.
std::optional<size_t> findDamage(llvm::StringRef bytes);

} // namespace hloc::text

#endif
