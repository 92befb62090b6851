// SPDX-License-Identifier: Apache-2.0
// A collective in flight over messages: what has been sent and received, and what comes next.
#ifndef HLOC_RUNTIME_MESSAGE_OPERATION_H
#define HLOC_RUNTIME_MESSAGE_OPERATION_H

#include "collective/messages/Messages.h"

namespace hloc::runtime {

class MessageOperation final : public hlort_ticket {
public:
  MessageOperation(MessageParticipant &participant, Member member, Group group, int64_t run,
                   uint64_t step);
  /// Cancels what is in flight.
  ~MessageOperation() override;

  /// Sends the first messages.
  int32_t start(hlort_status *status);
  /// Does what can be done now. *moved tells whether there was any progress.
  int32_t advance(bool *moved, hlort_status *status);
  bool isDone() const { return step == Step::Done; }

  /// True if it has more data than fits into the first messages.
  bool isLong() const { return hasRest && step != Step::Done; }
  /// The same on the progress thread. A failure is kept for the next advance. Returns true if there
  /// is nothing more to do on that thread.
  bool advanceMeanwhile(bool *moved) noexcept;
  bool isGiven = false; // to that thread; set by Progress

  /// The members whose first message or data have not come.
  std::vector<int32_t> missing() const;
  /// True if all first messages have come.
  bool allHaveCome() const;

  const Member member;
  const Group group;

private:
  enum class Step { Exchange, Spread, Done };
  /// The messages from a member.
  struct Incoming {
    int32_t place;
    FirstMessage first;
    Payload payload; // and where it is stored
    std::vector<char> rest;
    const char *data = nullptr; // once all of it has come, unless it is in the result
    hlort_delivery *transfer = nullptr;
    enum { First, Rest, Arrived } state = First;
  };
  /// The messages to a member.
  struct Sent {
    FirstMessage first;
    std::vector<char> rest;
    hlort_delivery *firstTransfer = nullptr, *restTransfer = nullptr;
  };

  hlort_tag tagOf(uint64_t part) const { return {conversation, number * 4 + part}; }
  int32_t sendTo(int32_t t, hlort_status *status);
  int32_t send(int32_t t, uint64_t part, const void *data, int64_t bytes, hlort_delivery **transfer,
               hlort_status *status);
  int32_t receive(int32_t s, uint64_t part, void *data, int64_t bytes, hlort_delivery **transfer,
                  hlort_status *status);
  int32_t test(hlort_delivery *&transfer, bool *moved, int64_t *bytes, hlort_status *status);
  void expectPayload(Incoming &incoming);
  int32_t advanceIncoming(Incoming &incoming, bool *moved, hlort_status *status);
  int32_t checkFirst(Incoming &incoming, int64_t bytes, hlort_status *status);
  int32_t finishExchange(hlort_status *status);
  int32_t spread(hlort_status *status);

  MessageParticipant &participant;
  const uint64_t conversation, number;
  Step step = Step::Exchange;
  bool hasRest = false;     // more data than fits into a first message
  bool isMeanwhile = false; // the progress thread advances it
  hlort_status failure{};   // found by that thread
  int64_t underWay = 0;     // bytes of messages that are partly moved
  bool isShared = false;    // a reduction in two steps
  std::vector<std::unique_ptr<Incoming>> incoming;
  std::vector<std::unique_ptr<Sent>> sent;
  std::vector<char> own;                    // this member's part of a reduction
  std::vector<std::vector<char>> spreading; // reduced shares, by place
  std::vector<hlort_delivery *> spreads;    // a receive, a send, a receive, ...
};

/// The conversation of a run; never 0.
uint64_t conversationOf(uint64_t program, int64_t run);

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_MESSAGE_OPERATION_H
