// SPDX-License-Identifier: Apache-2.0
// Programs in forms that hloc does not read, but that people have in their hands: what they are,
// and the line that prints HLO instead. Test: test/tools/foreign-forms.test.

#ifndef HLOC_COMPILER_TEXT_FOREIGNFORMS_H
#define HLOC_COMPILER_TEXT_FOREIGNFORMS_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace hloc {

/// Whether MLIR text has operations or attributes of StableHLO, MHLO or the dialects beside them.
bool isStableHlo(llvm::StringRef text);

/// What to do with StableHLO.
std::string adviseOnStableHlo();

/// What binary data are and what to do with them, as an error puts it; empty if they may be text.
std::string describeBinary(llvm::StringRef bytes);

} // namespace hloc

#endif
