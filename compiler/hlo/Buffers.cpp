// SPDX-License-Identifier: Apache-2.0
#include "compiler/hlo/Buffers.h"
#include "compiler/hlo/HloDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace hloc::hlo;

/// True if a parameter or a result is a buffer, or a tuple that contains one.
static bool hasBuffers(ModuleOp module) {
  DenseSet<Type> seen;
  auto isBuffer = [&](Type type) {
    auto find = [](BufferType) { return WalkResult::interrupt(); };
    return seen.insert(type).second && type.walk(find).wasInterrupted();
  };
  return module
      ->walk([&](Operation *op) {
        auto computation = dyn_cast<ComputationOp>(op);
        return llvm::any_of(op->getResultTypes(), isBuffer) ||
                       (computation && llvm::any_of(computation.getArgumentTypes(), isBuffer))
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

void hloc::hlo::replaceBuffers(ModuleOp module) {
  if (!hasBuffers(module))
    return;
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [](BufferType type) -> std::optional<Type> { return type.getContents(); });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}
