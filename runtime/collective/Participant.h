// SPDX-License-Identifier: Apache-2.0
// What the core knows of communicators: nothing but these three classes. A host that makes none of
// a kind links no code of it. Tests: test/runtime/collective.
#ifndef HLOC_RUNTIME_PARTICIPANT_H
#define HLOC_RUNTIME_PARTICIPANT_H

#include "hlort/collective.h"
#include "hlort/communicator.h"

#include <memory>

/// An operation under way.
struct hlort_ticket {
  virtual ~hlort_ticket() = default;
  bool isLoopback = false; // of hloc::runtime::Loopback, else of the participant
};

namespace hloc::runtime {

struct Group;

/// How many sends on a channel to one target may go on without it.
constexpr int64_t kKeptSends = 64;

/// A context's place in a communicator. The functions are those of hlort/collective.h.
class Participant {
public:
  Participant(int32_t rank, int32_t count) : rank(rank), count(count) {}
  /// Leaves the communicator.
  virtual ~Participant() = default;

  virtual int32_t begin(const hlort_program &program, hlort_status *status) = 0;
  virtual int32_t end(const hlort_program &program, int32_t code, hlort_status *status) = 0;
  /// `group` holds this participant and at least one other.
  virtual int32_t start(const hlort_collective &what, const Group &group,
                        const void *const *operands, void *const *results, hlort_ticket **ticket,
                        hlort_status *status) = 0;
  virtual int32_t done(hlort_ticket &ticket, hlort_status *status) = 0;
  virtual void cancel(const char *reason) = 0;

  const int32_t rank, count;
};

} // namespace hloc::runtime

struct hlort_communicator {
  explicit hlort_communicator(int32_t count) : count(count) {}
  virtual ~hlort_communicator() = default;

  /// Null if that participant has joined already, or is none of this process.
  virtual std::unique_ptr<hloc::runtime::Participant>
  join(int32_t rank, int64_t deadlineMilliseconds, hlort_status *status) = 0;

  const int32_t count;
};

#endif // HLOC_RUNTIME_PARTICIPANT_H
