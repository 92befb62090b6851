// SPDX-License-Identifier: Apache-2.0

#include "collective/messages/MessageOperation.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace hloc::runtime {

static uint64_t mixed(uint64_t one, uint64_t other) {
  uint64_t hash = (one ^ other * 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
  return hash ^ hash >> 31;
}

uint64_t conversationOf(uint64_t program, int64_t run) { return mixed(program, uint64_t(run)) | 1; }

static bool hasNumbers(const hlort_collective &what) {
  return what.kind == HLORT_COLLECTIVE_PERMUTE_SLICES || what.kind == HLORT_RAGGED_ALL_TO_ALL;
}

/// True if the member at position s sends anything to the one at position t.
static bool sends(const Member &member, const Group &group, int32_t s, int32_t t) {
  const hlort_collective &what = *member.what;
  if (isPeerTransfer(what)) // the target announces that it has come
    return s != t;
  if (what.kind == HLORT_COLLECTIVE_BROADCAST)
    return s == member.root;
  if (what.kind != HLORT_COLLECTIVE_PERMUTE && what.kind != HLORT_COLLECTIVE_PERMUTE_SLICES)
    return true;
  for (int64_t i = 0; i < what.pair_count; ++i)
    if (what.pairs[2 * i] == group.members[s] && what.pairs[2 * i + 1] == group.members[t])
      return true;
  return false;
}

MessageOperation::MessageOperation(MessageParticipant &participant, Member member, Group group,
                                   int64_t run, uint64_t step)
    : member(std::move(member)), group(std::move(group)), participant(participant),
      conversation(conversationOf(this->member.what->program->fingerprint, run)),
      number(mixed(this->group.hash, step)) {
  const hlort_collective &what = *this->member.what;
  if (what.kind == HLORT_ALL_REDUCE)
    isShared = Payload(reducedBoxes(what, 0, 1, false)).bytes > FirstMessage::kInline;
  hasRest = isShared;
}

MessageOperation::~MessageOperation() {
  auto giveUp = [&](hlort_delivery *transfer) {
    if (transfer)
      participant.transport.cancel(participant.transport.user, participant.rank, transfer);
  };
  for (auto &each : incoming)
    giveUp(each->transfer);
  for (auto &each : sent) {
    giveUp(each->firstTransfer);
    giveUp(each->restTransfer);
  }
  for (hlort_delivery *transfer : spreads)
    giveUp(transfer);
}

int32_t MessageOperation::send(int32_t t, uint64_t part, const void *data, int64_t bytes,
                               hlort_delivery **transfer, hlort_status *status) {
  const hlort_transport &transport = participant.transport;
  return transport.send(transport.user, participant.rank, group.members[t], tagOf(part), data,
                        bytes, transfer, status);
}

int32_t MessageOperation::receive(int32_t s, uint64_t part, void *data, int64_t bytes,
                                  hlort_delivery **transfer, hlort_status *status) {
  const hlort_transport &transport = participant.transport;
  return transport.receive(transport.user, participant.rank, group.members[s], tagOf(part), data,
                           bytes, transfer, status);
}

/// Sets the transfer to null if it is done.
int32_t MessageOperation::test(hlort_delivery *&transfer, bool *moved, int64_t *bytes,
                               hlort_status *status) {
  if (!transfer)
    return HLORT_OK;
  const hlort_transport &transport = participant.transport;
  int32_t isDone = 0;
  *bytes = 0;
  int32_t code = transport.test(transport.user, participant.rank, transfer, &isDone, bytes, status);
  if (code || isDone) {
    transfer = nullptr;
    *moved = true;
  } else {
    underWay += *bytes;
  }
  return code;
}

//===- The first messages --------------------------------------------------------------------===//

int32_t MessageOperation::start(hlort_status *status) {
  const hlort_collective &what = *member.what;
  int32_t n = group.size();
  if (isReduction(what)) {
    Payload mine(reducedBoxes(what, group.place, n, isShared));
    own.resize(size_t(mine.bytes));
    mine.pack(own.data(), member.operands);
  } else if (sends(member, group, group.place, group.place)) {
    std::vector<Box> boxes;
    if (!appendBoxes(boxes, member, group, group.place, group.place))
      return hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                              "%s: a slice is outside its array, or does not match it",
                              describe(what).c_str());
    for (const Box &box : boxes)
      copyBox(box, member.results[box.to], member.operands[box.from]);
  }
  for (int32_t i = 1; i < n; ++i) {
    int32_t s = (group.place + n - i) % n;
    if (!sends(member, group, s, group.place))
      continue;
    incoming.push_back(std::make_unique<Incoming>());
    Incoming &from = *incoming.back();
    from.place = s;
    expectPayload(from);
    if (int32_t code = receive(s, 0, &from.first, sizeof from.first, &from.transfer, status))
      return code;
  }
  for (int32_t i = 1; i < n; ++i) {
    int32_t t = (group.place + i) % n;
    if (!sends(member, group, group.place, t))
      continue;
    if (int32_t code = sendTo(t, status))
      return code;
  }
  bool moved;
  return advance(&moved, status);
}

int32_t MessageOperation::sendTo(int32_t t, hlort_status *status) {
  const hlort_collective &what = *member.what;
  std::vector<Box> boxes;
  if (isReduction(what))
    boxes = reducedBoxes(what, t, group.size(), isShared);
  else if (!appendBoxes(boxes, member, group, group.place, t))
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                            "%s: a slice is outside its array, or does not match it",
                            describe(what).c_str());
  int64_t prefix = hasNumbers(what) ? int64_t(member.numbers.size() * sizeof(int64_t)) : 0;
  Payload payload(std::move(boxes), prefix);
  sent.push_back(std::make_unique<Sent>());
  Sent &to = *sent.back();
  to.first.header = Header(member, payload.bytes);
  bool isInlined = payload.bytes <= FirstMessage::kInline;
  // The operands of a send to one participant may change before that one comes.
  bool isDirect = !isInlined && prefix == 0 && payload.isDirect() && what.kind != HLORT_PEER_SEND;
  char *data = to.first.inlined;
  if (!isInlined && !isDirect) {
    to.rest.resize(size_t(payload.bytes));
    data = to.rest.data();
  }
  if (!isDirect) {
    std::memcpy(data, member.numbers.data(), size_t(prefix));
    payload.pack(data, member.operands);
  }
  int64_t firstBytes = int64_t(sizeof(Header)) + (isInlined ? payload.bytes : 0);
  if (int32_t code = send(t, 0, &to.first, firstBytes, &to.firstTransfer, status))
    return code;
  if (isInlined)
    return HLORT_OK;
  hasRest = true;
  const void *rest = to.rest.data();
  if (isDirect)
    rest = static_cast<const char *>(member.operands[payload.boxes[0].from]) +
           payload.boxes[0].fromOffset / 8;
  return send(t, 1, rest, payload.bytes, &to.restTransfer, status);
}

//===- Received messages ---------------------------------------------------------------------===//

/// Determines the data that the member will send, unless they depend on numbers that only it has.
void MessageOperation::expectPayload(Incoming &from) {
  const hlort_collective &what = *member.what;
  if (hasNumbers(what)) {
    for (int64_t i = 0; i < what.result_count; ++i)
      hasRest |= byteCount(what.results[i]) > FirstMessage::kInline;
    return;
  }
  std::vector<Box> boxes;
  if (isReduction(what))
    boxes = reducedBoxes(what, group.place, group.size(), isShared);
  else
    appendBoxes(boxes, member, group, from.place, group.place);
  from.payload = Payload(std::move(boxes));
  hasRest |= from.payload.bytes > FirstMessage::kInline;
}

/// Compares the header with this member's, and prepares for the data.
int32_t MessageOperation::checkFirst(Incoming &from, int64_t bytes, hlort_status *status) {
  const hlort_collective &what = *member.what;
  const Header &header = from.first.header;
  Header mine(member, 0);
  const char *reason =
      bytes < int64_t(sizeof(Header)) ? "a message is too short" : difference(mine, header);
  if (!reason && !hasNumbers(what) && from.payload.bytes != header.payloadBytes)
    reason = "they send another number of bytes";
  if (!reason && header.payloadBytes < int64_t(hasNumbers(what) * member.numbers.size() * 8))
    reason = "they send another number of bytes";
  if (reason)
    return hlort_status_set(
        status, HLORT_INVALID_ARGUMENT, "participant %d is at %s where participant %d is at %s: %s",
        group.members[from.place], header.where, member.participant, mine.where, reason);
  if (header.payloadBytes <= FirstMessage::kInline) {
    from.data = from.first.inlined;
    from.state = Incoming::Arrived;
    return HLORT_OK;
  }
  from.state = Incoming::Rest;
  char *data;
  if (!isReduction(what) && !hasNumbers(what) && from.payload.isDirect()) {
    data = static_cast<char *>(member.results[from.payload.boxes[0].to]) +
           from.payload.boxes[0].toOffset / 8;
  } else {
    from.rest.resize(size_t(header.payloadBytes));
    from.data = data = from.rest.data();
  }
  return receive(from.place, 1, data, header.payloadBytes, &from.transfer, status);
}

int32_t MessageOperation::advanceIncoming(Incoming &from, bool *moved, hlort_status *status) {
  while (from.state != Incoming::Arrived) {
    int64_t bytes = 0;
    if (int32_t code = test(from.transfer, moved, &bytes, status))
      return code;
    if (from.transfer)
      return HLORT_OK;
    if (from.state == Incoming::First) {
      if (int32_t code = checkFirst(from, bytes, status))
        return code;
    } else {
      from.state = Incoming::Arrived;
    }
    if (from.state == Incoming::Arrived)
      participant.communicator.traffic[participant.rank].add(from.first.header.payloadBytes,
                                                             isMeanwhile);
  }
  return HLORT_OK;
}

bool MessageOperation::advanceMeanwhile(bool *moved) noexcept {
  bool hasMoved = false;
  isMeanwhile = true;
  try {
    failure.code = advance(&hasMoved, &failure);
  } catch (const std::bad_alloc &) {
    hlort_status_set(&failure, HLORT_OUT_OF_MEMORY, "%s: no memory",
                     describe(*member.what).c_str());
  } catch (const std::exception &error) {
    hlort_status_set(&failure, HLORT_INTERNAL, "%s: %s", describe(*member.what).c_str(),
                     error.what());
  }
  isMeanwhile = false;
  *moved |= hasMoved;
  return isDone() || failure.code;
}

int32_t MessageOperation::advance(bool *moved, hlort_status *status) {
  *moved = false;
  if (failure.code) {
    *status = failure;
    return failure.code;
  }
  bool isComplete = true;
  int64_t before = std::exchange(underWay, 0);
  for (auto &from : incoming) {
    if (int32_t code = advanceIncoming(*from, moved, status))
      return code;
    isComplete &= from->state == Incoming::Arrived;
  }
  int64_t bytes;
  for (auto &to : sent)
    for (hlort_delivery **transfer : {&to->firstTransfer, &to->restTransfer}) {
      if (int32_t code = test(*transfer, moved, &bytes, status))
        return code;
      isComplete &= !*transfer;
    }
  for (size_t i = 0; i < spreads.size(); ++i) {
    bool isReceived = spreads[i] && i % 2 == 0;
    if (int32_t code = test(spreads[i], moved, &bytes, status))
      return code;
    isComplete &= !spreads[i];
    if (isReceived && !spreads[i])
      participant.communicator.traffic[participant.rank].add(bytes, isMeanwhile);
  }
  *moved |= underWay != before;
  if (!isComplete)
    return HLORT_OK;
  if (step == Step::Exchange)
    return finishExchange(status);
  if (step == Step::Spread) {
    for (int32_t s = 0; s < group.size(); ++s)
      if (!spreading.empty() && s != group.place)
        Payload(reducedBoxes(*member.what, s, group.size(), true))
            .unpack(member.results, spreading[s].data());
    step = Step::Done;
  }
  return HLORT_OK;
}

int32_t MessageOperation::finishExchange(hlort_status *status) {
  const hlort_collective &what = *member.what;
  std::sort(incoming.begin(), incoming.end(),
            [](const auto &a, const auto &b) { return a->place < b->place; });
  if (isReduction(what)) {
    std::vector<const char *> parts(group.size(), own.data());
    for (auto &from : incoming)
      parts[from->place] = from->data;
    reducePayloads(member, Payload(reducedBoxes(what, group.place, group.size(), isShared)), parts);
    if (isShared)
      return spread(status);
    step = Step::Done;
    return HLORT_OK;
  }
  for (auto &from : incoming) {
    if (hasNumbers(what)) {
      Member source;
      source.what = &what;
      source.numbers.resize(member.numbers.size());
      int64_t prefix = int64_t(source.numbers.size() * sizeof(int64_t));
      std::memcpy(source.numbers.data(), from->data, size_t(prefix));
      std::vector<Box> boxes;
      if (!appendBoxes(boxes, source, group, from->place, group.place))
        return hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                                "%s: a slice from participant %d is outside its array",
                                describe(what).c_str(), group.members[from->place]);
      from->payload = Payload(std::move(boxes), prefix);
      if (from->payload.bytes != from->first.header.payloadBytes)
        return hlort_status_set(status, HLORT_INTERNAL, "%s: participant %d sent other slices",
                                describe(what).c_str(), group.members[from->place]);
    }
    if (from->data)
      from->payload.unpack(member.results, from->data);
  }
  step = Step::Done;
  return HLORT_OK;
}

/// Sends this member's reduced share to all, and receives theirs.
int32_t MessageOperation::spread(hlort_status *status) {
  const hlort_collective &what = *member.what;
  step = Step::Spread;
  int32_t n = group.size();
  bool isDirect = what.operand_count == 1;
  auto place = [&](int32_t s, int64_t bytes) -> char * {
    if (isDirect)
      return static_cast<char *>(member.results[0]) +
             reducedBoxes(what, s, n, true)[0].toOffset / 8;
    spreading[s].resize(size_t(bytes));
    return spreading[s].data();
  };
  if (!isDirect)
    spreading.resize(n);
  Payload mine(reducedBoxes(what, group.place, n, true));
  char *data = place(group.place, mine.bytes);
  if (!isDirect)
    mine.pack(data, {member.results.begin(), member.results.end()});
  for (int32_t i = 1; i < n; ++i) {
    int32_t s = (group.place + n - i) % n, t = (group.place + i) % n;
    int64_t bytes = Payload(reducedBoxes(what, s, n, true)).bytes;
    spreads.push_back(nullptr);
    if (bytes)
      if (int32_t code = receive(s, 2, place(s, bytes), bytes, &spreads.back(), status))
        return code;
    spreads.push_back(nullptr);
    if (mine.bytes)
      if (int32_t code = send(t, 2, data, mine.bytes, &spreads.back(), status))
        return code;
  }
  return HLORT_OK;
}

std::vector<int32_t> MessageOperation::missing() const {
  std::vector<int32_t> result;
  bool isFirst = !allHaveCome();
  for (const auto &from : incoming)
    if (isFirst ? from->state == Incoming::First : from->state != Incoming::Arrived)
      result.push_back(group.members[from->place]);
  std::sort(result.begin(), result.end());
  return result;
}

bool MessageOperation::allHaveCome() const {
  return std::none_of(incoming.begin(), incoming.end(),
                      [](const auto &from) { return from->state == Incoming::First; });
}

} // namespace hloc::runtime
