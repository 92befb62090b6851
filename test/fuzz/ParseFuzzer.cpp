// SPDX-License-Identifier: Apache-2.0
// libFuzzer target for the lexer, the parser, the verifier and the printer. Any text must either be
// refused with a diagnostic that has a location, or be parsed; valid modules must be printed, and
// the printed text must be parsed and printed as the same text. The index of any text satisfies
// what editors rely on. How to run it: README.md.
#include "compiler/hlo/Verify.h"
#include "compiler/lsp/Index.h"
#include "compiler/text/Parser.h"
#include "compiler/text/Printer.h"
#include "test/fuzz/Session.h"

using namespace mlir;
using namespace hloc::fuzz;

/// Names in the order of the text, each in its text; instructions in computations that there are.
static void checkIndex(const std::string &text) {
  hloc::lsp::Index index(text);
  size_t last = 0;
  for (const hloc::lsp::Mention &mention : index.mentions) {
    if (mention.span.begin < last || mention.span.in(text) != index.symbols[mention.symbol].name)
      fault("a name in the index that is not in its place", text);
    last = mention.span.end;
  }
  for (const hloc::lsp::InstructionText &instruction : index.instructions)
    if (instruction.computation >= index.computations.size() ||
        instruction.whole.begin > instruction.whole.end || instruction.reach > text.size())
      fault("an instruction in the index without a place", text);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  checkIndex(text);
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
