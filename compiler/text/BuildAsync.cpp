// SPDX-License-Identifier: Apache-2.0
// Checks of asynchronous instructions, independent of the form that they were read from.
#include "compiler/text/ModuleBuilder.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::text {

ParseResult ModuleBuilder::checkAsyncShape(const Instruction &instruction) {
  auto tuple = dyn_cast_or_null<TupleType>(instruction.type);
  if (tuple && tuple.size() >= 2 && isa<TupleType>(tuple.getType(0)))
    return success();
  return fail(instruction.opcodePlace,
              "expected " + Twine(instruction.opcode->text) +
                  " to have a shape ((operands...), result, ...) but got " +
                  (instruction.type ? shapeText(instruction.type) : std::string("none")));
}

ParseResult ModuleBuilder::checkAsyncChain(Instruction &instruction, const Opcode *wrapped) {
  if (instruction.poisoned)
    return success();
  StringRef kind = instruction.opcode->text;
  if (!instruction.type)
    return fail(instruction.opcodePlace, "expected the shape of " + kind + " before the opcode");
  if (kind != "async-done" && checkAsyncShape(instruction))
    return failure();
  auto nameOf = [&](StringRef attribute, DictionaryAttr attributes) -> StringRef {
    Attribute value =
        attributes ? attributes.get(attribute) : instruction.attributes.get(attribute);
    if (auto symbol = dyn_cast_or_null<FlatSymbolRefAttr>(value))
      return symbol.getValue();
    auto text = dyn_cast_or_null<StringAttr>(value);
    return text ? text.getValue() : attribute == "calls" ? StringRef() : StringRef("main");
  };
  if (kind == "async-start") {
    ComputationOp callee = computations.lookup(nameOf("calls", {}));
    StringRef thread = nameOf("async_execution_thread", {});
    StringRef own = callee && callee.getExecutionThread() ? *callee.getExecutionThread() : "main";
    if (callee && callee.getExecutionThread() && own != thread)
      return fail(instruction.opcodePlace, "expected async_execution_thread=\"" + own +
                                               "\", that of the computation, but got \"" + thread +
                                               "\"");
    return success();
  }
  if (instruction.operands.empty())
    return fail(instruction.opcodePlace, "expected an asynchronous instruction as operand");
  Value value = instruction.operands[0];
  while (auto update = value.getDefiningOp<AsyncUpdateOp>())
    value = update.getInputs()[0];
  auto start = value.getDefiningOp<AsyncStartOp>();
  if (!start)
    return success();
  DictionaryAttr attributes = start->getAttrDictionary();
  StringRef thread = nameOf("async_execution_thread", attributes);
  if (instruction.attributes.get("async_execution_thread") &&
      nameOf("async_execution_thread", {}) != thread)
    return fail(instruction.opcodePlace, "expected async_execution_thread=\"" + thread +
                                             "\", that of the start, but got \"" +
                                             nameOf("async_execution_thread", {}) + "\"");
  StringRef callee = nameOf("calls", attributes);
  if (instruction.attributes.get("calls") && nameOf("calls", {}) != callee)
    return fail(instruction.opcodePlace,
                "expected calls=" + callee + ", that of the start, but got " + nameOf("calls", {}));
  ComputationOp computation = computations.lookup(callee);
  if (!wrapped || !computation || computation.getBody().front().empty())
    return success();
  Operation *root = computation.getBody().front().getTerminator()->getOperand(0).getDefiningOp();
  if (root && root->getName() != *wrapped->operation) {
    std::string opcode = root->getName().stripDialect().str();
    llvm::replace(opcode, '_', '-');
    return fail(instruction.opcodePlace, "expected the end of the asynchronous `" + opcode +
                                             "` but got that of `" + wrapped->text + "`");
  }
  return success();
}

} // namespace hloc::text
