// SPDX-License-Identifier: Apache-2.0
#include "compiler/hlo/infer/Rule.h"

using namespace mlir;

namespace hloc::hlo {

std::string Rule::getOpcode() const {
  StringRef rest = name;
  rest.consume_front("hlo.");
  std::string opcode = rest.str();
  std::replace(opcode.begin(), opcode.end(), '_', '-');
  return opcode;
}

Report Rule::fail(Error error) const {
  if (!location)
    return Report(error);
  return report(*location, error) << getOpcode() << ": ";
}

FailureOr<FunctionType> Rule::getSignature(FlatSymbolRefAttr computation) const {
  FunctionType type = computation ? signatures(computation) : FunctionType();
  if (type)
    return type;
  return fail(Error::UnknownComputation)
         << "expected a computation named " << (computation ? computation.getValue() : "")
         << " but the module has none";
}

} // namespace hloc::hlo
