// SPDX-License-Identifier: Apache-2.0
// Which build of hloc this is: what another build makes of the same input may be something else.
// Test: test/codegen/CompileCacheTest.cpp.

#ifndef HLOC_CODEGEN_CACHE_BUILDIDENTITY_H
#define HLOC_CODEGEN_CACHE_BUILDIDENTITY_H

#include <string>

namespace hloc {

/// The versions of hloc and of LLVM, and the build identifiers that the linker wrote into the
/// files which hloc's, LLVM's, MLIR's and LLD's code is in: hashes of what is in them. One file
/// where LLVM is linked in, several where it is shared. Empty if one of them has no identifier.
const std::string &getBuildIdentity();

} // namespace hloc

#endif
