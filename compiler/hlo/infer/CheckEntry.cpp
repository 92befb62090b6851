// SPDX-License-Identifier: Apache-2.0
// The entry computation and the header's declarations about it.
#include "compiler/hlo/infer/ModuleChecks.h"
#include "compiler/hlo/infer/Rules.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace hloc::hlo {

/// Header attribute `entry_computation_layout`.
static LogicalResult checkLayout(ModuleOp module, ComputationOp entry) {
  auto attribute = module->getAttrOfType<TypeAttr>("hlo.entry_computation_layout");
  auto stated = attribute ? dyn_cast<FunctionType>(attribute.getValue()) : FunctionType();
  if (!stated)
    return success();
  FunctionType actual = entry.getFunctionType();
  if (typesAgree(stated.getInputs(), actual.getInputs()) &&
      typesAgree(stated.getResults(), actual.getResults()))
    return success();
  return report(module.getLoc(), Error::EntryLayout)
         << "entry_computation_layout: expected (" << toText(TypeRange(actual.getInputs())) << ")->"
         << toText(TypeRange(actual.getResults())) << " but got ("
         << toText(TypeRange(stated.getInputs())) << ")->"
         << toText(TypeRange(stated.getResults()));
}

namespace {
/// A part of a parameter or of the result.
using Place = std::pair<int64_t, SmallVector<int64_t>>;
} // namespace

/// Bytes of an array, with bounded dimensions at their bounds; nothing for other types.
static std::optional<int64_t> getBytes(Type type) {
  auto array = dyn_cast<RankedTensorType>(type);
  std::optional<int64_t> count = array ? countElements(getBounds(array)) : std::nullopt;
  std::optional<int64_t> bits =
      count ? llvm::checkedMul(*count, getBits(array.getElementType())) : std::nullopt;
  return bits ? std::optional<int64_t>(llvm::divideCeil(*bits, 8)) : std::nullopt;
}

/// Why the result's part `to` cannot share the memory of the parameter's part `from`; empty if it
/// can.
static std::string findMismatch(BufferAliasAttr alias, Type from, Type to) {
  if (typesAgree(from, to))
    return "";
  if (alias.getKind() == "must-alias")
    return "to be " + toText(from) + ", as the parameter, but it is " + toText(to);
  std::optional<int64_t> wanted = getBytes(from), actual = getBytes(to);
  if (!wanted || !actual)
    return "and the parameter to be arrays but got " + toText(to) + " and " + toText(from);
  if (*wanted == *actual)
    return "";
  return "to take " + std::to_string(*wanted) + " bytes, as the parameter, which is " +
         toText(from) + ", but " + toText(to) + " takes " + std::to_string(*actual);
}

/// Header attributes `input_output_alias` and `buffer_donor`.
static LogicalResult checkAliases(ModuleOp module, ComputationOp entry) {
  SmallVector<Place> outputs, parameters;
  TypeRange results = entry.getResultTypes(), inputs = entry.getArgumentTypes();
  bool valid = true;
  for (StringRef name : {"hlo.input_output_alias", "hlo.buffer_donor"}) {
    auto list = module->getAttrOfType<ArrayAttr>(name);
    bool donor = name == "hlo.buffer_donor";
    for (Attribute attribute : list ? list.getValue() : ArrayRef<Attribute>()) {
      auto alias = dyn_cast<BufferAliasAttr>(attribute);
      if (!alias)
        continue;
      auto fail = [&] {
        valid = false;
        return report(module.getLoc(), Error::Alias) << name.drop_front(4) << ": ";
      };
      int64_t number = alias.getOperand();
      Type from = number >= 0 && number < int64_t(inputs.size())
                      ? getPart(inputs[number], alias.getOperandIndex())
                      : Type();
      Type to = results.empty() ? Type() : getPart(results[0], alias.getOutputIndex());
      if (!from) {
        fail() << "expected a part of one of the " << inputs.size()
               << " parameters but got parameter " << number << " at "
               << toText(Sizes(alias.getOperandIndex()));
        continue;
      }
      Place source(number, alias.getOperandIndex());
      if (llvm::is_contained(parameters, source))
        fail() << "expected parameter " << number << " at "
               << toText(Sizes(alias.getOperandIndex())) << " to be named once";
      parameters.push_back(source);
      if (donor)
        continue;
      if (!to) {
        fail() << "expected a part of the result " << toText(results) << " but got "
               << toText(Sizes(alias.getOutputIndex()));
        continue;
      }
      Place target(0, alias.getOutputIndex());
      if (llvm::is_contained(outputs, target))
        fail() << "expected the result at " << toText(Sizes(alias.getOutputIndex()))
               << " to be named once";
      outputs.push_back(target);
      if (std::string mismatch = findMismatch(alias, from, to); !mismatch.empty())
        fail() << "expected the result at " << toText(Sizes(alias.getOutputIndex())) << " "
               << mismatch;
    }
  }
  return success(valid);
}

LogicalResult checkEntry(ModuleOp module) {
  ComputationOp entry;
  bool computations = false;
  for (auto computation : module.getOps<ComputationOp>()) {
    computations = true;
    if (!computation.getEntry())
      continue;
    if (entry)
      return report(computation.getLoc(), Error::Entry)
             << "expected one entry computation but both " << entry.getSymName() << " and "
             << computation.getSymName() << " are marked as such";
    entry = computation;
  }
  if (!computations) // a lowered module has none
    return success();
  if (!entry)
    return report(module.getLoc(), Error::Entry)
           << "expected one entry computation but none is marked as such";
  bool layout = succeeded(checkLayout(module, entry));
  return success(succeeded(checkAliases(module, entry)) && layout);
}

} // namespace hloc::hlo
