// SPDX-License-Identifier: Apache-2.0
// Computes when compiling what programs make of their large constants, such as bound weights.
//
// What hangs on constants alone is either early, computed here, or late, computed in each run. A
// program holds the early values that something late reads. Of all divisions that is chosen which
// costs the fewest bytes, those that the program holds and those that a run reads of them together,
// and of equal ones that with the most done early: so weights that are converted to a narrower type
// are held as such, those that are widened stay as they are, and a second copy beside the first has
// to save as much in each run as it takes. Test: test/passes/simplify/fold-weights.mlir.
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

/// What is known of a value that hangs on constants, or is part of one that does. Parts are taken
/// by an operation with operands that are known at run time only, such as the slice of one layer's
/// weights in a loop; what is made of a part element by element can be made of the whole.
struct Known {
  int node = -1;             ///< of the value that would be held; -1: none has to be
  Operation *pick = nullptr; ///< takes the part
};

/// A constant, or an operation on such.
struct Node {
  SmallVector<Value, 1> values; ///< which are it, or are made as it is of parts of the same
  double bytes;                 ///< of the whole
  int in, out; ///< in the network: on the source's side if early, and if nothing late reads it
  bool isRead = false; ///< by something that is late however the network is cut
};

class WeightFolder {
public:
  explicit WeightFolder(func::FuncOp function) : function(function) {}

  /// Number of values that were computed.
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
  /// What is made element by element of a node alone: by name, attributes and type.
  std::map<std::tuple<int, const void *, const void *, const void *>, int> made;
  MinimumCut network;
  double constantElements = 0;
};

/// Operations that take a part of their first operand, by indices in others.
bool isPick(Operation *op) { return isa<DynamicSliceOp, GatherOp>(op); }

/// Operations whose result nobody stores: it is quicker to make anew than to read.
bool isCheap(Operation *op) { return isa<BroadcastOp, IotaOp>(op); }

/// Whether each element of the result is made of the one at its place in the only operand.
bool isUnaryElementwise(Operation *op) {
  return op->getNumOperands() == 1 && op->getNumResults() == 1 && op->hasTrait<Elementwise>();
}

/// Time is linear in the sizes, and nothing that is made on the way has more elements than all
/// constants together.
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

/// An elementwise operation on a node, or on a part of it: one node for all that do the same.
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

/// Notes what `op` reads if it is late, and that it can be early only if that is.
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

/// Bytes of the value's whole that `op` reads in a run of the program.
double WeightFolder::countRead(Operation *op, Value operand) const {
  const Known &from = known.at(operand);
  const Node &node = nodes[from.node];
  if (isa<SliceOp>(op))
    return std::min(node.bytes, fuse::bytesOf(op->getResult(0).getType()));
  // A loop comes to all parts.
  bool isPart = from.pick && !from.pick->getParentOfType<LoopLikeOpInterface>();
  return isPart ? std::min(node.bytes, fuse::bytesOf(operand.getType())) : node.bytes;
}

/// Notes what `op` reads, which is late.
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
  // Whether it is the node's value that comes first, or a part of it; not a broadcast one.
  bool isOfNode =
      first.node >= 0 && (first.pick || nodes[first.node].values[0] == op->getOperand(0));
  if (isOfNode && isUnaryElementwise(op) && isFoldable(op)) {
    addMade(op, first);
  } else if (isKnown && isFoldable(op)) {
    auto isFree = [&](Value operand) { return find(operand).node < 0; };
    if (isCheap(op) || llvm::all_of(op->getOperands(), isFree)) {
      known[op->getResult(0)] = first; // which is what its users read
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

/// The value, or if it is made of a part, what is made of the whole.
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

/// Puts a constant in place of a node's values.
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

/// Takes `value`, which was made of a part, as a part of `whole`.
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
  if (constantElements <= double(getMostFoldedElements())) // all that is folded already
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
