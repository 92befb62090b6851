// SPDX-License-Identifier: Apache-2.0
// A communicator as a host would bring it: messages through queues in memory, late by chance.
#ifndef HLOC_TEST_RUNTIME_COLLECTIVE_QUEUE_TRANSPORT_H
#define HLOC_TEST_RUNTIME_COLLECTIVE_QUEUE_TRANSPORT_H

#include "hlort/communicator.h"

#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <random>
#include <tuple>
#include <vector>

struct hlort_transfer {
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
    hlort_transport transport{};
    transport.abi_version = HLORT_ABI_VERSION;
    transport.participants = participants;
    transport.user = new QueueTransport(seed);
    transport.send = send;
    transport.receive = receive;
    transport.test = test;
    transport.cancel = [](void *, int32_t, hlort_transfer *transfer) { delete transfer; };
    transport.discard = discard;
    transport.destroy = [](void *user) { delete static_cast<QueueTransport *>(user); };
    return hlort_communicator_create(&transport, nullptr);
  }

private:
  explicit QueueTransport(uint32_t seed) : random(seed) {}

  struct Message {
    int64_t number; // among those of one participant to another
    std::vector<char> bytes;
  };
  using Key = std::tuple<int32_t, int32_t, uint64_t, uint64_t>; // from, to, tag

  static int32_t send(void *user, int32_t self, int32_t peer, hlort_tag tag, const void *data,
                      int64_t bytes, hlort_transfer **transfer, hlort_status *) {
    auto *queues = static_cast<QueueTransport *>(user);
    std::lock_guard lock(queues->mutex);
    const char *begin = static_cast<const char *>(data);
    Message message{++queues->sent[{self, peer}], {begin, begin + bytes}};
    queues->messages[{self, peer, tag.conversation, tag.number}].push_back(std::move(message));
    *transfer = new hlort_transfer{self, peer, tag, nullptr, bytes};
    return HLORT_OK;
  }

  static int32_t receive(void *, int32_t self, int32_t peer, hlort_tag tag, void *data,
                         int64_t bytes, hlort_transfer **transfer, hlort_status *) {
    *transfer = new hlort_transfer{peer, self, tag, data, bytes};
    return HLORT_OK;
  }

  static int32_t test(void *user, int32_t, hlort_transfer *transfer, int32_t *done, int64_t *bytes,
                      hlort_status *status) {
    auto *queues = static_cast<QueueTransport *>(user);
    std::lock_guard lock(queues->mutex);
    std::pair route{transfer->from, transfer->to};
    bool isNotice = transfer->tag.conversation == 0;
    if (transfer->data && (isNotice || queues->random() % 4 > 0))
      queues->arrived[route] = queues->sent[route]; // else it is late
    int32_t code = HLORT_OK;
    if (transfer->data) {
      auto queue = queues->messages.find(
          {transfer->from, transfer->to, transfer->tag.conversation, transfer->tag.number});
      if (queue == queues->messages.end())
        return HLORT_OK;
      if (queue->second.front().number > queues->arrived[route])
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
  }

  std::mutex mutex;
  std::map<Key, std::deque<Message>> messages;
  std::map<std::pair<int32_t, int32_t>, int64_t> sent, arrived; // by sender and receiver
  std::mt19937 random;
};

} // namespace hloc::test

#endif // HLOC_TEST_RUNTIME_COLLECTIVE_QUEUE_TRANSPORT_H
