// SPDX-License-Identifier: Apache-2.0
#include "passes/frontend/EntryInterface.h"
#include "compiler/hlo/Location.h"
#include "passes/frontend/TupleLeaves.h"
#include "passes/prepare/Preparation.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc {

/// Names of the leaves of a parameter or result: `x`, or `x.0.1` inside tuples.
static void appendLeafNames(Type type, std::string name, SmallVectorImpl<std::string> &names) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    for (auto [i, element] : llvm::enumerate(tuple.getTypes()))
      appendLeafNames(element, name + "." + std::to_string(i), names);
  } else if (!isa<TokenType>(type)) {
    names.push_back(std::move(name));
  }
}

/// Names of the leaves of `value`, taken from the instructions that tuples are made of.
static void appendResultNames(Value value, SmallVectorImpl<std::string> &names) {
  if (auto tuple = value.getDefiningOp<TupleOp>())
    for (Value element : tuple.getElements())
      appendResultNames(element, names);
  else
    appendLeafNames(value.getType(), getInstructionName(value.getLoc()).str(), names);
}

void describeEntry(ModuleOp module, ComputationOp entry, func::FuncOp function) {
  Builder builder(module.getContext());
  Block &body = entry.getBody().front();
  SmallVector<std::string> names, resultNames;
  for (BlockArgument parameter : body.getArguments()) {
    StringRef name = getMetadataField(parameter.getLoc(), "op_name");
    if (name.empty())
      name = getInstructionName(parameter.getLoc());
    appendLeafNames(parameter.getType(), name.str(), names);
  }
  Value root = body.getTerminator()->getOperand(0);
  appendResultNames(root, resultNames);

  // Layouts in the module's header take precedence.
  TypeRange parameterTypes(entry.getArgumentTypes());
  Type resultType = root.getType();
  if (auto layout = module->getAttrOfType<TypeAttr>("hlo.entry_computation_layout"))
    if (auto type = dyn_cast<FunctionType>(layout.getValue());
        type && type.getNumInputs() == parameterTypes.size() && type.getNumResults() == 1) {
      parameterTypes = type.getInputs();
      resultType = type.getResult(0);
    }
  auto getLayout = [](Type type) {
    return dyn_cast_or_null<LayoutAttr>(cast<RankedTensorType>(type).getEncoding());
  };
  for (auto [i, type] : llvm::enumerate(getLeaves(parameterTypes))) {
    function.setArgAttr(i, "hlo.name", builder.getStringAttr(names[i]));
    if (LayoutAttr layout = getLayout(type))
      function.setArgAttr(i, "hlo.layout", layout);
  }
  for (auto [i, type] : llvm::enumerate(getLeaves(resultType))) {
    function.setResultAttr(i, "hlo.name", builder.getStringAttr(resultNames[i]));
    if (LayoutAttr layout = getLayout(type))
      function.setResultAttr(i, "hlo.layout", layout);
  }

  int64_t first = 0;
  for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes())) {
    int64_t count = getLeaves(type).size();
    if (auto constant = entry.getArgAttrOfType<DenseI64ArrayAttr>(i, kPrepare))
      for (int64_t leaf : constant.asArrayRef())
        if (leaf >= 0 && leaf < count)
          function.setArgAttr(first + leaf, kPrepare, builder.getUnitAttr());
    first += count;
  }

  SmallVector<Attribute> aliases;
  if (auto list = module->getAttrOfType<ArrayAttr>("hlo.input_output_alias"))
    for (auto alias : list.getAsRange<BufferAliasAttr>()) {
      auto result = getLeafIndex(root.getType(), alias.getOutputIndex());
      if (alias.getOperand() < 0 || alias.getOperand() >= int64_t(body.getNumArguments()))
        continue;
      Type parameter = body.getArgument(alias.getOperand()).getType();
      auto operand = getLeafIndex(parameter, alias.getOperandIndex());
      if (!result || !operand)
        continue;
      int64_t first = getLeaves(entry.getArgumentTypes().take_front(alias.getOperand())).size();
      aliases.push_back(builder.getDenseI64ArrayAttr({*result, first + *operand}));
    }
  module->setAttr("hlo.aliases", builder.getArrayAttr(aliases));
  module->removeAttr("hlo.input_output_alias");
  module->removeAttr("hlo.entry_computation_layout");
}

} // namespace hloc
