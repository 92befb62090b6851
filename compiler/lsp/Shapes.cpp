// SPDX-License-Identifier: Apache-2.0
#include "compiler/lsp/Shapes.h"
#include "compiler/hlo/HloDialect.h"
#include "compiler/hlo/Location.h"
#include "compiler/text/Shape.h"

using namespace mlir;

namespace hloc::lsp {

/// Names contain no spaces.
static std::string makeKey(StringRef computation, StringRef instruction) {
  return (computation + " " + instruction).str();
}

Shapes::Shapes(ModuleOp module) {
  llvm::DenseMap<Type, std::string> spelled;
  for (auto computation : module.getOps<hlo::ComputationOp>()) {
    auto add = [&](Value value) {
      std::string &shape = spelled[value.getType()];
      llvm::raw_string_ostream out(shape);
      if (shape.empty())
        (void)text::printShape(value.getType(), out);
      StringRef name = hlo::getInstructionName(value.getLoc());
      byName[makeKey(computation.getSymName(), name)] = shape;
    };
    for (BlockArgument parameter : computation.getBody().getArguments())
      add(parameter);
    for (Operation &op : computation.getBody().front())
      if (op.getNumResults() == 1)
        add(op.getResult(0));
  }
}

StringRef Shapes::find(StringRef computation, StringRef instruction) const {
  auto found = byName.find(makeKey(computation, instruction));
  return found == byName.end() ? StringRef() : StringRef(found->second);
}

} // namespace hloc::lsp
