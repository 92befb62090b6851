// SPDX-License-Identifier: Apache-2.0
#include "compiler/hlo/CollectiveStages.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace hloc::hlo;

#define GET_OP_CLASSES
#include "compiler/hlo/CollectiveStages.cpp.inc"

static constexpr StringLiteral kNames[] = {"all_reduce", "reduce_scatter",   "all_gather",
                                           "all_to_all", "all_to_all_tuple", "broadcast",
                                           "permute",    "permute_slices",   "ragged_all_to_all",
                                           "peer_send",  "peer_recv"};

StringRef hloc::hlo::stringify(CollectiveKind kind) { return kNames[size_t(kind)]; }

std::optional<CollectiveKind> hloc::hlo::symbolizeCollectiveKind(StringRef name) {
  const auto *found = llvm::find(kNames, name);
  if (found == std::end(kNames))
    return std::nullopt;
  return CollectiveKind(found - std::begin(kNames));
}

LogicalResult CollectiveStartOp::verify() {
  if (!symbolizeCollectiveKind(getKind()))
    return emitOpError("does not know kind '") << getKind() << "'";
  if (getReuse().size() != getResults().size())
    return emitOpError("expected one reuse entry a result");
  for (int64_t operand : getReuse())
    if (operand < -1 || operand >= int64_t(getInputs().size()))
      return emitOpError("reuse names operand ") << operand << ", which does not exist";
  return success();
}

LogicalResult CollectiveDoneOp::verify() {
  auto start = getTicket().getDefiningOp<CollectiveStartOp>();
  if (!start || start->getBlock() != (*this)->getBlock())
    return emitOpError("expected the ticket of a start in the same block");
  if (start.getResults() != getBuffers())
    return emitOpError("expected the arrays that the start gives");
  if (getBuffers().getTypes() != getResultTypes())
    return emitOpError("expected results of the arrays' types");
  return success();
}
