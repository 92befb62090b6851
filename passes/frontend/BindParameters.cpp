// SPDX-License-Identifier: Apache-2.0
// Turns parameters whose values are known into constants, and renumbers the others. Test:
// test/passes/frontend/bind-parameters.mlir.
#include "passes/frontend/BindParameters.h"
#include "compiler/hlo/HloDialect.h"
#include "compiler/hlo/Location.h"
#include "mlir/IR/Builders.h"
#include "passes/Computations.h"
#include "passes/Passes.h"
#include "passes/frontend/TupleLeaves.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_BINDPARAMETERS
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

class ParameterBinder {
public:
  ParameterBinder(ModuleOp module, ComputationOp entry)
      : module(module), entry(entry), body(entry.getBody().front()), builder(module.getContext()) {}

  LogicalResult run();

private:
  Value takeWhole(BlockArgument parameter, Type layout);
  FailureOr<Value> take(BlockArgument parameter, Type type, Type layout, const Twine &name,
                        SmallVectorImpl<int64_t> &path, ArrayRef<Attribute> &bound);
  FailureOr<Value> bind(BlockArgument parameter, Type type, StringRef name, DictionaryAttr bound);
  LogicalResult renumber(StringRef list);

  ModuleOp module;
  ComputationOp entry;
  Block &body;
  OpBuilder builder;
  // Of the parameters that remain.
  SmallVector<Type> types, layouts;
  SmallVector<DictionaryAttr> attributes;
  /// Their new numbers, by the old number of the parameter and the path to a part of it; -1 for
  /// what is bound.
  std::map<std::pair<int64_t, std::vector<int64_t>>, int64_t> numbers;
  SmallVector<Attribute> boundParameters;
};

} // namespace

/// Keeps the parameter whole, under its new number.
Value ParameterBinder::takeWhole(BlockArgument parameter, Type layout) {
  int64_t number = parameter.getArgNumber();
  numbers[{number, {}}] = int64_t(types.size());
  types.push_back(parameter.getType());
  layouts.push_back(layout);
  attributes.push_back(entry.getArgAttrDict(number));
  return body.addArgument(parameter.getType(), parameter.getLoc());
}

/// Makes a constant of the value that is `bound`.
FailureOr<Value> ParameterBinder::bind(BlockArgument parameter, Type type, StringRef name,
                                       DictionaryAttr bound) {
  auto value = bound.getAs<ElementsAttr>("value");
  auto from = bound.getAs<StringAttr>("from");
  auto array = dyn_cast<RankedTensorType>(type);
  if (!value || !from)
    return emitError(parameter.getLoc(), "expected what is bound to have a value and its source");
  if (!array || !array.hasStaticShape())
    return emitError(parameter.getLoc())
           << "a parameter whose size is known at run time cannot be bound";
  Type plain = withoutLayout(array);
  if (value.getShapedType() != plain)
    return emitError(parameter.getLoc())
           << "expected a value of type " << plain << " but got " << value.getShapedType();
  auto entryOf = [&](StringRef key, Attribute attribute) {
    return builder.getNamedAttr(key, attribute);
  };
  boundParameters.push_back(
      builder.getDictionaryAttr({entryOf("name", builder.getStringAttr(name)),
                                 entryOf("type", TypeAttr::get(plain)), entryOf("from", from)}));
  return Value(ConstantOp::create(builder, parameter.getLoc(), type, value));
}

/// Takes a part of a parameter from the front of `bound`: of a tuple, each array becomes a constant
/// or a parameter of its own, as hosts see it anyway.
FailureOr<Value> ParameterBinder::take(BlockArgument parameter, Type type, Type layout,
                                       const Twine &name, SmallVectorImpl<int64_t> &path,
                                       ArrayRef<Attribute> &bound) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    SmallVector<Value> elements;
    for (auto [i, element] : llvm::enumerate(tuple.getTypes())) {
      path.push_back(int64_t(i));
      FailureOr<Value> value = take(parameter, element, cast<TupleType>(layout).getType(i),
                                    Twine(name.str()) + "." + Twine(i), path, bound);
      path.pop_back();
      if (failed(value))
        return failure();
      elements.push_back(*value);
    }
    return Value(TupleOp::create(builder, parameter.getLoc(), type, elements));
  }
  std::pair<int64_t, std::vector<int64_t>> place(parameter.getArgNumber(),
                                                 std::vector<int64_t>(path.begin(), path.end()));
  if (isa<RankedTensorType>(type)) {
    if (bound.empty())
      return emitError(parameter.getLoc(), "expected an entry of `hlo.bound` for each array");
    auto given = dyn_cast<DictionaryAttr>(bound.front());
    bound = bound.drop_front();
    if (given) {
      numbers[place] = -1;
      return bind(parameter, type, name.str(), given);
    }
  }
  numbers[place] = int64_t(types.size());
  types.push_back(type);
  layouts.push_back(layout);
  attributes.push_back(builder.getDictionaryAttr({}));
  Location loc = parameter.getLoc();
  if (FileLineColLoc position = getFilePosition(loc))
    loc = makeLocation(builder.getStringAttr(name), position);
  return Value(body.addArgument(type, loc));
}

/// Renumbers the parameters in the header's `input_output_alias` or `buffer_donor`.
LogicalResult ParameterBinder::renumber(StringRef list) {
  auto aliases = module->getAttrOfType<ArrayAttr>(list);
  if (!aliases)
    return success();
  SmallVector<Attribute> kept;
  for (auto alias : aliases.getAsRange<BufferAliasAttr>()) {
    ArrayRef<int64_t> path = alias.getOperandIndex();
    auto whole = numbers.find({alias.getOperand(), {}});
    auto found =
        whole != numbers.end()
            ? whole
            : numbers.find({alias.getOperand(), std::vector<int64_t>(path.begin(), path.end())});
    if (found == numbers.end()) // leads to no array, so it has no meaning
      continue;
    if (found->second < 0) {
      Location loc = body.getArgument(alias.getOperand()).getLoc();
      return emitError(loc) << "the parameter's memory is given to the module ("
                            << list.drop_front(StringRef("hlo.").size())
                            << "), so it cannot be bound: a bound parameter is read only";
    }
    ArrayRef<int64_t> rest = found == whole ? path : ArrayRef<int64_t>();
    kept.push_back(BufferAliasAttr::get(module.getContext(), alias.getOutputIndex(), found->second,
                                        rest, alias.getKind()));
  }
  module->setAttr(list, builder.getArrayAttr(kept));
  return success();
}

LogicalResult ParameterBinder::run() {
  unsigned count = body.getNumArguments();
  SmallVector<Type> headerLayouts(entry.getArgumentTypes());
  Type resultLayout;
  if (auto header = module->getAttrOfType<TypeAttr>("hlo.entry_computation_layout"))
    if (auto type = dyn_cast<FunctionType>(header.getValue());
        type && type.getNumInputs() == count && type.getNumResults() == 1) {
      headerLayouts.assign(type.getInputs().begin(), type.getInputs().end());
      resultLayout = type.getResult(0);
    }
  builder.setInsertionPointToStart(&body);
  SmallVector<Value> replacements;
  for (unsigned i = 0; i < count; ++i) {
    BlockArgument parameter = body.getArgument(i);
    auto given = entry.getArgAttrOfType<ArrayAttr>(i, kBound);
    if (!given) {
      replacements.push_back(takeWhole(parameter, headerLayouts[i]));
      continue;
    }
    StringRef name = getMetadataField(parameter.getLoc(), "op_name");
    if (name.empty())
      name = getInstructionName(parameter.getLoc());
    ArrayRef<Attribute> bound = given.getValue();
    SmallVector<int64_t> path;
    FailureOr<Value> value =
        take(parameter, parameter.getType(), headerLayouts[i], name, path, bound);
    if (failed(value))
      return failure();
    if (!bound.empty())
      return emitError(parameter.getLoc(), "expected an entry of `hlo.bound` for each array");
    replacements.push_back(*value);
  }
  if (failed(renumber("hlo.input_output_alias")) || failed(renumber("hlo.buffer_donor")))
    return failure();
  for (unsigned i = 0; i < count; ++i)
    body.getArgument(i).replaceAllUsesWith(replacements[i]);
  body.eraseArguments(0, count);
  entry.setFunctionType(builder.getFunctionType(types, entry.getResultTypes()));
  entry.setAllArgAttrs(attributes);
  if (resultLayout)
    module->setAttr("hlo.entry_computation_layout",
                    TypeAttr::get(builder.getFunctionType(layouts, resultLayout)));
  module->setAttr(kBoundParameters, builder.getArrayAttr(boundParameters));
  return success();
}

LogicalResult hloc::bindParameters(ModuleOp module) {
  ComputationOp entry = getEntry(module);
  if (!entry)
    return success();
  for (unsigned i = 0, count = entry.getNumArguments(); i < count; ++i)
    if (entry.getArgAttr(i, kBound))
      return ParameterBinder(module, entry).run();
  return success();
}

namespace {

struct BindParameters : hloc::impl::BindParametersBase<BindParameters> {
  void runOnOperation() override {
    if (failed(bindParameters(getOperation())))
      signalPassFailure();
  }
};

} // namespace
