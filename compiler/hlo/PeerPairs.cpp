// SPDX-License-Identifier: Apache-2.0
#include "compiler/hlo/PeerPairs.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace hloc::hlo {

static constexpr StringLiteral kPairs = "_xla_send_recv_source_target_pairs";

StringRef findPeerPairs(Operation *op) {
  auto attributes = op->getAttrOfType<StringAttr>("hlo.frontend_attributes");
  StringRef text = attributes ? attributes.getValue() : StringRef();
  size_t at = text.find(kPairs);
  if (at == StringRef::npos)
    return {};
  return text.drop_front(at).split('=').second;
}

llvm::Expected<SmallVector<int64_t>> parsePeerPairs(StringRef text) {
  std::string packed;
  for (char c : text)
    if (!llvm::isSpace(c) && c != '"')
      packed += c;
  StringRef rest = packed;
  auto fail = [] {
    return llvm::createStringError("expected " + kPairs + " to be pairs such as {{0,1},{1,2}}");
  };
  SmallVector<int64_t> numbers;
  if (!rest.consume_front("{"))
    return fail();
  while (!rest.consume_front("}")) {
    int32_t source, target;
    if ((!numbers.empty() && !rest.consume_front(",")) || !rest.consume_front("{") ||
        rest.consumeInteger(10, source) || !rest.consume_front(",") ||
        rest.consumeInteger(10, target) || !rest.consume_front("}"))
      return fail();
    numbers.append({source, target});
  }
  return numbers;
}

} // namespace hloc::hlo
