// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/StandardOutput.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <unistd.h>

namespace hloc {

static void checkOutput() {
  llvm::outs().flush();
  std::error_code error = llvm::outs().error();
  llvm::outs().clear_error();
  if (error)
    llvm::errs() << "<stdout>: error: cannot write: " << error.message() << '\n';
  llvm::errs().clear_error();
  if (error)
    _exit(1);
}

void checkOutputAtExit() {
  // The streams are created before the function is registered, so that they still exist when it is
  // called.
  llvm::outs();
  llvm::errs();
  std::atexit(checkOutput);
}

} // namespace hloc
