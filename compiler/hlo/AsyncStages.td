// SPDX-License-Identifier: Apache-2.0
// Asynchronous computations that run on threads of the context. They have no form in HLO text.

#ifndef HLOC_COMPILER_HLO_ASYNCSTAGES
#define HLOC_COMPILER_HLO_ASYNCSTAGES

include "compiler/hlo/HloBase.td"

def HLO_AsyncLaunchOp : HLO_Op<"async_launch", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a function begins to run, on a thread of the context if it has the one named";
  let description = [{
    Gives a ticket, with room for a pointer, and the arrays that will be the results, which only
    `hlo.async_wait` shows.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, StrAttr:$thread, Variadic<HLO_Array>:$inputs);
  let results = (outs HLO_Array:$ticket, Variadic<HLO_Array>:$results);
  let assemblyFormat = [{
    $callee $thread `(` $inputs `)` attr-dict `:` functional-type($inputs, results)
  }];
}

def HLO_AsyncWaitOp
    : HLO_Op<"async_wait", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the end of what `hlo.async_launch` began";
  let description = [{
    `buffers` are what the launch gave; each result is one of them, in the same memory. `kept` are
    the operands of the launch, which stay as they are until here.
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
