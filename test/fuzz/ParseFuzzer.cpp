// SPDX-License-Identifier: Apache-2.0
// libFuzzer target for the lexer, the parser, the verifier and the printer. Any text must be
// refused with a diagnostic at a place, or be read; what was read and holds together must print,
// and the printed text must be read and print as itself.
//
//     cmake --preset fuzz && cmake --build build/fuzz --target fuzz-parse
//     build/fuzz/bin/fuzz-parse -seed=1 -runs=100000 -max_len=4096 CORPUS
#include "compiler/hlo/Verify.h"
#include "compiler/text/Parser.h"
#include "compiler/text/Printer.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

/// Stops the fuzzer: it has found a fault.
static void fault(llvm::StringRef what, llvm::StringRef text) {
  llvm::errs() << "fault: " << what << "\n" << text << "\n";
  abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  MLIRContext context(MLIRContext::Threading::DISABLED);
  unsigned errors = 0, placed = 0;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return success();
    ++errors;
    diagnostic.getLocation()->walk([&](Location location) {
      placed += isa<FileLineColLoc>(location);
      return isa<FileLineColLoc>(location) ? WalkResult::interrupt() : WalkResult::advance();
    });
    return success();
  });
  OwningOpRef<ModuleOp> module = hloc::parseHlo(text, "fuzz.hlo", &context);
  if (!module && errors == 0)
    fault("refused without an error", text);
  if (errors != placed)
    fault("an error without a place", text);
  if (!module || failed(hloc::hlo::verifyModule(*module)))
    return 0;
  std::string first, second;
  llvm::raw_string_ostream firstOut(first), secondOut(second);
  if (failed(hloc::printHlo(*module, firstOut)))
    fault("what was read does not print", text);
  OwningOpRef<ModuleOp> again = hloc::parseHlo(first, "printed.hlo", &context);
  if (!again)
    fault("printed text is refused", first);
  if (failed(hloc::printHlo(*again, secondOut)) || first != second)
    fault("printing again gives another text", first + "\n---\n" + second);
  return 0;
}
