// SPDX-License-Identifier: Apache-2.0
// Programs in forms that hloc does not read, but that people may try: what they are, and how to
// convert them to HLO. Test: test/tools/foreign-forms.test.

#ifndef HLOC_COMPILER_TEXT_FOREIGNFORMS_H
#define HLOC_COMPILER_TEXT_FOREIGNFORMS_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace hloc {

/// True if MLIR text has operations or attributes of StableHLO, MHLO or related dialects.
bool isStableHlo(llvm::StringRef text);

/// What to do with StableHLO.
std::string adviseOnStableHlo();

/// What binary data are and what to do with them, as the text of an error; empty if they may be
/// text.
std::string describeBinary(llvm::StringRef bytes);

} // namespace hloc

#endif
