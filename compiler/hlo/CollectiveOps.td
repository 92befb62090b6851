// SPDX-License-Identifier: Apache-2.0
// Operations that several replicas or partitions take part in.

include "compiler/hlo/HloBase.td"

defvar Participants = (ins Opt<HLO_ReplicaGroupsAttr>:$replica_groups, Opt<I64Attr>:$channel_id,
                           Flag<"false">:$use_global_device_ids);

class HLO_CollectiveOp<string mnemonic, dag extra> : HLO_CheckedOp<mnemonic> {
  let arguments = !con((ins Variadic<HLO_Value>:$inputs), Participants, extra);
  let results = (outs Variadic<HLO_Value>:$results);
}

// A collective that combines elements by a computation.
class HLO_FoldingOp<string mnemonic, dag extra> : HLO_SymbolOp<mnemonic> {
  let arguments = !con((ins Variadic<HLO_Value>:$inputs), Participants, extra);
  let results = (outs Variadic<HLO_Value>:$results);
}

defvar Gathering = (ins I64Array:$dimensions, Flag<"false">:$constrain_layout);
def HLO_AllGatherOp : HLO_CollectiveOp<"all_gather", Gathering> {
  let summary = "operands of a group, concatenated";
  let constraints = [{
    - C1: There is at least one operand, all arrays.
    - C2: `dimensions` has one entry,
    - C3: a dimension of each operand.
    - C4: Results have the same number of dimensions.
    - C5: The size of one of operand and result is a multiple of the other,
    - C6: the same for all operands
    - C7: and the size of a group.
  }];
}
def HLO_AllGatherStartOp : HLO_CollectiveOp<"all_gather_start", Gathering> {
  let summary = "start of all_gather: (operands, results)";
  let constraints = [{
    - C1: There is at least one operand, all arrays.
    - C2: `dimensions` has one entry,
    - C3: a dimension of each operand.
    - C4: Results have the same number of dimensions.
    - C5: The size of one of operand and result is a multiple of the other,
    - C6: the same for all operands
    - C7: and the size of a group.
  }];
}

defvar Reducing = (ins FlatSymbolRefAttr:$to_apply, Flag<"false">:$constrain_layout,
                       Opt<HLO_CollectiveModeAttr>:$mode);
def HLO_AllReduceOp : HLO_FoldingOp<"all_reduce", Reducing> {
  let summary = "operands of a group, combined element by element";
  let constraints = [{
    - C1: There is at least one operand, all arrays.
    - C2: `to_apply` combines two scalars into one.
  }];
}
def HLO_AllReduceStartOp : HLO_FoldingOp<"all_reduce_start", Reducing> {
  let summary = "start of all_reduce";
  let constraints = [{
    - C1: There is at least one operand, all arrays.
    - C2: `to_apply` combines two scalars into one.
  }];
}
def HLO_ReduceScatterOp : HLO_FoldingOp<"reduce_scatter", !con((ins I64Array:$dimensions), Reducing)> {
  let summary = "all_reduce of whose result each participant keeps its own part";
  let constraints = [{
    - C1: There is at least one operand, all arrays.
    - C2: `dimensions` has one entry,
    - C3: a dimension of each operand.
    - C4: Results have the same number of dimensions.
    - C5: The size of one of operand and result is a multiple of the other,
    - C6: the same for all operands
    - C7: and the size of a group. `to_apply` combines two scalars into one.
  }];
}

def HLO_AllToAllOp : HLO_CollectiveOp<"all_to_all", (ins Opt<I64Array>:$dimensions, Flag<"false">:$constrain_layout)> {
  let summary = "parts exchanged: part i of member j goes to member i as part j";
  let constraints = [{
    - C1: There is at least one operand, all arrays.
    - C2: `dimensions`, if given, has one entry; the size of a group divides that dimension's size,
    - C3: and there is one operand.
    - C4: Otherwise there are as many operands as a group has members, of one shape.
  }];
}
def HLO_RaggedAllToAllOp : HLO_CollectiveOp<"ragged_all_to_all", (ins Opt<I64Array>:$dimensions)> {
  let summary = "all_to_all of parts whose sizes are known at run time";
  let description = "`inputs`: input, output, input_offsets, send_sizes, output_offsets, recv_sizes.";
  let constraints = [{
    - C1: There are six operands, arrays.
    - C2: Input and output have one element type and number of dimensions.
    - C3: Offsets and sizes are integers
    - C4: of one shape.
    - C5: All dimensions of input and output except the first are equal.
  }];
}
def HLO_CollectiveBroadcastOp : HLO_CollectiveOp<"collective_broadcast", (ins Flag<"false">:$has_dynamic_root)> {
  let summary = "the operand of the first member of each group; zeros outside the groups";
  let constraints = [{
    - C1: There is at least one operand, all arrays.
  }];
}

// Pairs are flattened: source 0, target 0, source 1, target 1, ...
defvar Permuting = (ins I64Array:$source_target_pairs, OptionalAttr<ArrayAttr>:$slice_sizes);
def HLO_CollectivePermuteOp : HLO_CollectiveOp<"collective_permute", Permuting> {
  let summary = "the operand of the source, or zeros if there is none";
  let constraints = [{
    - C1: There is at least one operand;
    - C2: with `slice_sizes` four: input, output, input offsets, output offsets.
    - C3: Sources and targets are participants, each named once (with slices: once per slice).
  }];
}
def HLO_CollectivePermuteStartOp : HLO_CollectiveOp<"collective_permute_start", Permuting> {
  let summary = "start of collective_permute";
  let constraints = [{
    - C1: There is at least one operand;
    - C2: with `slice_sizes` four.
    - C3: Sources and targets are participants, each named once (with slices: once per slice).
  }];
}

class HLO_CollectiveDoneOp<string mnemonic> : HLO_CheckedOp<mnemonic> {
  let arguments = (ins HLO_Value:$operand);
  let results = (outs Variadic<HLO_Value>:$results);
}
def HLO_AllGatherDoneOp : HLO_CollectiveDoneOp<"all_gather_done"> {
  let summary = "result of all_gather_start";
  let constraints = [{
    - C1: The operand is (operands, results).
  }];
}
def HLO_AllReduceDoneOp : HLO_CollectiveDoneOp<"all_reduce_done"> {
  let summary = "result of all_reduce_start";
}
def HLO_CollectivePermuteDoneOp : HLO_CollectiveDoneOp<"collective_permute_done"> {
  let summary = "result of collective_permute_start";
  let constraints = [{
    - C1: The operand is (operands, results, ...).
  }];
}
