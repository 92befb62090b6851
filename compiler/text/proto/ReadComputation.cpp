// SPDX-License-Identifier: Apache-2.0
// Computations and instructions of an HloModuleProto.
#include "compiler/hlo/Location.h"
#include "compiler/text/proto/KeptText.h"
#include "compiler/text/proto/ProtoReader.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::text {

ParseResult ProtoReader::readComputation(const proto::HloComputationProto &proto) {
  computationName = proto.name();
  instructionName = "";
  // An empty line, then the computation's head.
  line += 2;
  bool isEntry = proto.id() == source.entry_computation_id();
  column = isEntry ? 1 + strlen("ENTRY ") : 1;
  std::string name = unusedName(makeName(computationName));
  Scope body;
  body.computation = createComputation(name, nullptr);
  body.block = &body.computation.getBody().front();
  scope = &body;
  valuesById.clear();
  ParseResult result = readBody(proto, body);
  scope = nullptr;
  if (!result && !computationsById.add(proto.id(), body.computation))
    result = fail("expected a number of its own but " + Twine(proto.id()) + " is another's");
  if (result) {
    if (!body.computation->getBlock())
      body.computation->erase();
    return failure();
  }
  computations[name] = lastComputation = body.computation;
  computationName = "";
  return success();
}

ParseResult
ProtoReader::orderInstructions(const proto::HloComputationProto &computation,
                               SmallVectorImpl<const proto::HloInstructionProto *> &order) {
  for (const proto::HloInstructionProto &instruction : computation.instructions())
    order.push_back(&instruction);
  auto found = source.schedule().sequences().find(computation.id());
  if (found == source.schedule().sequences().end())
    return success();
  const ProtoInts &sequence = found->second.instruction_ids();
  IdMap<const proto::HloInstructionProto *> byId;
  for (const proto::HloInstructionProto *instruction : order)
    byId.add(instruction->id(), instruction);
  order.clear();
  for (int64_t id : sequence)
    if (const proto::HloInstructionProto *instruction = byId.take(id))
      order.push_back(instruction);
    else
      return fail("expected the schedule to have each instruction once but got number " +
                  Twine(id));
  if (int(order.size()) != computation.instructions_size())
    return fail("expected a schedule of " + Twine(computation.instructions_size()) +
                " instructions but got one of " + Twine(order.size()));
  return success();
}

ParseResult ProtoReader::readBody(const proto::HloComputationProto &computation, Scope &body) {
  SmallVector<const proto::HloInstructionProto *> order;
  if (orderInstructions(computation, order))
    return failure();
  unsigned headLine = line, headColumn = column;
  for (const proto::HloInstructionProto *instruction : order) {
    bool isRoot = instruction->id() == computation.root_id();
    instructionName = instruction->name();
    ++line;
    column = isRoot ? 1 + strlen("  ROOT ") : 1 + strlen("  ");
    if (readInstruction(*instruction)) {
      body.failed = true;
      return failure();
    }
  }
  instructionName = "";
  unsigned lastLine = std::exchange(line, headLine) + 1; // of the closing brace
  column = headColumn;
  body.root = valuesById.lookup(computation.root_id());
  if (!body.root && !order.empty())
    return fail("expected a root but no instruction has the number " +
                Twine(computation.root_id()));
  if (!computation.execution_thread().empty() && computation.execution_thread() != "main")
    body.computation.setExecutionThread(computation.execution_thread());
  ParseResult result = finishBody(body, nullptr);
  line = lastLine;
  return result;
}

ParseResult ProtoReader::readInstruction(const proto::HloInstructionProto &proto) {
  Instruction instruction;
  instruction.name = proto.name();
  instruction.opcode = opcodes.find(proto.opcode());
  if (!instruction.opcode) {
    StringRef nearest = opcodes.nearest(proto.opcode());
    return fail("unknown opcode `" + proto.opcode() + "`" +
                (nearest.empty() ? Twine() : "; did you mean `" + nearest + "`?"));
  }
  if (readShape(proto.shape(), instruction.type) || readOperands(proto, instruction) ||
      readShared(proto, instruction))
    return failure();
  bool isParameter = !instruction.opcode->operation;
  if (isParameter) {
    if (addParameter(instruction, proto.parameter_number(), nullptr))
      return failure();
  } else if (checkOperandCount(instruction) ||
             (instruction.opcode->text == "constant" ? readConstant(proto, instruction)
                                                     : readAttributes(proto, instruction))) {
    return failure();
  }
  Value value;
  if (create(instruction, value))
    return failure();
  if (!scope->values.try_emplace(llvm::CachedHashStringRef(instruction.name), value).second)
    return fail("expected a name of its own");
  if (!valuesById.add(proto.id(), value))
    return fail("expected a number of its own but " + Twine(proto.id()) + " is another's");
  scope->last = value;
  return success();
}

ParseResult ProtoReader::readOperands(const proto::HloInstructionProto &proto,
                                      Instruction &instruction) {
  for (int64_t id : proto.operand_ids()) {
    Value operand = valuesById.lookup(id);
    if (!operand)
      return fail("expected an operand defined before this instruction but got number " +
                  Twine(id));
    instruction.operands.push_back(operand);
  }
  if (!instruction.opcode->operation && !instruction.operands.empty())
    return fail("expected no operands of a parameter");
  return success();
}

ParseResult ProtoReader::readConstant(const proto::HloInstructionProto &proto,
                                      Instruction &instruction) {
  NamedAttrList &attributes = instruction.attributes;
  Attribute value;
  if (proto.has_literal()) {
    if (readLiteral(proto.literal(), instruction.type, value))
      return failure();
  } else {
    auto array = dyn_cast<RankedTensorType>(instruction.type);
    if (!array || options.elidedConstants == ElidedConstants::Refuse)
      return fail("expected the constant's value: it was left out of the file");
    if (getValueType(array, nullptr, array))
      return failure();
    value = makeZeros(array);
    if (options.elidedConstants == ElidedConstants::Keep)
      attributes.set("hlo.elided", builder.getUnitAttr());
  }
  attributes.set("value", value);
  if (auto elements = dyn_cast<ElementsAttr>(value); // a constant has no dynamic dimensions
      elements && !cast<RankedTensorType>(instruction.type).hasStaticShape())
    instruction.type = elements.getType();
  return success();
}

//===- What every instruction may carry ------------------------------------===//

ParseResult ProtoReader::readPredecessors(const proto::HloInstructionProto &proto,
                                          Instruction &instruction) {
  SmallVector<StringRef> names;
  if (proto.control_predecessor_ids().empty())
    return success();
  for (int64_t id : proto.control_predecessor_ids()) {
    Value value = valuesById.lookup(id);
    if (!value)
      return fail("expected a control predecessor defined before this instruction but got "
                  "number " +
                  Twine(id));
    names.push_back(getInstructionName(value.getLoc()));
  }
  instruction.attributes.set("hlo.control_predecessors", builder.getStrArrayAttr(names));
  return success();
}

ParseResult ProtoReader::readShared(const proto::HloInstructionProto &proto,
                                    Instruction &instruction) {
  auto keep = [&](StringRef name, const std::string &text) {
    if (!text.empty())
      instruction.attributes.set(name, builder.getStringAttr(text));
  };
  if (std::string metadata = writeMetadata(proto.metadata()); !metadata.empty())
    instruction.metadata = builder.getStringAttr(metadata);
  std::string text;
  if (!writeFrontendAttributes(proto.frontend_attributes(), text))
    return fail("expected names of frontend attributes but got " + text);
  keep("hlo.frontend_attributes", text);
  if (proto.has_sharding())
    keep("hlo.sharding", writeSharding(proto.sharding()));
  if (proto.has_original_value())
    keep("hlo.origin", writeOrigin(proto.original_value()));
  keep("hlo.statistics", writeStatistics(proto.statistics_viz()));
  const auto &replication = proto.parameter_replication().replicated_at_leaf_buffers();
  if (!replication.empty() && !instruction.opcode->operation) {
    if (uint64_t(replication.size()) != countLeaves(instruction.type))
      return fail("expected one value for each of the parameter's " +
                  Twine(countLeaves(instruction.type)) + " arrays but got " +
                  Twine(replication.size()));
    keep("hlo.parameter_replication", writeReplication(proto.parameter_replication()));
  }
  StringRef config = proto.backend_config();
  const proto::Payload &payload = proto.backend_config_payload();
  if (config.empty() && payload.has_id()) {
    if (payload.id() < 0 || payload.id() >= source.payloads_size())
      return fail("expected the number of a payload of the module but got " + Twine(payload.id()));
    config = source.payloads(int(payload.id()));
  } else if (config.empty()) {
    config = payload.value();
  }
  if (!config.empty())
    keep("hlo.backend_config", writeConfig(config));
  return readPredecessors(proto, instruction);
}

} // namespace hloc::text
