/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectives as compiled modules call them: the description of an operation (constant data of the
 * object), and the functions that carry it out.
 *
 * A module runs on replica_count * partition_count participants. Participant replica *
 * partition_count + partition is that replica's partition. Each runs the module with its own
 * context, which has joined a communicator (hlort/communicator.h); a null context, or one that has
 * not joined any, is participant 0 of 1.
 *
 * Arrays are dense and row-major. Elements below one byte are packed, the first in the low bits.
 *
 * Tests: test/runtime/collective.
 */
#ifndef HLORT_COLLECTIVE_H
#define HLORT_COLLECTIVE_H

#include "hlort/hlort.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------
 * Operations
 * ------------------------------------------------------------------------------------------- */

/* A module with collectives, or one that reads its participant's number. */
struct hlort_program {
  const char *name;
  /* Equal in every object made from the same module, whatever the target or the options:
   * participants find each other by it. Such objects must also call their collectives in the same
   * order. */
  uint64_t fingerprint;
  int32_t replica_count;
  int32_t partition_count;
};

typedef enum hlort_collective_kind {
  /* result = operands combined element by element, in the order of the group's members. Any number
   * of arrays, each with its own combine. A result may be its operand's memory. */
  HLORT_ALL_REDUCE = 0,
  /* Like all-reduce, but member i keeps part i along `dimension`. */
  HLORT_REDUCE_SCATTER = 1,
  /* result = the members' operands, concatenated along `dimension`. */
  HLORT_ALL_GATHER = 2,
  /* result = part `place` of each member's operand along `dimension`, concatenated along it. */
  HLORT_ALL_TO_ALL = 3,
  /* As many operands and results as the group has members: operand i goes to member i, result i
   * comes from it. */
  HLORT_ALL_TO_ALL_TUPLE = 4,
  /* result = the root's operand. The root is member 0; or, if there is one more operand than
   * results, the member whose number is in that operand (an integer). Zeros for a participant in no
   * group. */
  HLORT_COLLECTIVE_BROADCAST = 5,
  /* result = the operand of the participant that sends to this one by `pairs`; zeros if none does.
   */
  HLORT_COLLECTIVE_PERMUTE = 6,
  /* Slices between buffers. With k results there are 4 k operands: k inputs, k outputs, k arrays of
   * start indices in the inputs, k arrays of start indices in the outputs (integers of any shape,
   * rank numbers per slice). result i = output i, with the slices of `slice_sizes` that others send
   * to this participant by `pairs`, each at the start indices of its sender: if one participant
   * sends, all slices; if several do, the first sends the first slice of each array, and so on. A
   * result may be its output's memory. */
  HLORT_COLLECTIVE_PERMUTE_SLICES = 7,
  /* Operands input, output, input_offsets, send_sizes, output_offsets, recv_sizes. result = output,
   * with the rows that others send to this member, each at its sender's output_offsets. The result
   * may be the output's memory. */
  HLORT_RAGGED_ALL_TO_ALL = 8,
  /* Operands go to this participant's target in `pairs`, if there is one; no results. The k-th send
   * of a run from one participant to another on a channel is received by the k-th recv there. Done
   * does not wait for the receiver: the runtime keeps a copy of data that have not been received,
   * for up to 64 sends per channel and target, and waits after that. hlort_program_end fails if, by
   * the deadline, something has not been received. */
  HLORT_PEER_SEND = 9,
  /* results = the operands of this participant's source in `pairs`; zeros if there is none. No
   * operands. */
  HLORT_PEER_RECV = 10
} hlort_collective_kind;

/* into[i] = f(into[i], from[i]) for 0 <= i < elements: compiled code. Both start at a byte. */
typedef void (*hlort_combine)(void *into, const void *from, int64_t elements);

typedef struct hlort_collective_array {
  int32_t element_type; /* an hlort_element_type */
  int32_t rank;
  const int64_t *dims;   /* rank sizes; may be null for rank 0 */
  hlort_combine combine; /* of a reduction's operands; else null */
} hlort_collective_array;

/* An operation of a module. Constant data of the object. Lists that the kind does not use are null
 * with a count of 0, numbers are 0. */
typedef struct hlort_collective {
  const hlort_program *program;
  const char *name;  /* the instruction */
  const char *place; /* its location: "model.hlo:12:3" */
  int32_t kind;      /* an hlort_collective_kind */
  int32_t has_channel;
  int64_t channel;   /* channel_id, if there is one */
  int64_t dimension; /* of reduce-scatter, all-gather, all-to-all */
  int64_t operand_count;
  const hlort_collective_array *operands;
  int64_t result_count;
  const hlort_collective_array *results;
  /* The groups as participants, whatever the group mode was: sizes, then the members of the first,
   * the second, ... No participant is in two groups. No groups at all mean one group of all
   * participants. */
  int64_t group_count;
  const int64_t *group_sizes;
  const int64_t *members;
  /* source, target, source, target, ...: both participants of a pair are in one group. For a send
   * or a recv, no source and no target occurs twice; such operations have no groups. */
  int64_t pair_count;
  const int64_t *pairs;
  /* For permuted slices: rank sizes of the first slice of the first array, of its second, ... */
  int64_t slice_size_count; /* numbers in slice_sizes */
  const int64_t *slice_sizes;
} hlort_collective;

/* ---------------------------------------------------------------------------------------------
 * Calls
 *
 * All return HLORT_OK or the code of a failure, with the message in status, which may be null.
 * After a failure the module stops: it calls hlort_program_end and returns.
 * ------------------------------------------------------------------------------------------- */

/* The entry function's first call: joins this participant's run to those of the others. Run k of a
 * program belongs to run k on every participant. If it has failed already, this returns
 * HLORT_CANCELLED and the reason, and the next begin is run k + 1; but all runs that failed because
 * this participant did not come are reported once, and then skipped. A participant executes one run
 * of a program at a time, but any number of programs. Fails if the communicator has another number
 * of participants. */
HLORT_API int32_t hlort_program_begin(hlort_context *context, const hlort_program *program,
                                      hlort_status *status);

/* The entry function's last call, on every path after a successful begin, with the run's code. If
 * that is a failure, the runs of all other participants fail too, at once if they are waiting.
 * Operations that were started and not done are cancelled: when it returns, nobody accesses their
 * memory. Returns code, or a failure found here. */
HLORT_API int32_t hlort_program_end(hlort_context *context, const hlort_program *program,
                                    int32_t code, hlort_status *status);

/* This participant's number, its replica and its partition. */
HLORT_API int32_t hlort_participant(const hlort_context *context);
HLORT_API uint32_t hlort_replica_id(const hlort_context *context, const hlort_program *program);
HLORT_API uint32_t hlort_partition_id(const hlort_context *context, const hlort_program *program);

/* An operation in flight. */
typedef struct hlort_ticket hlort_ticket;

/* Begins an operation, without waiting for anyone. From here on, threads of the communicator may
 * move long data (docs/collectives.md says when). Until its done has returned, operands must not
 * change and results must not be used; but integer operands (roots, starts, offsets, sizes) and the
 * two arrays of pointers are read before this function returns. Operations of a group are matched
 * in the order of their starts on that group. Results must not overlap operands, except where the
 * kind says so. On success *ticket has to be passed to hlort_collective_done, once. */
HLORT_API int32_t hlort_collective_start(hlort_context *context, const hlort_collective *what,
                                         const void *const *operands, void *const *results,
                                         hlort_ticket **ticket, hlort_status *status);

/* Waits until the operation's results are complete and its operands are no longer needed. A member
 * that waits does work that others have left. */
HLORT_API int32_t hlort_collective_done(hlort_context *context, hlort_ticket *ticket,
                                        hlort_status *status);

/* A start and its done. */
HLORT_API int32_t hlort_collective_run(hlort_context *context, const hlort_collective *what,
                                       const void *const *operands, void *const *results,
                                       hlort_status *status);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HLORT_COLLECTIVE_H */
