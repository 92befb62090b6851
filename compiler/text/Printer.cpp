// SPDX-License-Identifier: Apache-2.0
#include "compiler/text/Printer.h"
#include "compiler/hlo/HloDialect.h"
#include "compiler/hlo/Location.h"
#include "compiler/text/Lexer.h"
#include "compiler/text/PrintValues.h"
#include "compiler/text/Shape.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::text {
namespace {

/// The opcode of an operation: its name with dashes.
std::string opcodeOf(Operation &operation) {
  std::string opcode = operation.getName().stripDialect().str();
  llvm::replace(opcode, '_', '-');
  return opcode;
}

/// Prints one computation.
class ComputationPrinter {
public:
  ComputationPrinter(ComputationOp computation, raw_ostream &out, bool elideConstants)
      : computation(computation), block(computation.getBody().front()), out(out),
        elideConstants(elideConstants) {
    for (BlockArgument argument : block.getArguments())
      chooseName(argument, "param");
    for (Operation &operation : block.without_terminator())
      for (Value result : operation.getResults())
        chooseName(result, opcodeOf(operation));
  }

  LogicalResult print() {
    Operation *terminator = block.getTerminator();
    if (terminator->getNumOperands() != 1)
      return refuse(terminator, "a computation with several results");
    Value root = terminator->getOperand(0);
    if (computation.getEntry())
      out << "ENTRY ";
    out << '%' << computation.getSymName() << " (";
    for (BlockArgument argument : block.getArguments()) {
      if (argument.getArgNumber())
        out << ", ";
      out << names[argument] << ": ";
      if (!printShape(argument.getType(), out, /*layouts=*/false))
        return refuse(computation, "a parameter of this type");
    }
    out << ") -> ";
    if (!printShape(root.getType(), out, /*layouts=*/false))
      return refuse(terminator, "a result of this type");
    out << " {\n";

    // Parameters come first, except for those that were elsewhere in the text.
    int64_t count = 0;
    SmallVector<BlockArgument> later;
    for (BlockArgument argument : block.getArguments()) {
      if (positionOf(argument))
        later.push_back(argument);
      else
        printParameter(argument, root), ++count;
    }
    llvm::sort(later, [&](BlockArgument a, BlockArgument b) { // the next one at the back
      return std::pair(positionOf(a), a.getArgNumber()) >
             std::pair(positionOf(b), b.getArgNumber());
    });
    auto printNext = [&] {
      printParameter(later.pop_back_val(), root);
      ++count;
    };
    for (Operation &operation : block.without_terminator()) {
      auto isUsed = [&](BlockArgument argument) {
        return llvm::is_contained(operation.getOperands(), argument);
      };
      while (!later.empty() && (positionOf(later.back()) <= count || llvm::any_of(later, isUsed)))
        printNext();
      if (failed(printInstruction(operation, root)))
        return failure();
      ++count;
    }
    while (!later.empty())
      printNext();
    out << '}';
    if (auto thread = computation.getExecutionThread())
      out << ", execution_thread=\"" << *thread << '"';
    out << "\n";
    return success();
  }

private:
  LogicalResult refuse(Operation *operation, const Twine &what) {
    return operation->emitError() << what.str()
                                  << " has no form in HLO text: print it with --emit=mlir";
  }

  /// The number of instructions and parameters before a parameter in the text.
  int64_t positionOf(BlockArgument argument) {
    auto position =
        computation.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), "hlo.position");
    return position ? position.getInt() : 0;
  }

  /// Names `value` after its location, or otherwise after `base`; a number is appended if the name
  /// is taken.
  void chooseName(Value value, StringRef base) {
    StringRef given = getInstructionName(value.getLoc());
    std::string name;
    for (char c : given.empty() ? base : given)
      name += llvm::isAlnum(c) || c == '_' || c == '.' || c == '-' ? c : '_';
    if (!llvm::isAlpha(name[0]) && name[0] != '_')
      name = "v" + name;
    if (isTypeName(name))
      name += "_";
    std::string unique = name;
    for (unsigned &i = counters[name]; !taken.insert(unique).second;)
      unique = name + "." + std::to_string(++i);
    if (!given.empty())
      printed.try_emplace(given, unique);
    names[value] = std::move(unique);
  }

  void printParameter(BlockArgument argument, Value root) {
    out << (argument == root ? "  ROOT %" : "  %") << names[argument] << " = ";
    printShape(argument.getType(), out);
    out << " parameter(" << argument.getArgNumber() << ')';
    if (DictionaryAttr attributes = computation.getArgAttrDict(argument.getArgNumber()))
      printShared(attributes);
    printMetadata(argument.getLoc());
    out << '\n';
  }

  LogicalResult printInstruction(Operation &operation, Value root) {
    if (!isa<HLODialect>(operation.getDialect()) || operation.getNumRegions())
      return refuse(&operation, "`" + operation.getName().getStringRef() + "`");
    if (operation.getNumResults() != 1)
      return refuse(&operation,
                    "an operation with " + Twine(operation.getNumResults()) + " results");
    Value result = operation.getResult(0);
    out << (result == root ? "  ROOT %" : "  %") << names[result] << " = ";
    if (!printShape(result.getType(), out))
      return refuse(&operation, "a result of this type");
    out << ' ' << opcodeOf(operation) << '(';
    auto constant = dyn_cast<ConstantOp>(operation);
    if (constant)
      printLiteral(constant.getValue(), result.getType(),
                   elideConstants || constant->hasAttr("hlo.elided"), out);
    llvm::interleave(
        operation.getOperands(), out, [&](Value operand) { out << '%' << names[operand]; }, ", ");
    out << ')';
    if (!constant && !printOwnAttributes(&operation, out))
      return refuse(&operation, "one of the attributes");
    printShared(operation.getDiscardableAttrDictionary());
    printMetadata(operation.getLoc());
    out << '\n';
    return success();
  }

  void printShared(DictionaryAttr attributes) {
    if (attributes.empty())
      return;
    for (StringRef name : {"sharding", "frontend_attributes", "parameter_replication", "statistics",
                           "origin", "backend_config"})
      if (auto text = attributes.getAs<StringAttr>(("hlo." + name).str()))
        out << ", " << name << '=' << text.getValue();
    auto predecessors = attributes.getAs<ArrayAttr>("hlo.control_predecessors");
    if (!predecessors)
      return;
    // Predecessors that passes have removed are omitted.
    SmallVector<StringRef> present;
    for (Attribute name : predecessors)
      if (auto found = printed.find(cast<StringAttr>(name).getValue()); found != printed.end())
        present.push_back(found->second);
    if (present.empty())
      return;
    out << ", control-predecessors={";
    llvm::interleave(present, out, [&](StringRef name) { out << '%' << name; }, ", ");
    out << '}';
  }

  void printMetadata(Location location) {
    if (StringRef metadata = getMetadata(location); !metadata.empty())
      out << ", metadata={" << metadata << '}';
  }

  ComputationOp computation;
  Block &block;
  raw_ostream &out;
  bool elideConstants;
  llvm::DenseMap<Value, std::string> names;
  llvm::StringSet<> taken;
  llvm::StringMap<unsigned> counters;
  llvm::StringMap<std::string> printed; // by the name in the location
};

/// The module's computations, callees before their callers.
SmallVector<ComputationOp> orderComputations(ModuleOp module) {
  llvm::StringMap<ComputationOp> byName;
  for (auto computation : module.getOps<ComputationOp>())
    byName[computation.getSymName()] = computation;
  SmallVector<ComputationOp> order;
  llvm::DenseSet<Operation *> seen;
  for (auto root : module.getOps<ComputationOp>()) {
    SmallVector<std::pair<ComputationOp, Block::iterator>> stack;
    auto enter = [&](ComputationOp computation) {
      if (computation && seen.insert(computation).second)
        stack.push_back({computation, computation.getBody().front().begin()});
    };
    enter(root);
    while (!stack.empty()) {
      auto [computation, at] = stack.back();
      if (at == computation.getBody().front().end()) {
        order.push_back(computation);
        stack.pop_back();
        continue;
      }
      SmallVector<ComputationOp, 2> callees;
      for (NamedAttribute attribute : at->getAttrs())
        attribute.getValue().walk([&](FlatSymbolRefAttr symbol) {
          if (ComputationOp callee = byName.lookup(symbol.getValue());
              callee && !seen.contains(callee))
            callees.push_back(callee);
        });
      if (callees.empty())
        ++stack.back().second;
      else
        enter(callees.front());
    }
  }
  return order;
}

void printHeader(ModuleOp module, raw_ostream &out) {
  out << "HloModule " << module.getSymName().value_or("module");
  for (NamedAttribute attribute : module->getDiscardableAttrs()) {
    StringRef name = attribute.getName();
    Attribute value = attribute.getValue();
    if (!name.consume_front("hlo.") || name == "stack_frames" || name == "buffer_donor" ||
        name == "input_output_alias" || name == "entry_computation_layout")
      continue;
    if (auto flag = dyn_cast<BoolAttr>(value))
      out << ", " << name << '=' << (flag.getValue() ? "true" : "false");
    else if (auto number = dyn_cast<IntegerAttr>(value))
      out << ", " << name << '=' << number.getInt();
    else if (auto text = dyn_cast<StringAttr>(value))
      out << ", " << name << '=' << text.getValue();
  }
  if (auto aliases = module->getAttrOfType<ArrayAttr>("hlo.input_output_alias")) {
    out << ", input_output_alias=";
    printAliases(aliases, out);
  }
  if (auto donors = module->getAttrOfType<ArrayAttr>("hlo.buffer_donor")) {
    out << ", buffer_donor={";
    llvm::interleave(
        donors, out,
        [&](Attribute attribute) {
          auto donor = cast<BufferAliasAttr>(attribute);
          out << " (" << donor.getOperand() << ", {";
          llvm::interleave(donor.getOperandIndex(), out, ",");
          out << "})";
        },
        ",");
    out << " }";
  }
  if (auto layout = module->getAttrOfType<TypeAttr>("hlo.entry_computation_layout")) {
    auto type = cast<FunctionType>(layout.getValue());
    out << ", entry_computation_layout={(";
    llvm::interleave(type.getInputs(), out, [&](Type input) { printShape(input, out); }, ", ");
    out << ")->";
    printShape(type.getResult(0), out);
    out << '}';
  }
  out << '\n';
  if (auto frames = module->getAttrOfType<StringAttr>("hlo.stack_frames"))
    out << '\n' << frames.getValue() << '\n';
}

} // namespace
} // namespace hloc::text

mlir::LogicalResult hloc::printHlo(ModuleOp module, raw_ostream &out) {
  for (Operation &operation : *module.getBody())
    if (!isa<ComputationOp>(operation))
      return operation.emitError() << "`" << operation.getName().getStringRef()
                                   << "` has no form in HLO text: print it with --emit=mlir";
  std::string text;
  llvm::raw_string_ostream buffer(text);
  text::printHeader(module, buffer);
  for (ComputationOp computation : text::orderComputations(module)) {
    buffer << '\n';
    if (failed(text::ComputationPrinter(computation, buffer, /*elideConstants=*/false).print()))
      return failure();
  }
  out << text;
  return success();
}

void hloc::printListing(ModuleOp module, raw_ostream &out) {
  ScopedDiagnosticHandler silent(module.getContext(), [](Diagnostic &) { return success(); });
  text::printHeader(module, out);
  for (auto computation : module.getOps<ComputationOp>()) {
    out << '\n';
    (void)text::ComputationPrinter(computation, out, /*elideConstants=*/true).print();
  }
}
