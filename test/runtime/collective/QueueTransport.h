// SPDX-License-Identifier: Apache-2.0
// A communicator provided by a host: messages through queues in memory, with random delays.
#ifndef HLOC_TEST_RUNTIME_COLLECTIVE_QUEUE_TRANSPORT_H
#define HLOC_TEST_RUNTIME_COLLECTIVE_QUEUE_TRANSPORT_H

#include "hlort/communicator.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <random>
#include <tuple>
#include <vector>

struct hlort_delivery {
  int32_t from, to;
  hlort_tag tag;
  void *data; // null: a send
  int64_t bytes;
};

namespace hloc::test {

class QueueTransport {
public:
  /// The communicator owns the transport. `seed`: of what is late.
  static hlort_communicator *create(int32_t participants, uint32_t seed = 0) {
    hlort_transport transport = make(participants, seed);
    return hlort_communicator_create(&transport, nullptr);
  }

  /// Whose user is destroyed by its destroy.
  static hlort_transport make(int32_t participants, uint32_t seed = 0) {
    hlort_transport transport{};
    transport.abi_version = HLORT_ABI_VERSION;
    transport.participants = participants;
    transport.user = new QueueTransport(seed);
    transport.send = send;
    transport.receive = receive;
    transport.test = test;
    transport.cancel = [](void *, int32_t, hlort_delivery *transfer) { delete transfer; };
    transport.discard = discard;
    transport.destroy = [](void *user) { delete static_cast<QueueTransport *>(user); };
    return transport;
  }

private:
  explicit QueueTransport(uint32_t seed) : random(seed) {}

  struct Message {
    int64_t number; // among those of one participant to another
    std::vector<char> bytes;
  };
  using Key = std::tuple<int32_t, int32_t, uint64_t, uint64_t>; // from, to, tag

  /// Exceptions must not leave a C function.
  template <typename Function> static int32_t guarded(hlort_status *status, Function function) {
    try {
      return function();
    } catch (const std::bad_alloc &) {
      return hlort_status_set(status, HLORT_OUT_OF_MEMORY, "no memory for a message");
    }
  }

  static int32_t send(void *user, int32_t self, int32_t peer, hlort_tag tag, const void *data,
                      int64_t bytes, hlort_delivery **transfer, hlort_status *status) {
    auto *queues = static_cast<QueueTransport *>(user);
    std::lock_guard lock(queues->mutex);
    return guarded(status, [&] {
      auto made = std::make_unique<hlort_delivery>(hlort_delivery{self, peer, tag, nullptr, bytes});
      const char *begin = static_cast<const char *>(data);
      Message message{queues->sent[{self, peer}] + 1, {begin, begin + bytes}};
      if (!queues->isDiscarded(peer, tag.conversation))
        queues->messages[{self, peer, tag.conversation, tag.number}].push_back(std::move(message));
      ++queues->sent[{self, peer}];
      *transfer = made.release();
      return int32_t(HLORT_OK);
    });
  }

  static int32_t receive(void *, int32_t self, int32_t peer, hlort_tag tag, void *data,
                         int64_t bytes, hlort_delivery **transfer, hlort_status *status) {
    return guarded(status, [&] {
      *transfer = new hlort_delivery{peer, self, tag, data, bytes};
      return int32_t(HLORT_OK);
    });
  }

  static int32_t test(void *user, int32_t, hlort_delivery *transfer, int32_t *done, int64_t *bytes,
                      hlort_status *status) {
    auto *queues = static_cast<QueueTransport *>(user);
    std::lock_guard lock(queues->mutex);
    std::pair route{transfer->from, transfer->to};
    bool isNotice = transfer->tag.conversation == 0;
    int32_t code = HLORT_OK;
    if (transfer->data && (isNotice || queues->random() % 4 > 0)) // else it is late
      code = guarded(status, [&] {
        queues->arrived[route] = queues->sent[route];
        return int32_t(HLORT_OK);
      });
    if (code) {
      delete transfer;
      return code;
    }
    if (transfer->data) {
      auto queue = queues->messages.find(
          {transfer->from, transfer->to, transfer->tag.conversation, transfer->tag.number});
      if (queue == queues->messages.end())
        return HLORT_OK;
      auto arrived = queues->arrived.find(route);
      if (arrived == queues->arrived.end() || queue->second.front().number > arrived->second)
        return HLORT_OK;
      const std::vector<char> &message = queue->second.front().bytes;
      if (int64_t(message.size()) > transfer->bytes)
        code = hlort_status_set(status, HLORT_INVALID_ARGUMENT, "a message is too long");
      else
        std::memcpy(transfer->data, message.data(), message.size());
      transfer->bytes = int64_t(message.size());
      queue->second.pop_front();
      if (queue->second.empty())
        queues->messages.erase(queue);
    }
    *done = 1;
    *bytes = transfer->bytes;
    delete transfer;
    return code;
  }

  static void discard(void *user, int32_t self, uint64_t conversation) {
    auto *queues = static_cast<QueueTransport *>(user);
    std::lock_guard lock(queues->mutex);
    std::erase_if(queues->messages, [&](const auto &entry) {
      return std::get<1>(entry.first) == self && std::get<2>(entry.first) == conversation;
    });
    queues->discarded[queues->discardedCount++ % kDiscarded] = {self, conversation};
  }

  bool isDiscarded(int32_t self, uint64_t conversation) const {
    auto end = discarded.begin() + std::min(discardedCount, kDiscarded);
    return std::find(discarded.begin(), end, std::pair(self, conversation)) != end;
  }

  /// Conversations that are remembered as given up.
  static constexpr size_t kDiscarded = 64;

  std::mutex mutex;
  std::map<Key, std::deque<Message>> messages;
  std::map<std::pair<int32_t, int32_t>, int64_t> sent, arrived;   // by sender and receiver
  std::array<std::pair<int32_t, uint64_t>, kDiscarded> discarded; // participants, conversations
  size_t discardedCount = 0;
  std::mt19937 random;
};

} // namespace hloc::test

#endif // HLOC_TEST_RUNTIME_COLLECTIVE_QUEUE_TRANSPORT_H
