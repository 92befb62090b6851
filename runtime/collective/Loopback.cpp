// SPDX-License-Identifier: Apache-2.0

#include "collective/Loopback.h"
#include "collective/Member.h"

#include <cstring>

namespace hloc::runtime {

static std::pair<uint64_t, int64_t> keyOf(const hlort_collective &what) {
  return {what.program->fingerprint, what.channel};
}

void Loopback::send(const hlort_collective &what, const void *const *operands) {
  Message message{&what, {}};
  for (int64_t i = 0; i < what.operand_count; ++i) {
    const char *data = static_cast<const char *>(operands[i]);
    message.arrays.emplace_back(data, data + byteCount(what.operands[i]));
  }
  std::lock_guard lock(mutex);
  Lane &lane = lanes[keyOf(what)];
  lane.messages.emplace(lane.sent++, std::move(message));
}

hlort_ticket *Loopback::expect(const hlort_collective &what, void *const *results) {
  auto ticket = std::make_unique<Ticket>();
  ticket->isLoopback = true;
  ticket->what = &what;
  ticket->results.assign(results, results + what.result_count);
  std::lock_guard lock(mutex);
  ticket->number = lanes[keyOf(what)].expected++;
  hlort_ticket *key = ticket.get();
  tickets.emplace(key, std::move(ticket));
  return key;
}

int32_t Loopback::receive(hlort_ticket &key, hlort_status *status) {
  std::lock_guard lock(mutex);
  auto place = tickets.find(&key);
  std::unique_ptr<Ticket> ticket = std::move(place->second);
  tickets.erase(place);
  const hlort_collective &what = *ticket->what;
  Lane &lane = lanes[keyOf(what)];
  auto found = lane.messages.find(ticket->number);
  if (found == lane.messages.end())
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                            "%s waits for data that its own participant has not sent",
                            describe(what).c_str());
  Message message = std::move(found->second);
  lane.messages.erase(found);
  Member from, to;
  from.what = message.sender, to.what = &what;
  if (std::string reason = difference(from, to); !reason.empty())
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT, "%s does not match %s: %s",
                            describe(*message.sender).c_str(), describe(what).c_str(),
                            reason.c_str());
  for (size_t i = 0; i < message.arrays.size(); ++i)
    if (!message.arrays[i].empty())
      std::memcpy(ticket->results[i], message.arrays[i].data(), message.arrays[i].size());
  return HLORT_OK;
}

int32_t Loopback::end(const hlort_program &program, hlort_status *status) {
  std::lock_guard lock(mutex);
  int32_t code = HLORT_OK;
  std::erase_if(tickets, [&](const auto &entry) {
    return entry.second->what->program->fingerprint == program.fingerprint;
  });
  std::erase_if(lanes, [&](const auto &entry) {
    if (entry.first.first != program.fingerprint)
      return false;
    for (const auto &[number, message] : entry.second.messages)
      if (code == HLORT_OK)
        code = hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                                "%s: its own participant has not received it",
                                describe(*message.sender).c_str());
    return true;
  });
  return code;
}

} // namespace hloc::runtime
