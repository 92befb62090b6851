// SPDX-License-Identifier: Apache-2.0
// The manual of the passes of this folder.

#ifndef HLOC_PASSES_COLLECTIVES_PASSES
#define HLOC_PASSES_COLLECTIVES_PASSES

include "mlir/Pass/PassBase.td"

//===- Several participants ------------------------------------------------===//

def MatchCollectives : Pass<"match-collectives", "::mlir::ModuleOp"> {
  let summary = "Prove that participants come to the same collectives in the same order";
  let description = [{
    All participants run one program, so collectives meet wherever control flow is the same for the
    members of each group. The pass follows which participants are sure to hold the same value:
    constants are the same everywhere; arguments, what the host feeds and parts that members receive
    differ; an all-reduce, an all-gather or a broadcast gives its group's members one value; the ids
    of participants and what is computed of them alone are known for each.

    A collective below a condition or a loop on which members of a group are known to disagree is an
    error, one on which they may disagree a warning; both name the two places.

    Of sends and receives between participants: for each channel and each pair, the target has to
    receive as often as the source sends, and arrays of the same types. Where both are straight-line
    code, under conditions on the participants' numbers at most, what does not match is an error;
    where it cannot be shown a warning.
  }];
}

def LowerCollectives : Pass<"lower-collectives", "::mlir::ModuleOp"> {
  let summary = "Turn collectives into the starts and dones that the runtime carries out";
  let description = [{
    Groups, whatever their mode, become lists of participants, source-target pairs likewise. The
    computation of a reduction becomes a kernel that folds a chunk of elements, one for each element
    type. Groups of more than two members fold bf16 as f32, and floats of eight bits or fewer as f16,
    so that only the result is rounded. Where the computation has loops or arrays, the operands of all
    members are gathered, or exchanged, and folded by each in a loop. Groups that name participants
    beyond the module's, and participants that no group has, are errors.

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
  let summary = "Refuse programs whose participants wait for each other for ever";
  let description = [{
    Follows starts and dones of all participants in the order in which they will run, as far as that
    is known. A start waits for nobody; a done waits until all members have come to the same meeting;
    a send's done only if the runtime keeps 64 others for the same receiver. If some then wait in a
    ring, it is an error that names the places and the participants.

    Where data decide in a loop or a branch what comes next, each body and each branch is looked at by
    itself. A ring in it is a warning that names the loop or the branch, too, or an error if there is one
    whichever branch is taken. What comes after is followed if whoever meets in it
    is sure to decide alike, comes to it after the same meetings, and leaves it so: how often it
    runs makes no difference then. That participants which are within it meet others before or after it
    is a warning; that they may not decide alike is one of `match-collectives`.

    What is started earlier (`overlap-collectives`) may meet where the text's order would not: -O0
    keeps that order, and refuses more.

    ```mlir
    // On participants 0 and 1, each of which sends to the other:
    %ticket, %r = hlo.collective_start peer_recv () {pairs = [0, 1, 1, 0], ...}
    %y = hlo.collective_done %ticket(%r) ... // waits for a send that comes after it
    %sent = hlo.collective_start peer_send (%y) {pairs = [0, 1, 1, 0], ...}
    ```
  }];
}

#endif // HLOC_PASSES_COLLECTIVES_PASSES
