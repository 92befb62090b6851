// SPDX-License-Identifier: Apache-2.0
// Computes at compile time what programs compute from large constants, such as bound weights.
//
// Values that depend only on constants are either early, that is, computed here, or late, computed
// in each run. A program stores the early values that something late reads. Of all divisions, the
// one with the fewest bytes is chosen, counting those that the program stores and those that a run
// reads of them; among equal ones, the one with the most early values. So weights that are
// converted to a narrower type are stored converted, and those that are widened stay as they are; a
// second copy is stored only if it saves as many bytes per run as it takes. Test:
// test/passes/simplify/fold-weights.mlir.
#include "compiler/evaluator/core/Evaluator.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Build.h"
#include "passes/Passes.h"
#include "passes/kernels/ArraySizes.h"
#include "passes/kernels/FuseIndexMaps.h"
#include "passes/simplify/MinimumCut.h"
#include "passes/simplify/RewriteRules.h"
#include <map>

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_FOLDWEIGHTS
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

/// What is known of a value that depends on constants only, or that is a part of such a value. A
/// part is taken by an operation whose other operands are known only at run time, such as the slice
/// of one layer's weights in a loop; elementwise operations on the part can be done on the whole
/// instead.
struct Known {
  int node = -1;             ///< of the value that would be stored; -1: none has to be
  Operation *pick = nullptr; ///< the operation that takes the part
};

/// A constant, or an operation on constants.
struct Node {
  SmallVector<Value, 1> values; // equal, or made alike of parts of the same value
  double bytes;                 ///< of the whole value
  int in, out; ///< in the network: early if on the source's side, and not read by anything late
  bool isRead = false; ///< by something that is always late
};

class WeightFolder {
public:
  explicit WeightFolder(func::FuncOp function) : function(function) {}

  /// Returns the number of values that were computed.
  unsigned run();

private:
  void visit(Operation *op);
  bool isFoldable(Operation *op) const;
  void addNode(Value value, Operation *pick, double bytes);
  void addMade(Operation *op, const Known &from);
  void connect(Operation *op, const Node &node);
  void addReads(Operation *op);
  double countRead(Operation *op, Value operand) const;

  FailureOr<evaluator::Value> evaluate(Value value);
  bool store(int number);
  void replacePart(Value value, Value whole);

  func::FuncOp function;
  DenseMap<Value, Known> known;
  std::vector<Node> nodes;
  /// Elementwise operations on a single node, by name, attributes and type.
  std::map<std::tuple<int, const void *, const void *, const void *>, int> made;
  MinimumCut network;
  double constantElements = 0;
};

/// True for operations that take a part of their first operand, at indices in others.
bool isPick(Operation *op) { return isa<DynamicSliceOp, GatherOp>(op); }

/// True for operations whose result is never stored, because it is faster to compute than to read.
bool isCheap(Operation *op) { return isa<BroadcastOp, IotaOp>(op); }

/// True if each element of the result is computed from the same element of the only operand.
bool isUnaryElementwise(Operation *op) {
  return op->getNumOperands() == 1 && op->getNumResults() == 1 && op->hasTrait<Elementwise>();
}

/// The evaluator takes time linear in the sizes, and no intermediate value has more elements than
/// all constants together.
bool WeightFolder::isFoldable(Operation *op) const {
  if (!isa_and_present<HLODialect>(op->getDialect()) || op->getNumResults() != 1 ||
      op->getNumRegions() != 0 || !isPure(op) || !fuse::isPointwise(op))
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return type && type.hasStaticShape() && fuse::elementsOf(type) <= constantElements;
}

void WeightFolder::addNode(Value value, Operation *pick, double bytes) {
  Node node{{value}, bytes, network.addNode(), network.addNode()};
  network.addEdge(node.in, node.out, int64_t(bytes));
  network.addEdge(node.out, node.in, MinimumCut::never);
  known[value] = {int(nodes.size()), pick};
  nodes.push_back(node);
}

/// Adds an elementwise operation on a node, or on a part of it; equal operations share a node.
void WeightFolder::addMade(Operation *op, const Known &from) {
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
void WeightFolder::connect(Operation *op, const Node &node) {
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
double WeightFolder::countRead(Operation *op, Value operand) const {
  const Known &from = known.at(operand);
  const Node &node = nodes[from.node];
  if (isa<SliceOp>(op))
    return std::min(node.bytes, fuse::bytesOf(op->getResult(0).getType()));
  // A loop reads all parts.
  bool isPart = from.pick && !from.pick->getParentOfType<LoopLikeOpInterface>();
  return isPart ? std::min(node.bytes, fuse::bytesOf(operand.getType())) : node.bytes;
}

/// Records the reads of `op`, which is late.
void WeightFolder::addReads(Operation *op) {
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

void WeightFolder::visit(Operation *op) {
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    addNode(constant, nullptr, fuse::bytesOf(constant.getType()));
    network.addEdge(MinimumCut::Source, nodes.back().in, MinimumCut::never);
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
  if (isOfNode && isUnaryElementwise(op) && isFoldable(op)) {
    addMade(op, first);
  } else if (isKnown && isFoldable(op)) {
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

/// Evaluates the value; if it is made of a part, evaluates what is made of the whole.
FailureOr<evaluator::Value> WeightFolder::evaluate(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast<ConstantOp>(op))
    return evaluator::fromAttribute(constant.getValue());
  const Known &what = known.at(value);
  if (op == what.pick || (what.pick && isa<ReshapeOp>(op)))
    return evaluate(op->getOperand(0));
  SmallVector<evaluator::Value> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<evaluator::Value> known = evaluate(operand);
    if (failed(known))
      return failure();
    operands.push_back(std::move(*known));
  }
  FailureOr<evaluator::Array> result = evaluator::foldArrays(op, operands);
  if (failed(result))
    return failure();
  return evaluator::Value(std::move(*result));
}

/// Replaces a node's values by a constant.
bool WeightFolder::store(int number) {
  SmallVector<Value, 1> values = nodes[number].values;
  FailureOr<evaluator::Value> value = evaluate(values[0]);
  if (failed(value))
    return false;
  const evaluator::Array &array = value->getArray();
  auto type = RankedTensorType::get(array.shape, arrayType(values[0]).getElementType());
  auto builder = OpBuilder::atBlockBegin(&function.getBody().front());
  Value whole = ConstantOp::create(builder, values[0].getLoc(), type,
                                   evaluator::toAttribute(builder.getContext(), array));
  known[whole] = {number};
  for (Value value : values)
    if (known.at(value).pick)
      replacePart(value, whole);
    else
      value.replaceAllUsesWith(whole);
  return true;
}

/// Replaces `value`, which was made of a part, by a part of `whole`.
void WeightFolder::replacePart(Value value, Value whole) {
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

unsigned WeightFolder::run() {
  SmallVector<Operation *> operations;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    operations.push_back(op);
    if (auto constant = dyn_cast<ConstantOp>(op))
      constantElements += fuse::elementsOf(constant.getType());
  });
  if (constantElements <= double(getMostFoldedElements())) // then all that is folded already
    return 0;
  llvm::for_each(llvm::drop_begin(operations), [&](Operation *op) { visit(op); });
  std::vector<bool> isEarly = network.solve();
  unsigned count = 0;
  for (auto [i, node] : llvm::enumerate(nodes))
    if (!node.values[0].getDefiningOp<ConstantOp>() && isEarly[node.in] && !isEarly[node.out])
      count += store(int(i));
  for (Operation *op : llvm::reverse(operations))
    if (isa_and_present<HLODialect>(op->getDialect()) && isOpTriviallyDead(op))
      op->erase();
  return count;
}

struct FoldWeights : hloc::impl::FoldWeightsBase<FoldWeights> {
  void runOnOperation() override { folded += WeightFolder(getOperation()).run(); }
};

} // namespace
