// SPDX-License-Identifier: Apache-2.0
// Messages that participants send to themselves. Test: test/runtime/collective/PeerTest.cpp.
#ifndef HLOC_RUNTIME_LOOPBACK_H
#define HLOC_RUNTIME_LOOPBACK_H

#include "collective/Participant.h"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace hloc::runtime {

class Loopback {
public:
  /// Stores the operands for the receive of the same number on that channel.
  void send(const hlort_collective &what, const void *const *operands);
  /// A receive whose data may not have been sent yet.
  hlort_ticket *expect(const hlort_collective &what, void *const *results);
  /// Fails if the data have not been sent: nobody else will send them.
  int32_t receive(hlort_ticket &ticket, hlort_status *status);
  /// Ends the program's run. Fails if something has not been received.
  int32_t end(const hlort_program &program, hlort_status *status);

private:
  struct Ticket final : hlort_ticket {
    const hlort_collective *what;
    int64_t number;
    std::vector<void *> results;
  };
  struct Message {
    const hlort_collective *sender;
    std::vector<std::vector<char>> arrays;
  };
  struct Lane {
    int64_t sent = 0, expected = 0;
    std::map<int64_t, Message> messages; // by number
  };
  using Key = std::pair<uint64_t, int64_t>; // program, channel

  std::mutex mutex;
  std::map<Key, Lane> lanes;
  std::map<hlort_ticket *, std::unique_ptr<Ticket>> tickets;
};

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_LOOPBACK_H
