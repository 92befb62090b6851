// SPDX-License-Identifier: Apache-2.0
// assign-buffers numbers the values of each function and records which ones every operation reads
// and writes (`hlo.reads`, `hlo.writes`), and which values control flow passes on (`hlo.becomes`).
#include "compiler/driver/report/ProgramGraph.h"
#include "compiler/driver/report/KernelFacts.h"
#include "compiler/hlo/HloDialect.h"
#include "compiler/hlo/Location.h"
#include "compiler/text/Shape.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/memory/AssignBuffersPlan.h"
#include "passes/schedule/TileGroups.h"
#include "llvm/ADT/TypeSwitch.h"
#include <set>

using namespace mlir;
namespace json = llvm::json;

namespace hloc {

namespace {

class GraphMaker {
public:
  GraphMaker(const llvm::StringMap<int64_t> &kernels, int64_t target, SourceLines &lines)
      : kernels(kernels), target(target), lines(lines) {}

  void addFunction(func::FuncOp function);
  ProgramGraph take() { return std::move(graph); }

private:
  /// The place for new nodes: inside node `parent`, in its region of this number.
  struct Scope {
    int64_t parent, region;
  };
  /// The origin of a value of one function.
  struct Origin {
    int64_t node = -1;
    RankedTensorType type;
  };

  int64_t addNode(Operation *op, StringRef kind, StringRef name, const Scope &scope,
                  json::Object more = {});
  void addBlock(Block &block, const Scope &scope);
  void addControl(Operation *op, const Scope &scope);
  void addYield(Operation *yield, const Scope &scope);
  void addRead(int64_t value, int64_t to, bool leaves = false);
  void addReads(Operation *op, int64_t to);
  void addWrites(Operation *op, int64_t from, ValueRange memory);
  void addScalar(memref::LoadOp load, const Scope &scope);

  static ArrayRef<int64_t> getNumbers(Operation *op, StringRef attribute) {
    auto numbers = op->getAttrOfType<DenseI64ArrayAttr>(attribute);
    return numbers ? numbers.asArrayRef() : ArrayRef<int64_t>();
  }
  static RankedTensorType getArray(Type memory) {
    auto type = cast<MemRefType>(memory);
    return RankedTensorType::get(type.getShape(), type.getElementType());
  }
  static json::Object getType(RankedTensorType type) {
    if (!type)
      return {};
    return json::Object{{"type", text::shapeText(type)}, {"bytes", buffers::getBytes(type)}};
  }

  const llvm::StringMap<int64_t> &kernels;
  int64_t target;
  SourceLines &lines;
  ProgramGraph graph;

  // For the current function.
  DenseMap<int64_t, Origin> origins;
  ArrayRef<int64_t> positions; // of the remaining launches
  /// Values that conditions of control flow depend on.
  DenseMap<Operation *, SmallVector<int64_t, 1>> conditions;
  std::set<std::tuple<int64_t, int64_t, int64_t, bool>> known;
};

} // namespace

int64_t GraphMaker::addNode(Operation *op, StringRef kind, StringRef name, const Scope &scope,
                            json::Object more) {
  json::Object node{{"kind", kind}, {"name", toJsonText(name)}};
  if (scope.parent >= 0) {
    node["parent"] = scope.parent;
    node["region"] = scope.region;
  }
  if (op) {
    if (int64_t line = lines.addLine(op->getLoc()))
      node["line"] = line;
    if (int64_t place = lines.addPlace(op->getLoc()); place >= 0)
      node["place"] = place;
  }
  for (auto &[key, value] : more)
    node[key] = std::move(value);
  graph.nodes.push_back(std::move(node));
  return int64_t(graph.nodes.size()) - 1;
}

void GraphMaker::addRead(int64_t value, int64_t to, bool leaves) {
  Origin from = origins.lookup(value);
  if (from.node < 0 || from.node == to || !known.insert({from.node, to, value, leaves}).second)
    return;
  json::Object edge = getType(from.type);
  edge["from"] = from.node;
  edge["to"] = to;
  if (leaves)
    edge["leaves"] = true;
  graph.edges.push_back(std::move(edge));
}

void GraphMaker::addReads(Operation *op, int64_t to) {
  for (int64_t value : getNumbers(op, "hlo.reads"))
    addRead(value, to);
}

void GraphMaker::addWrites(Operation *op, int64_t from, ValueRange memory) {
  for (auto [i, value] : llvm::enumerate(getNumbers(op, "hlo.writes")))
    origins[value] = {from, i < memory.size() ? getArray(memory[i].getType())
                                              : origins.lookup(value).type};
}

/// The control flow that depends on a scalar is its reader.
void GraphMaker::addScalar(memref::LoadOp load, const Scope &scope) {
  SmallVector<Operation *> users(load->getUsers());
  for (size_t i = 0; i < users.size(); ++i) {
    Operation *user = users[i];
    if (isa<scf::ConditionOp>(user)) {
      for (int64_t value : getNumbers(load, "hlo.reads"))
        addRead(value, scope.parent, /*leaves=*/true);
    } else if (user->getNumRegions()) {
      // its node is added later
      llvm::append_range(conditions[user], getNumbers(load, "hlo.reads"));
    } else {
      llvm::append_range(users, user->getUsers());
    }
  }
}

/// Values that a region yields to the operation around it, which shows them as its own.
void GraphMaker::addYield(Operation *yield, const Scope &scope) {
  ArrayRef<int64_t> pairs = getNumbers(yield, "hlo.becomes");
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    addRead(pairs[i], scope.parent, /*leaves=*/true);
    origins[pairs[i + 1]] = {scope.parent, origins.lookup(pairs[i]).type};
  }
}

void GraphMaker::addControl(Operation *op, const Scope &scope) {
  bool isLoop = isa<scf::ForOp, scf::WhileOp>(op);
  json::Object more;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    if (std::optional<APInt> trips = loop.getStaticTripCount())
      more["trips"] = trips->getSExtValue();
  StringRef name = hlo::getInstructionName(op->getLoc());
  int64_t node = addNode(op, isLoop ? "loop" : "branch", name, scope, std::move(more));
  for (int64_t value : conditions.lookup(op))
    addRead(value, node);
  ArrayRef<int64_t> pairs = getNumbers(op, "hlo.becomes");
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    addRead(pairs[i], node);
    origins[pairs[i + 1]] = {node, origins.lookup(pairs[i]).type};
  }
  for (Region &region : op->getRegions())
    if (!region.empty())
      addBlock(region.front(), {node, region.getRegionNumber()});
}

void GraphMaker::addBlock(Block &block, const Scope &scope) {
  for (Operation &op : block) {
    StringRef name = hlo::getInstructionName(op.getLoc());
    llvm::TypeSwitch<Operation *>(&op)
        .Case([&](hlo::LaunchOp launch) {
          json::Object more{{"kernel", kernels.lookup(launch.getKernel())}};
          if (!positions.empty()) {
            more["position"] = positions.front();
            positions = positions.drop_front();
          }
          if (std::optional<int64_t> times = countRuns(launch))
            more["times"] = *times;
          if (int64_t group = getTileGroup(launch, target); group != kNoTileGroup)
            more["group"] = group;
          int64_t node = addNode(launch, "launch", name, scope, std::move(more));
          addReads(launch, node);
          addWrites(launch, node, launch.getOutputs());
        })
        .Case([&](hlo::RuntimeCallOp call) {
          if (call.getCallee() == buffers::kEmptyCall)
            return;
          int64_t node =
              addNode(call, "call", name, scope, json::Object{{"callee", call.getCallee()}});
          addReads(call, node);
          addWrites(call, node, call.getOutputs());
        })
        .Case([&](memref::CopyOp copy) {
          // Copies of control flow are shown by the values that it passes on.
          if (getNumbers(copy, "hlo.writes").empty())
            return;
          int64_t node = addNode(copy, "copy", name, scope);
          addReads(copy, node);
          addWrites(copy, node, copy.getTarget());
        })
        .Case([&](memref::GetGlobalOp global) {
          int64_t node =
              addNode(global, "constant", name, scope, getType(getArray(global.getType())));
          addWrites(global, node, global.getResult());
        })
        .Case([&](memref::LoadOp load) { addScalar(load, scope); })
        .Case([&](scf::ConditionOp condition) {
          ArrayRef<int64_t> pairs = getNumbers(condition, "hlo.becomes");
          for (size_t i = 0; i + 1 < pairs.size(); i += 2)
            origins[pairs[i + 1]] = origins.lookup(pairs[i]);
        })
        .Case([&](scf::YieldOp yield) { addYield(yield, scope); })
        .Default([&](Operation *other) {
          if (isa<scf::SCFDialect>(other->getDialect()) && other->getNumRegions())
            addControl(other, scope);
        });
  }
}

void GraphMaker::addFunction(func::FuncOp function) {
  origins.clear();
  known.clear();
  positions = getNumbers(function, "hlo.arena_positions");
  bool isMain = function.getName() == "main";
  int64_t root =
      addNode(isMain ? nullptr : function.getOperation(), "function", function.getName(), {-1, 0});
  Scope scope{root, 0};
  auto getName = [&](unsigned argument) {
    auto name = function.getArgAttrOfType<StringAttr>(argument, "hlo.name");
    return name ? name.getValue() : StringRef();
  };
  for (BlockArgument argument : function.getArguments()) {
    auto value = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), "hlo.value");
    if (!value)
      continue;
    RankedTensorType type = getArray(argument.getType());
    int64_t node =
        addNode(nullptr, "argument", getName(argument.getArgNumber()), scope, getType(type));
    origins[value.getInt()] = {node, type};
  }
  addBlock(function.getBody().front(), scope);
  auto results = function->getAttrOfType<IntegerAttr>("hlo.results");
  int64_t count = results ? results.getInt() : 0, first = function.getNumArguments() - 1 - count;
  Operation *end = function.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(getNumbers(end, "hlo.reads"))) {
    if (int64_t(i) >= count)
      break;
    RankedTensorType type = getArray(function.getArgumentTypes()[first + i]);
    addRead(value, addNode(nullptr, "result", getName(first + i), scope, getType(type)));
  }
}

ProgramGraph makeProgramGraph(ModuleOp program, const llvm::StringMap<int64_t> &kernels,
                              int64_t target, SourceLines &lines) {
  GraphMaker maker(kernels, target, lines);
  for (auto function : program.getOps<func::FuncOp>())
    maker.addFunction(function);
  return maker.take();
}

} // namespace hloc
