// SPDX-License-Identifier: Apache-2.0
// Collectives as compiled programs carry them out, a start and a done, and what goes with sizes that
// are known at run time. They have no form in HLO text.

include "compiler/hlo/HloBase.td"
include "compiler/hlo/TransferKind.td"

def HLO_CollectiveStartOp : HLO_Op<"collective_start", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a collective begins";
  let description = [{
    `kind` is a CollectiveKind (CollectiveStages.h). Gives a ticket and the arrays that will be the
    results, which only `hlo.collective_done` shows.
    `groups` and `pairs` (source, target, ...) name participants by replica * partitions + partition;
    no groups stand for one of all. `dimension` is that of gathers, scatters and exchanges, -1
    elsewhere. `combine` has for each operand of a reduction the kernel that folds one chunk of
    another member's elements into one's own. `reuse` lists for each result the operand whose memory
    may hold it, -1 for none. `slice_sizes` are those of `permute_slices`.
  }];
  let arguments = (ins Variadic<HLO_Array>:$inputs, StrAttr:$kind, HLO_ReplicaGroupsAttr:$groups,
      Opt<I64Attr>:$channel_id, I64Attr:$dimension, Opt<FlatSymbolRefArrayAttr>:$combine,
      I64Array:$pairs, I64Array:$slice_sizes, I64Array:$reuse);
  let results = (outs HLO_Array:$ticket, Variadic<HLO_Array>:$results);
  let assemblyFormat = [{
    $kind `(` $inputs `)` attr-dict `:` functional-type($inputs, results)
  }];
  let hasVerifier = 1;
}

def HLO_CollectiveDoneOp
    : HLO_Op<"collective_done", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the end of a collective: its results";
  let description = [{
    `buffers` are what the start gave; each result is one of them, in the same memory. `kept` are the
    operands of the start, which stay as they are until here.
  }];
  let arguments = (ins HLO_Array:$ticket, Variadic<HLO_Array>:$buffers, Variadic<HLO_Array>:$kept);
  let results = (outs Variadic<HLO_Array>:$results);
  let assemblyFormat = [{
    $ticket `(` $buffers `)` `keeps` ` ` `(` $kept `)` attr-dict `:`
    type($ticket) `,` functional-type($buffers, $results) `,` `(` type($kept) `)`
  }];
  let hasVerifier = 1;
}

def HLO_SizedTransferOp : HLO_Op<"sized_transfer", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "host_transfer of arrays whose sizes are known at run time";
  let description = [{
    `bounded` has for each array the dimensions, as the host counts them, that have such sizes. After
    all arrays each that has some is followed by the sizes of all its dimensions, s64[rank].
  }];
  let arguments = (ins Variadic<HLO_Array>:$inputs, HLO_TransferKindAttr:$kind, I64Attr:$channel,
                       ArrayAttr:$layouts, ArrayAttr:$bounded);
  let results = (outs Variadic<HLO_Array>:$results);
  let assemblyFormat = [{
    $kind $channel $layouts $bounded `(` $inputs `)` attr-dict `:`
    functional-type($inputs, $results)
  }];
}

def HLO_RequireOp : HLO_Op<"require", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the run fails unless a condition holds";
  let description = [{
    What depends on data and has to hold for an operation of the text, `opcode`, to mean anything. The
    status names that operation and its place, and says what was expected.
  }];
  let arguments = (ins HLO_Array:$condition, StrAttr:$opcode, StrAttr:$expected);
  let assemblyFormat = "$condition $opcode $expected attr-dict `:` type($condition)";
}
