// SPDX-License-Identifier: Apache-2.0
// Construction of instructions, independent of the form that they were read from.
#include "compiler/hlo/Location.h"
#include "compiler/hlo/infer/Infer.h"
#include "compiler/text/ModuleBuilder.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::text {

ParseResult ModuleBuilder::addParameter(Instruction &instruction, int64_t number,
                                        const char *place) {
  if (number < 0)
    return fail(place, "expected a parameter number of at least 0 but got " + Twine(number));
  auto at = llvm::lower_bound(scope->parameters, number,
                              [](const Scope::Parameter &p, int64_t n) { return p.number < n; });
  if (at != scope->parameters.end() && at->number == number)
    return fail(place, "expected each parameter once but got number " + Twine(number) + " again");
  size_t index = at - scope->parameters.begin();
  int64_t before = scope->operations + scope->parameters.size();
  scope->parameters.insert(at, {number, instruction.attributes, instruction.place, before});
  scope->block->insertArgument(index, instruction.type,
                               makeLocation(builder.getStringAttr(instruction.name),
                                            locate(instruction.place), instruction.metadata));
  instruction.operands.push_back(scope->block->getArgument(index));
  return success();
}

ParseResult ModuleBuilder::checkOperandCount(const Instruction &instruction) {
  const Opcode &opcode = *instruction.opcode;
  size_t count = instruction.operands.size();
  if (instruction.poisoned || count == opcode.minOperands ||
      (opcode.anyNumber && count > opcode.minOperands))
    return success();
  return fail(instruction.opcodePlace, "expected " + Twine(opcode.anyNumber ? "at least " : "") +
                                           Twine(opcode.minOperands) + " operands of " +
                                           opcode.text + " but got " + Twine(count));
}

ParseResult ModuleBuilder::finishAttributes(Instruction &instruction) {
  if (instruction.poisoned)
    return success();
  const Opcode &opcode = *instruction.opcode;
  for (StringRef name : opcode.required)
    if (!llvm::is_contained(instruction.seen, name))
      return fail(instruction.opcodePlace,
                  "expected the attribute `" + name + "` of " + opcode.text);
  NamedAttrList &attributes = instruction.attributes;
  if (opcode.hasAttribute("window") && opcode.text != "custom-call" && !attributes.get("window"))
    attributes.set("window", WindowAttr::get(context, {}, {}, {}, {}, {}, {}, {}));
  if (opcode.hasAttribute("lhs_ragged_dims") && !attributes.get("lhs_ragged_dims"))
    attributes.set("lhs_ragged_dims", builder.getDenseI64ArrayAttr({}));
  if (opcode.text == "broadcast" && !attributes.get("dimensions")) {
    auto type = dyn_cast<RankedTensorType>(instruction.operands[0].getType());
    if (!type || type.getRank() != 0)
      return fail(instruction.opcodePlace, "expected the attribute `dimensions` of broadcast: only "
                                           "for a scalar it may be left out");
    attributes.set("dimensions", builder.getDenseI64ArrayAttr({}));
  }
  if (opcode.text == "map" && attributes.get("dimensions") && !instruction.operands.empty())
    if (auto type = dyn_cast<RankedTensorType>(instruction.operands[0].getType())) {
      // XLA parses them and ignores their values.
      auto all = builder.getDenseI64ArrayAttr(llvm::to_vector(llvm::seq(type.getRank())));
      if (attributes.set("dimensions", all) != all)
        warn(instruction.opcodePlace, "the dimensions of map do not count: it is of all elements");
    }
  if (attributes.get("slice_sizes") && instruction.operands.size() != 4 &&
      StringRef(opcode.text).starts_with("collective-permute"))
    return fail(instruction.opcodePlace, "expected 4 operands of " + opcode.text +
                                             ", since slice_sizes are given, but got " +
                                             Twine(instruction.operands.size()));
  if (opcode.text == "conditional") {
    bool byName = llvm::is_contained(instruction.seen, "true_computation");
    if (byName != llvm::is_contained(instruction.seen, "false_computation"))
      return fail(instruction.opcodePlace, "expected both true_computation and false_computation");
    if (!byName && !attributes.get("branch_computations"))
      return fail(instruction.opcodePlace,
                  "expected the attribute `branch_computations`, or `true_computation` and "
                  "`false_computation`, of conditional");
  }
  if (opcode.text == "custom-call" && llvm::is_contained(instruction.seen, "to_apply") &&
      llvm::is_contained(instruction.seen, "called_computations"))
    return fail(instruction.opcodePlace, "expected either to_apply or called_computations");
  return success();
}

ParseResult ModuleBuilder::create(Instruction &instruction, Value &value) {
  if (instruction.poisoned)
    return success();
  if (!instruction.opcode->operation) { // a parameter, which exists already
    value = instruction.operands[0];
    return success();
  }
  if (setFixedShape(instruction))
    return failure();
  Location location = makeLocation(builder.getStringAttr(instruction.name),
                                   locate(instruction.place), instruction.metadata);
  Type type = instruction.type ? instruction.type : Type(builder.getNoneType());
  Operation *operation =
      Operation::create(location, *instruction.opcode->operation, TypeRange(type),
                        instruction.operands, std::move(instruction.attributes), nullptr, {}, 0);
  scope->block->push_back(operation);
  ++scope->operations;
  if (!instruction.type && infer(operation, instruction)) {
    operation->erase();
    return failure();
  }
  value = operation->getResult(0);
  return success();
}

/// Instructions whose shape follows from their operands (or, for infeed and recv, from the data in
/// the stated shape), so that XLA ignores the rest of the stated shape.
ParseResult ModuleBuilder::setFixedShape(Instruction &instruction) {
  StringRef opcode = instruction.opcode->text;
  Type token = TokenType::get(context), stated = instruction.type, fixed;
  auto typeOf = [&](size_t i) { return instruction.operands[i].getType(); };
  auto tuple = [&](ArrayRef<Type> types) { return TupleType::get(context, types); };
  Type number = RankedTensorType::get({}, builder.getIntegerType(32, /*isSigned=*/false));
  auto dataOf = [](Type type) {
    auto parts = dyn_cast_or_null<TupleType>(type);
    return parts && parts.size() ? parts.getType(0) : Type();
  };
  if (!stated)
    return success();
  if (opcode == "after-all" || opcode == "outfeed" || opcode == "send-done") {
    fixed = token;
  } else if (opcode == "add-dependency") {
    fixed = typeOf(0);
  } else if (opcode == "send") {
    fixed = tuple({typeOf(0), number, token});
  } else if (opcode == "recv-done") {
    if (Type data = dataOf(typeOf(0)))
      fixed = tuple({data, token});
  } else if (opcode == "infeed" || opcode == "recv") {
    Type data = dataOf(stated);
    if (!data)
      return fail(instruction.opcodePlace, "expected " + opcode +
                                               " to have a shape (data, ...) but got " +
                                               shapeText(stated));
    fixed = opcode == "infeed" ? tuple({data, token}) : tuple({data, number, token});
  }
  if (!fixed || areCompatible(fixed, stated))
    return success();
  warn(instruction.opcodePlace, "the shape of " + opcode + " is " + shapeText(fixed) +
                                    ", whatever the text says: " + shapeText(stated));
  instruction.type = fixed;
  return success();
}

ParseResult ModuleBuilder::infer(Operation *operation, const Instruction &instruction) {
  unsigned before = errors;
  ScopedDiagnosticHandler count(context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return failure(); // another handler prints it
  });
  FailureOr<Type> type = inferResultType(operation, [&](FlatSymbolRefAttr symbol) {
    ComputationOp computation = computations.lookup(symbol.getValue());
    return computation ? computation.getFunctionType() : FunctionType();
  });
  if (failed(type))
    return errors == before
               ? fail(instruction.opcodePlace, "expected operands and attributes from "
                                               "which the shape of " +
                                                   instruction.opcode->text + " can be inferred")
               : failure();
  if (checkTupleSize(*type, instruction.place))
    return failure();
  operation->getResult(0).setType(*type);
  return success();
}

} // namespace hloc::text
