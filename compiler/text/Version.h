// SPDX-License-Identifier: Apache-2.0
#ifndef HLOC_COMPILER_TEXT_VERSION_H
#define HLOC_COMPILER_TEXT_VERSION_H

namespace hloc {

/// As "0.1.0".
const char *getVersion();

/// Makes --version print hloc's version, and that of the LLVM it was built with.
void setVersionPrinter();

} // namespace hloc

#endif
