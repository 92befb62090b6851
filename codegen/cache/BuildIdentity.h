// SPDX-License-Identifier: Apache-2.0
// Identifies this build of hloc: another build may make something else from the same input. Test:
// test/codegen/CompileCacheTest.cpp.

#ifndef HLOC_CODEGEN_CACHE_BUILDIDENTITY_H
#define HLOC_CODEGEN_CACHE_BUILDIDENTITY_H

#include <string>

namespace hloc {

/// The versions of hloc and of LLVM, and the linker's build identifiers (hashes of the contents) of
/// the files that contain the code of hloc, LLVM, MLIR and LLD: one file if LLVM is linked
/// statically, several if it is shared. Empty if one of them has no identifier.
const std::string &getBuildIdentity();

} // namespace hloc

#endif
