// SPDX-License-Identifier: Apache-2.0
// Layouts of the interface become row-major shapes. Test:
// test/passes/frontend/normalize-layouts.mlir.
#include "compiler/hlo/HloDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Build.h"
#include "passes/Passes.h"
#include "passes/simplify/Match.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_NORMALIZELAYOUTS
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

struct NormalizeLayouts : hloc::impl::NormalizeLayoutsBase<NormalizeLayouts> {
  /// The dimensions in memory order, major first; none if that is their own order.
  static std::optional<SmallVector<int64_t>> getPermutation(DictionaryAttr attributes) {
    auto layout = attributes ? attributes.getAs<LayoutAttr>("hlo.layout") : LayoutAttr();
    if (!layout)
      return std::nullopt;
    SmallVector<int64_t> order(llvm::reverse(layout.getMinorToMajor()));
    if (isIdentityPermutation(order))
      return std::nullopt;
    return order;
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    Block &body = function.getBody().front();
    OpBuilder builder(&getContext());
    SmallVector<Type> argumentTypes, resultTypes(function.getResultTypes());

    builder.setInsertionPointToStart(&body);
    for (BlockArgument argument : body.getArguments()) {
      if (auto order = getPermutation(function.getArgAttrDict(argument.getArgNumber()))) {
        auto logical = arrayType(argument);
        SmallVector<int64_t> shape;
        for (int64_t dimension : *order)
          shape.push_back(logical.getDimSize(dimension));
        argument.setType(logical.clone(shape));
        auto transpose = TransposeOp::create(builder, argument.getLoc(), logical, argument,
                                             invertPermutation(*order));
        argument.replaceAllUsesExcept(transpose, transpose);
      } else {
        function.removeArgAttr(argument.getArgNumber(), "hlo.layout");
      }
      argumentTypes.push_back(argument.getType());
    }

    Operation *terminator = body.getTerminator();
    builder.setInsertionPoint(terminator);
    for (OpOperand &result : terminator->getOpOperands()) {
      unsigned i = result.getOperandNumber();
      if (auto order = getPermutation(function.getResultAttrDict(i))) {
        result.set(Build(builder, result.get().getLoc()).transpose(result.get(), *order));
        resultTypes[i] = result.get().getType();
      } else {
        function.removeResultAttr(i, builder.getStringAttr("hlo.layout"));
      }
    }
    function.setFunctionType(builder.getFunctionType(argumentTypes, resultTypes));
  }
};

} // namespace
