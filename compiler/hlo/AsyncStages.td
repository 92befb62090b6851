// SPDX-License-Identifier: Apache-2.0
// Asynchronous computations that run on threads of the context. They have no form in HLO text.

#ifndef HLOC_COMPILER_HLO_ASYNCSTAGES
#define HLOC_COMPILER_HLO_ASYNCSTAGES

include "compiler/hlo/HloBase.td"

def HLO_AsyncLaunchOp : HLO_Op<"async_launch", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "start of a function, on the named thread if the context has it";
  let description = [{
    Returns a ticket, with room for a pointer, and the arrays that will be the results; only
    `hlo.async_wait` may read them.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, StrAttr:$thread, Variadic<HLO_Array>:$inputs);
  let results = (outs HLO_Array:$ticket, Variadic<HLO_Array>:$results);
  let assemblyFormat = [{
    $callee $thread `(` $inputs `)` attr-dict `:` functional-type($inputs, results)
  }];
}

def HLO_AsyncWaitOp
    : HLO_Op<"async_wait", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "wait for a function that `hlo.async_launch` started";
  let description = [{
    `buffers` are the results of the launch; each result is one of them, in the same memory. `kept` are
    the operands of the launch, which must not change before.
  }];
  let arguments = (ins HLO_Array:$ticket, Variadic<HLO_Array>:$buffers, Variadic<HLO_Array>:$kept);
  let results = (outs Variadic<HLO_Array>:$results);
  let assemblyFormat = [{
    $ticket `(` $buffers `)` `keeps` ` ` `(` $kept `)` attr-dict `:`
    type($ticket) `,` functional-type($buffers, $results) `,` `(` type($kept) `)`
  }];
  let hasVerifier = 1;
}

#endif
