// SPDX-License-Identifier: Apache-2.0
// Strings of the text: escapes, and texts that are kept verbatim.

#ifndef HLOC_COMPILER_TEXT_QUOTE_H
#define HLOC_COMPILER_TEXT_QUOTE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace hloc::text {

/// Replaces C escapes in `text` (`\n`, `\"`, `\x41`, `\101`, ...). False if one is invalid.
bool unescape(llvm::StringRef text, std::string &value);

/// `value` in double quotes, with escapes.
std::string quote(llvm::StringRef value);

/// `text` without comments, with each run of white space outside of quotes replaced by one space.
std::string squeeze(llvm::StringRef text);

/// The contents of an attribute kept verbatim (`hlo.backend_config`): the inside of a quoted string
/// with its escapes replaced, or the text in braces verbatim.
std::string unquote(llvm::StringRef verbatim);

} // namespace hloc::text

#endif
