// SPDX-License-Identifier: Apache-2.0
// Adds an empty preparation to a program with parameters that stay the same over many runs. Test:
// test/passes/prepare/split-preparation.mlir.
#include "mlir/IR/Builders.h"
#include "passes/Passes.h"
#include "passes/prepare/Preparation.h"

using namespace mlir;
using namespace hloc;

namespace hloc {
#define GEN_PASS_DEF_SPLITPREPARATION
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

struct SplitPreparation : hloc::impl::SplitPreparationBase<SplitPreparation> {
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main || llvm::none_of(main.getArguments(), [&](BlockArgument argument) {
          return main.getArgAttr(argument.getArgNumber(), kPrepare);
        }))
      return;
    OpBuilder builder(&getContext());
    builder.setInsertionPointAfter(main);
    auto preparation = func::FuncOp::create(builder, main.getLoc(), kPreparation,
                                            builder.getFunctionType(main.getArgumentTypes(), {}));
    Block *body = preparation.addEntryBlock();
    for (auto [own, argument] : llvm::zip(body->getArguments(), main.getArguments())) {
      own.setLoc(argument.getLoc());
      if (Attribute name = main.getArgAttr(argument.getArgNumber(), "hlo.name"))
        preparation.setArgAttr(argument.getArgNumber(), "hlo.name", name);
    }
    builder.setInsertionPointToEnd(body);
    func::ReturnOp::create(builder, main.getLoc());
  }
};

} // namespace
