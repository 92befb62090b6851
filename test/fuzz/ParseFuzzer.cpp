// SPDX-License-Identifier: Apache-2.0
// libFuzzer target for the lexer, the parser, the verifier and the printer. Any text must be
// refused with a diagnostic at a place, or be read; what was read and holds together must print,
// and the printed text must be read and print as itself. How to run it: README.md.
#include "compiler/hlo/Verify.h"
#include "compiler/text/Parser.h"
#include "compiler/text/Printer.h"
#include "test/fuzz/Session.h"

using namespace mlir;
using namespace hloc::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  MLIRContext &context = getContext();
  ErrorCount errors(context);
  OwningOpRef<ModuleOp> module = hloc::parseHlo(text, "fuzz.hlo", &context);
  bool valid = module && succeeded(hloc::hlo::verifyModule(*module));
  if (!valid && !errors.any())
    fault("refused without an error", text);
  if (!errors.allPlaced())
    fault("an error without a place: " + errors.getUnplaced().str(), text);
  if (!valid)
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
