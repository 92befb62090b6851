// SPDX-License-Identifier: Apache-2.0
// The manual of the passes of this folder.

#ifndef HLOC_PASSES_COLLECTIVES_PASSES
#define HLOC_PASSES_COLLECTIVES_PASSES

include "mlir/Pass/PassBase.td"

//===- Several participants ------------------------------------------------===//

def MatchCollectives : Pass<"match-collectives", "::mlir::ModuleOp"> {
  let summary = "Prove that participants come to the same collectives in the same order";
  let description = [{
    All participants run one program, so collectives meet if control flow is the same for all members
    of each group. The pass computes which participants are known to hold the same value. Constants are
    the same everywhere; arguments, infeed data, and parts that members receive differ; an all-reduce,
    an all-gather or a broadcast gives all members of a group the same value; the ids of participants,
    and values that depend only on them, are known for each participant.

    A collective inside a branch or a loop on which members of a group are known to disagree is an
    error; one on which they may disagree is a warning. Both messages name the two locations.

    For sends and receives between participants, on each channel and for each pair, the target has to
    receive as often as the source sends, and arrays of the same types. If both are in straight-line
    code, or only under conditions on the participants' numbers, a mismatch is an error; if matching
    cannot be proved, there is a warning.
  }];
}

def LowerCollectives : Pass<"lower-collectives", "::mlir::ModuleOp"> {
  let summary = "Lower collectives to the starts and dones that the runtime executes";
  let description = [{
    Groups of any mode become lists of participants, and so do source-target pairs. The computation of
    a reduction becomes a kernel that folds a chunk of elements, one for each element type. Groups of
    more than two members fold bf16 as f32, and floats of eight bits or fewer as f16, so that only the
    result is rounded. If the computation has loops or arrays, the operands of all members are gathered
    or exchanged, and each member folds them in a loop. It is an error if groups name participants that
    the module does not have, or if a participant is in no group.

    ```mlir
    %0 = hlo.all_reduce %x {to_apply = @add} : (tensor<4xf32>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    %ticket, %r = hlo.collective_start all_reduce (%x) {combine = [@combine_add_f32], ...}
    %0 = hlo.collective_done %ticket(%r) keeps (%x) : ...
    hlo.kernel_function @combine_add_f32 loop ... // tensor<1024xf32> += tensor<1024xf32>
    ```
  }];
}

def RefuseDeadlocks : Pass<"refuse-deadlocks", "::mlir::func::FuncOp"> {
  let summary = "Refuse programs whose participants wait for each other forever";
  let description = [{
    Simulates the starts and dones of all participants in the order in which they will run, as far as
    that is known. A start never waits. A done waits until all members have come to the same meeting; a
    send's done waits only if the runtime already keeps 64 sends for the same receiver. If some
    participants then wait for each other in a ring, that is an error which names the locations and the
    participants.

    Where data decide in a loop or a branch what comes next, each body and each branch is simulated on
    its own. A ring in it is a warning, which also names the loop or the branch, or an error if there is
    a ring whichever branch is taken. The simulation continues after the loop or branch if all that
    meet in it are known to decide alike, come to it after the same meetings, and leave it in that
    state, because it then makes no difference how often it runs. It is a warning if participants
    inside it meet others before or after it. That participants may decide differently is a warning of
    `match-collectives`.

    Starts that `overlap-collectives` moves up may meet where they would not in the text's order: -O0
    keeps that order, and therefore refuses more programs.

    ```mlir
    // On participants 0 and 1, each of which sends to the other:
    %ticket, %r = hlo.collective_start peer_recv () {pairs = [0, 1, 1, 0], ...}
    %y = hlo.collective_done %ticket(%r) ... // waits for a send that comes after it
    %sent = hlo.collective_start peer_send (%y) {pairs = [0, 1, 1, 0], ...}
    ```
  }];
}

#endif // HLOC_PASSES_COLLECTIVES_PASSES
