// SPDX-License-Identifier: Apache-2.0
#include "passes/simplify/WeightCut.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Build.h"
#include "passes/collectives/Participants.h"
#include "passes/kernels/ArraySizes.h"
#include "passes/kernels/FuseIndexMaps.h"
#include "passes/simplify/RewriteRules.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc {

/// True for operations that take a part of their first operand, at indices in others.
static bool isPick(Operation *op) { return isa<DynamicSliceOp, GatherOp>(op); }

/// True for operations whose result is never stored, because it is faster to compute than to read.
static bool isCheap(Operation *op) { return isa<BroadcastOp, IotaOp>(op); }

/// True if each element of the result is computed from the same element of the only operand.
static bool isUnaryElementwise(Operation *op) {
  return op->getNumOperands() == 1 && op->getNumResults() == 1 && op->hasTrait<Elementwise>();
}

/// True if the operation can be early. No intermediate value has more elements than all weights
/// together. If the weights are constants, the evaluator takes time linear in the sizes.
bool WeightCut::isComputable(Operation *op) const {
  if (!isa_and_present<HLODialect>(op->getDialect()) || op->getNumResults() != 1 ||
      op->getNumRegions() != 0 || !isPure(op))
    return false;
  // Operations without operands are constants, iota, and the numbers of participants.
  if (!fuse::isPointwise(op) &&
      (!hasFreeConstants || op->getNumOperands() == 0 || isCollective(op) || isa<CustomCallOp>(op)))
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return type && type.hasStaticShape() && fuse::elementsOf(type) <= elements;
}

void WeightCut::addNode(Value value, Operation *pick, double bytes) {
  Node node{{value}, bytes, network.addNode(), network.addNode()};
  network.addEdge(node.in, node.out, int64_t(bytes));
  network.addEdge(node.out, node.in, MinimumCut::never);
  known[value] = {int(nodes.size()), pick};
  nodes.push_back(node);
}

void WeightCut::addSource(Value value) {
  addNode(value, nullptr, fuse::bytesOf(value.getType()));
  nodes.back().isSource = true;
  network.addEdge(MinimumCut::Source, nodes.back().in, MinimumCut::never);
}

/// Adds an elementwise operation on a node, or on a part of it; equal operations share a node.
void WeightCut::addMade(Operation *op, const Known &from) {
  Value result = op->getResult(0);
  Type element = arrayType(result).getElementType();
  auto key =
      std::make_tuple(from.node, op->getName().getAsOpaquePointer(),
                      op->getAttrDictionary().getAsOpaquePointer(), element.getAsOpaquePointer());
  auto [place, isNew] = made.try_emplace(key, int(nodes.size()));
  if (isNew) {
    double scale = fuse::elementBytes(element) / fuse::elementBytes(op->getOperand(0).getType());
    addNode(result, from.pick, nodes[from.node].bytes * scale);
  } else {
    nodes[place->second].values.push_back(result);
    known[result] = {place->second, from.pick};
  }
  connect(op, nodes[place->second]);
}

/// Adds edges for what `op` reads if it is late; it can be early only if its operands are.
void WeightCut::connect(Operation *op, const Node &node) {
  for (Value operand : op->getOperands()) {
    int number = known.at(operand).node;
    if (number < 0)
      continue;
    const Node &from = nodes[number];
    network.addEdge(from.out, node.in, MinimumCut::never);
    network.addEdge(from.in, node.in, int64_t(countRead(op, operand)));
    network.addEdge(node.in, from.in, MinimumCut::never);
  }
}

/// Bytes of the whole value that `op` reads in a run of the program.
double WeightCut::countRead(Operation *op, Value operand) const {
  const Known &from = known.at(operand);
  const Node &node = nodes[from.node];
  if (isa<SliceOp>(op))
    return std::min(node.bytes, fuse::bytesOf(op->getResult(0).getType()));
  // A loop reads all parts.
  bool isPart = from.pick && !from.pick->getParentOfType<LoopLikeOpInterface>();
  return isPart ? std::min(node.bytes, fuse::bytesOf(operand.getType())) : node.bytes;
}

/// Records the reads of `op`, which is late.
void WeightCut::addReads(Operation *op) {
  for (Value operand : op->getOperands()) {
    auto found = known.find(operand);
    if (found == known.end() || found->second.node < 0)
      continue;
    Node &node = nodes[found->second.node];
    network.addEdge(node.in, MinimumCut::Sink, int64_t(countRead(op, operand)));
    if (!node.isRead)
      network.addEdge(node.out, MinimumCut::Sink, MinimumCut::never);
    node.isRead = true;
  }
}

void WeightCut::visit(Operation *op) {
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    if (hasFreeConstants)
      known[constant] = Known();
    else
      addSource(constant);
    return;
  }
  auto find = [&](Value value) {
    auto found = known.find(value);
    return found == known.end() ? Known() : found->second;
  };
  bool isKnown = llvm::all_of(op->getOperands(), [&](Value operand) {
    return known.contains(operand) && !find(operand).pick;
  });
  Known first = op->getNumOperands() > 0 ? find(op->getOperand(0)) : Known();
  // The first operand must be the node's value or a part of it, not a broadcast of it.
  bool isOfNode =
      first.node >= 0 && (first.pick || nodes[first.node].values[0] == op->getOperand(0));
  if (isOfNode && isUnaryElementwise(op) && isComputable(op)) {
    addMade(op, first);
  } else if (isKnown && isComputable(op)) {
    auto isFree = [&](Value operand) { return find(operand).node < 0; };
    if (isCheap(op) || llvm::all_of(op->getOperands(), isFree)) {
      known[op->getResult(0)] = first; // its users read the same value
      return;
    }
    addNode(op->getResult(0), nullptr, fuse::bytesOf(op->getResult(0).getType()));
    connect(op, nodes.back());
  } else if (isOfNode && (first.pick ? isa<ReshapeOp>(op) : isPick(op) && isPure(op))) {
    known[op->getResult(0)] = {first.node, first.pick ? first.pick : op};
  } else {
    addReads(op);
  }
}

void WeightCut::visitAll() {
  llvm::for_each(llvm::drop_begin(operations), [&](Operation *op) { visit(op); });
}

WeightCut WeightCut::ofConstants(func::FuncOp function) {
  WeightCut cut(function);
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    cut.operations.push_back(op);
    if (auto constant = dyn_cast<ConstantOp>(op))
      cut.elements += fuse::elementsOf(constant.getType());
  });
  if (cut.elements > double(getMostFoldedElements())) // else all that is folded already
    cut.visitAll();
  return cut;
}

WeightCut WeightCut::ofArguments(func::FuncOp function, ArrayRef<Value> arguments) {
  WeightCut cut(function);
  cut.hasFreeConstants = true;
  for (Value argument : arguments) {
    cut.addSource(argument);
    cut.elements += fuse::elementsOf(argument);
  }
  function.walk<WalkOrder::PreOrder>([&](Operation *op) { cut.operations.push_back(op); });
  cut.visitAll();
  return cut;
}

SmallVector<int> WeightCut::solve() {
  SmallVector<int> held;
  if (nodes.empty())
    return held;
  std::vector<bool> isEarly = network.solve();
  for (auto [i, node] : llvm::enumerate(nodes))
    if (!node.isSource && isEarly[node.in] && !isEarly[node.out])
      held.push_back(int(i));
  return held;
}

bool WeightCut::isOfPart(Operation *op) const {
  const Known &what = known.at(op->getResult(0));
  return op == what.pick || (what.pick && isa<ReshapeOp>(op));
}

void WeightCut::replace(int node, Value whole) {
  SmallVector<Value, 1> values = nodes[node].values;
  known[whole] = {node};
  for (Value value : values)
    if (known.at(value).pick)
      replacePart(value, whole);
    else
      value.replaceAllUsesWith(whole);
}

/// Replaces `value`, which was made of a part, by a part of `whole`.
void WeightCut::replacePart(Value value, Value whole) {
  Known what = known.at(value);
  OpBuilder builder(value.getDefiningOp());
  what.pick = builder.clone(*what.pick);
  what.pick->setOperand(0, whole);
  Value part = what.pick->getResult(0);
  part.setType(
      RankedTensorType::get(arrayType(part).getShape(), arrayType(whole).getElementType()));
  Value result = Build(builder, value.getLoc()).reshape(part, arrayType(value).getShape());
  known[part] = what;
  known[result] = what;
  value.replaceAllUsesWith(result);
}

void WeightCut::eraseDead() {
  for (Operation *op : llvm::reverse(operations))
    if (isa_and_present<HLODialect>(op->getDialect()) && isOpTriviallyDead(op))
      op->erase();
  operations.clear();
}

} // namespace hloc
