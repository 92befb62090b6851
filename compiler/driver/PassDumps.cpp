// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/PassDumps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace hloc {

class PassDumps::Printer : public PassManager::IRPrinterConfig {
public:
  explicit Printer(PassDumps &dumps)
      : IRPrinterConfig(/*printModuleScope=*/true, /*printAfterOnlyOnChange=*/true), dumps(dumps) {}

  void printAfterIfEnabled(Pass *pass, Operation *, PrintCallbackFn print) override {
    StringRef name = pass->getArgument().empty() ? pass->getName() : pass->getArgument();
    SmallString<128> path(dumps.folder);
    llvm::sys::path::append(path, llvm::formatv("{0:2}_{1}.mlir", dumps.count++, name).str());
    std::error_code error;
    llvm::raw_fd_ostream out(path, error);
    if (!error)
      print(out);
    if (error || out.has_error()) {
      llvm::errs() << path << ": error: cannot write: " << (error ? error : out.error()).message()
                   << '\n';
      out.clear_error();
    }
  }

private:
  PassDumps &dumps;
};

void PassDumps::attach(PassManager &passes) {
  passes.enableIRPrinting(std::make_unique<Printer>(*this));
}

} // namespace hloc
