// SPDX-License-Identifier: Apache-2.0
// The interface of communicators to the rest of the runtime: only these three classes. A host that
// does not create a kind of communicator links none of its code. Tests: test/runtime/collective.
#ifndef HLOC_RUNTIME_PARTICIPANT_H
#define HLOC_RUNTIME_PARTICIPANT_H

#include "hlort/collective.h"
#include "hlort/communicator.h"

#include <atomic>
#include <memory>
#include <vector>

/// An operation in flight.
struct hlort_ticket {
  virtual ~hlort_ticket() = default;
  bool isLoopback = false; // of hloc::runtime::Loopback, otherwise of the participant
};

namespace hloc::runtime {

struct Group;

/// How many sends per channel and target may complete before they are received.
constexpr int64_t kKeptSends = 64;

/// What a participant does after it has started an operation: wait for it, or compute.
enum class Next { Wait, Compute };

/// A context's membership in a communicator. The functions are those of hlort/collective.h.
class Participant {
public:
  Participant(int32_t rank, int32_t count) : rank(rank), count(count) {}
  /// Leaves the communicator.
  virtual ~Participant() = default;

  virtual int32_t begin(const hlort_program &program, hlort_status *status) = 0;
  virtual int32_t end(const hlort_program &program, int32_t code, hlort_status *status) = 0;
  /// `group` contains this participant and at least one other.
  virtual int32_t start(const hlort_collective &what, const Group &group,
                        const void *const *operands, void *const *results, Next next,
                        hlort_ticket **ticket, hlort_status *status) = 0;
  virtual int32_t done(hlort_ticket &ticket, hlort_status *status) = 0;
  virtual void cancel(const char *reason) = 0;

  const int32_t rank, count;
};

/// A participant's part of the numbers of hlort_communicator_traffic, on its own cache line.
struct alignas(64) Traffic {
  std::atomic<int64_t> bytes{0}, bytesMeanwhile{0};

  /// `isMeanwhile`: moved by one of the communicator's own threads.
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

  /// Null if that participant has joined already, or does not belong to this process. `threads`:
  /// the number that its context computes on.
  virtual std::unique_ptr<hloc::runtime::Participant>
  join(int32_t rank, int32_t threads, int64_t deadlineMilliseconds, hlort_status *status) = 0;

  const int32_t count;
  std::vector<hloc::runtime::Traffic> traffic; // by participant
};

#endif // HLOC_RUNTIME_PARTICIPANT_H
