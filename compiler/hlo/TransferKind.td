// SPDX-License-Identifier: Apache-2.0
// The queue of the context that a transfer uses.

#ifndef HLOC_COMPILER_HLO_TRANSFERKIND
#define HLOC_COMPILER_HLO_TRANSFERKIND

include "compiler/hlo/HloBase.td"

def HLO_TransferKind : HLO_Enum<"TransferKind", "the queue of the context, numbered as in hlort", [
  HLO_Case<"Infeed", 0, "infeed">, HLO_Case<"Outfeed", 1, "outfeed">,
  HLO_Case<"Send", 2, "send">, HLO_Case<"Recv", 3, "recv">]>;
def HLO_TransferKindAttr : HLO_EnumAttr<HLO_TransferKind, "transfer_kind">;

#endif
