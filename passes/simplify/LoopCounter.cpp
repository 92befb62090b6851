// SPDX-License-Identifier: Apache-2.0
#include "passes/simplify/LoopCounter.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Build.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

Direction hloc::swapOperands(Direction direction) {
  switch (direction) {
  case Direction::LT:
    return Direction::GT;
  case Direction::LE:
    return Direction::GE;
  case Direction::GT:
    return Direction::LT;
  case Direction::GE:
    return Direction::LE;
  default:
    return direction;
  }
}

std::optional<LoopCounter> hloc::findCounter(scf::WhileOp loop) {
  Block &before = loop.getBefore().front(), &after = loop.getAfter().front();
  auto condition = cast<scf::ConditionOp>(before.getTerminator());
  if (!llvm::equal(condition.getArgs(), before.getArguments()))
    return std::nullopt;
  auto extract = condition.getCondition().getDefiningOp<tensor::ExtractOp>();
  auto compare = extract ? extract.getTensor().getDefiningOp<CompareOp>() : CompareOp();
  if (!compare || compare->getBlock() != &before || compare.getType() == ComparisonType::TOTALORDER)
    return std::nullopt;
  for (Operation &op : before)
    if (&op != compare && &op != extract && &op != condition && !isa<ConstantOp>(op) &&
        !isOpTriviallyDead(&op))
      return std::nullopt;

  LoopCounter counter;
  Value tested = compare.getLhs();
  counter.bound = compare.getRhs();
  counter.direction = compare.getDirection();
  if (!isa<BlockArgument>(tested) || tested.getParentBlock() != &before) {
    std::swap(tested, counter.bound);
    counter.direction = swapOperands(counter.direction);
  }
  auto argument = dyn_cast<BlockArgument>(tested);
  if (!argument || argument.getOwner() != &before)
    return std::nullopt;
  bool isInside = counter.bound.getParentBlock() == &before;
  if (isInside && !counter.bound.getDefiningOp<ConstantOp>())
    return std::nullopt;
  counter.position = argument.getArgNumber();
  counter.init = loop.getInits()[counter.position];
  counter.type = arrayType(tested);

  Operation *next = after.getTerminator()->getOperand(counter.position).getDefiningOp();
  if (!next || !isa<AddOp, SubtractOp>(next))
    return std::nullopt;
  Value state = after.getArgument(counter.position);
  counter.subtracts = isa<SubtractOp>(next);
  bool isFirst = next->getOperand(0) == state;
  if (!isFirst && (counter.subtracts || next->getOperand(1) != state))
    return std::nullopt;
  counter.step = next->getOperand(isFirst ? 1 : 0);
  return counter;
}
