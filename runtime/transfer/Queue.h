// SPDX-License-Identifier: Apache-2.0
// A bounded queue of messages between a module and its host, and the queues of a context.
// Test: test/runtime/TransferTest.cpp.
#ifndef HLOC_RUNTIME_TRANSFER_QUEUE_H
#define HLOC_RUNTIME_TRANSFER_QUEUE_H

#include "transfer/Message.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>

namespace hloc::runtime {

class Queue {
public:
  ~Queue() { drop(); }

  void configure(const hlort_queue_options &options);
  hlort_queue_options getOptions() const;

  /// Adds `message` at the end once there is room; `who` begins the text of the status. timeout in
  /// nanoseconds, less than 0 forever. The message is taken only on success.
  int32_t put(OwnedMessage &message, int64_t timeout, const Name &who, hlort_status *status);

  /// The first message once there is one; null on failure.
  OwnedMessage take(int64_t timeout, const Name &who, hlort_status *status);

  /// Copies the first message once there is one, and removes it unless that fails.
  int32_t receive(int64_t count, const hlort_buffer *buffers, int64_t timeout, const Name &who,
                  hlort_status *status);

  /// HLORT_OK, or HLORT_CANCELLED if the queue is closed.
  int32_t checkOpen(const Name &who, hlort_status *status) const;

  int64_t getLength() const;
  void close(const char *reason);
  void reset();

private:
  using Lock = std::unique_lock<std::mutex>;

  /// Waits until `ready` is true of the queue; the lock is not held for long.
  template <typename Ready>
  int32_t wait(Lock &lock, std::condition_variable &changed, Ready ready, int64_t timeout,
               const Name &who, const char *what, hlort_status *status);
  int32_t reportClosed(const Name &who, hlort_status *status) const;
  OwnedMessage removeFirst();
  void drop();

  mutable std::mutex mutex;
  std::condition_variable roomMade, messageCame;
  hlort_queue_options options = {};
  hlort_message *first = nullptr, *last = nullptr;
  int64_t length = 0;
  bool closed = false;
  /// Counts closings, so that all that wait notice one even if the queue has been opened again.
  uint64_t closings = 0;
  char reason[96] = "";
};

/// The queues of a context, made when they are first named.
class Queues {
public:
  /// Throws std::bad_alloc if there is no memory for a new one.
  Queue &get(int32_t kind, int64_t channel);
  /// Null if it has not been named yet.
  Queue *find(int32_t kind, int64_t channel);
  void closeAll(const char *reason);
  void resetAll();

private:
  std::mutex mutex;
  std::map<std::pair<int32_t, int64_t>, Queue> queues;
  bool closed = false;
  char reason[96] = "";
};

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_TRANSFER_QUEUE_H
