// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/Fingerprint.h"
#include "passes/Computations.h"
#include "passes/schedule/OperandPanels.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace hloc {

/// The fewest elements of a constant of which only the type counts.
static constexpr int64_t kLargeConstant = 64;

namespace {

/// Writes the text that is hashed.
class Writer {
public:
  std::string text;

  void write(Block &block) {
    llvm::raw_string_ostream out(text);
    llvm::DenseMap<Value, size_t> numbers;
    auto define = [&](Value value) {
      numbers.try_emplace(value, numbers.size());
      out << value.getType() << ';';
    };
    for (BlockArgument argument : block.getArguments())
      define(argument);
    for (Operation &op : block) {
      out << '\n' << op.getName() << '(';
      for (Value operand : op.getOperands())
        out << numbers.lookup(operand) << ',';
      out << ')';
      for (NamedAttribute attribute : op.getAttrDictionary())
        write(op, attribute, out);
      for (Value result : op.getResults())
        define(result);
    }
  }

private:
  void write(Operation &op, NamedAttribute attribute, raw_ostream &out) {
    out << attribute.getName() << '=';
    if (auto symbol = dyn_cast<FlatSymbolRefAttr>(attribute.getValue())) {
      hlo::ComputationOp computation = lookupComputation(&op, symbol);
      out << '{';
      out.flush();
      if (computation && !computation.getBody().empty())
        write(computation.getBody().front());
      out << '}';
    } else if (auto elements = dyn_cast<DenseElementsAttr>(attribute.getValue());
               elements && !elements.isSplat() && elements.getNumElements() >= kLargeConstant) {
      out << elements.getType();
    } else {
      out << attribute.getValue();
    }
    out << ';';
  }
};

} // namespace

std::string getFingerprint(hlo::KernelKind kind, Block &body) {
  // Packing an operand beforehand does not change what is computed.
  for (auto dot : body.getOps<hlo::DotOp>())
    if (auto before = dot->getAttrOfType<StringAttr>(kPackedFrom))
      return before.str();
  Writer writer;
  writer.write(body);
  writer.text += hlo::stringifyKernelKind(kind);
  std::string digits = llvm::utohexstr(llvm::xxh3_64bits(writer.text), /*LowerCase=*/true);
  return std::string(16 - digits.size(), '0') + digits;
}

} // namespace hloc
