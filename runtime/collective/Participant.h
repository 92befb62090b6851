// SPDX-License-Identifier: Apache-2.0
// What the core knows of communicators: nothing but these three classes. A host that makes none of
// a kind links no code of it. Tests: test/runtime/collective.
#ifndef HLOC_RUNTIME_PARTICIPANT_H
#define HLOC_RUNTIME_PARTICIPANT_H

#include "hlort/collective.h"
#include "hlort/communicator.h"

#include <atomic>
#include <memory>
#include <vector>

/// An operation under way.
struct hlort_ticket {
  virtual ~hlort_ticket() = default;
  bool isLoopback = false; // of hloc::runtime::Loopback, else of the participant
};

namespace hloc::runtime {

struct Group;

/// How many sends on a channel to one target may go on without it.
constexpr int64_t kKeptSends = 64;

/// What a participant does after it has started an operation: wait for it, or something else.
enum class Next { Wait, Compute };

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
                        const void *const *operands, void *const *results, Next next,
                        hlort_ticket **ticket, hlort_status *status) = 0;
  virtual int32_t done(hlort_ticket &ticket, hlort_status *status) = 0;
  virtual void cancel(const char *reason) = 0;

  const int32_t rank, count;
};

/// A participant's part of what hlort_communicator_traffic tells, on a line of its own.
struct alignas(64) Traffic {
  std::atomic<int64_t> bytes{0}, bytesMeanwhile{0};

  /// `isMeanwhile`: moved by a thread of the communicator's own.
  void add(int64_t moved, bool isMeanwhile) {
    bytes.fetch_add(moved, std::memory_order_relaxed);
    if (isMeanwhile)
      bytesMeanwhile.fetch_add(moved, std::memory_order_relaxed);
  }
};

} // namespace hloc::runtime

struct hlort_communicator {
  explicit hlort_communicator(int32_t count) : count(count), traffic(size_t(count)) {}
  virtual ~hlort_communicator() = default;

  /// Null if that participant has joined already, or is none of this process. `threads`: that its
  /// context computes on.
  virtual std::unique_ptr<hloc::runtime::Participant>
  join(int32_t rank, int32_t threads, int64_t deadlineMilliseconds, hlort_status *status) = 0;

  const int32_t count;
  std::vector<hloc::runtime::Traffic> traffic; // by participant
};

#endif // HLOC_RUNTIME_PARTICIPANT_H
