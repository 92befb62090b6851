// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/Needs.h"
#include "codegen/program/Program.h"
#include "compiler/target/TargetSummary.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

namespace hloc {

std::string describeNeeds(const ObjectNeeds &needs, const ModuleInterface &interface,
                          const Target &target) {
  int64_t arguments = 0, results = 0;
  for (const Port &port : interface.arguments)
    arguments += port.bytes;
  for (const Port &port : interface.results)
    results += port.bytes;
  std::string text;
  llvm::raw_string_ostream out(text);
  out << interface.name << " needs\n"
      << "  functions: " << (needs.undefined.empty() ? "none" : llvm::join(needs.undefined, ", "))
      << "\n  stack: " << needs.stackBytes << " bytes at most"
      << (needs.undefined.empty() ? "" : ", and what those functions take")
      << (llvm::Triple(target.triple).isRISCV() ? ", and vectors of the processor's length" : "")
      << "\n  arena: " << interface.arenaBytes << " bytes at a multiple of " << kArenaAlignment
      << "\n  arguments: " << arguments << " bytes, results: " << results << " bytes"
      << "\n  code: " << needs.codeBytes << " bytes, constants: " << needs.constantBytes
      << " bytes, data that is written: " << needs.dataBytes << " bytes"
      << "\n  processor: " << summarize(target) << '\n';
  return text;
}

} // namespace hloc
