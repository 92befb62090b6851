// SPDX-License-Identifier: Apache-2.0
#include "compiler/text/Version.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace hloc {

const char *getVersion() { return HLOC_VERSION; }

void setVersionPrinter() {
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "hloc " HLOC_VERSION ", with LLVM " LLVM_VERSION_STRING "\n";
  });
}

} // namespace hloc
