// SPDX-License-Identifier: Apache-2.0
// Collectives as compiled programs execute them, a start and a done, and operations for sizes that
// are known at run time. They have no form in HLO text.

include "compiler/hlo/HloBase.td"
include "compiler/hlo/TransferKind.td"

def HLO_CollectiveStartOp : HLO_Op<"collective_start", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the start of a collective";
  let description = [{
    `kind` is a CollectiveKind (CollectiveStages.h). Returns a ticket and the arrays that will be the
    results; only `hlo.collective_done` may read them.
    `groups` and `pairs` (source, target, ...) name participants by replica * partitions + partition;
    no groups mean one group of all. `dimension` is that of gathers, scatters and exchanges, otherwise
    -1. `combine` has for each operand of a reduction the kernel that combines one chunk of
    another member's elements with one's own. `reuse` lists for each result the operand whose memory
    it may use, -1 for none. `slice_sizes` are those of `permute_slices`.
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
  let summary = "the done of a collective: its results";
  let description = [{
    `buffers` are the results of the start; each result is one of them, in the same memory. `kept` are
    the operands of the start, which must not change before.
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
    `bounded` has for each array its dimensions with such sizes, as the host counts them. For each
    array that has some, the sizes of all its dimensions, s64[rank], follow after all arrays.
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
    A condition on data without which an operation of the text, `opcode`, is invalid. The
    status names that operation and its location, and says what was expected.
  }];
  let arguments = (ins HLO_Array:$condition, StrAttr:$opcode, StrAttr:$expected);
  let assemblyFormat = "$condition $opcode $expected attr-dict `:` type($condition)";
}
