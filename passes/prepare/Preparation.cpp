// SPDX-License-Identifier: Apache-2.0
#include "passes/prepare/Preparation.h"
#include "compiler/hlo/HloDialect.h"
#include "compiler/hlo/Location.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace hloc {

static bool isKnownArgument(BlockArgument argument) {
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  unsigned number = argument.getArgNumber();
  return function &&
         (function.getArgAttr(number, kPrepare) || function.getArgAttr(number, kPrepared));
}

bool isPrepared(Value value) {
  while (auto reshape = value.getDefiningOp<hlo::ReshapeOp>())
    value = reshape.getOperand();
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && isKnownArgument(argument);
}

std::optional<PreparedProgram> PreparedProgram::find(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  auto preparation = module.lookupSymbol<func::FuncOp>(kPreparation);
  if (!main || !preparation)
    return std::nullopt;
  return PreparedProgram(main, preparation);
}

SmallVector<Value> PreparedProgram::getKnownArguments() {
  SmallVector<Value> known;
  for (BlockArgument argument : main.getArguments())
    if (isKnownArgument(argument))
      known.push_back(argument);
  return known;
}

Value PreparedProgram::lookup(BlockArgument argument) {
  unsigned number = argument.getArgNumber(), parameters = getParameterCount();
  return number < parameters ? Value(preparation.getArgument(number))
                             : getEnd()->getOperand(number - parameters);
}

Value PreparedProgram::hold(Value value) {
  Builder builder(value.getContext());
  unsigned number = main.getNumArguments();
  Operation *end = getEnd();
  end->insertOperands(end->getNumOperands(), value);
  (void)preparation.insertResult(number - getParameterCount(), value.getType(), nullptr);
  SmallVector<NamedAttribute> attributes{builder.getNamedAttr(kPrepared, builder.getUnitAttr())};
  if (StringRef name = hlo::getInstructionName(value.getLoc()); !name.empty())
    attributes.push_back(builder.getNamedAttr("hlo.name", builder.getStringAttr(name)));
  (void)main.insertArgument(number, value.getType(), builder.getDictionaryAttr(attributes),
                            value.getLoc());
  return main.getArgument(number);
}

void PreparedProgram::dropUnread() {
  unsigned parameters = getParameterCount();
  for (unsigned number = main.getNumArguments(); number-- > parameters;) {
    if (!main.getArgument(number).use_empty())
      continue;
    (void)main.eraseArgument(number);
    (void)preparation.eraseResult(number - parameters);
    getEnd()->eraseOperand(number - parameters);
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(preparation.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

} // namespace hloc
