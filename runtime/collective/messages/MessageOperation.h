// SPDX-License-Identifier: Apache-2.0
// A collective under way over messages: what has been sent and received, and what comes next.
#ifndef HLOC_RUNTIME_MESSAGE_OPERATION_H
#define HLOC_RUNTIME_MESSAGE_OPERATION_H

#include "collective/messages/Messages.h"

namespace hloc::runtime {

class MessageOperation final : public hlort_ticket {
public:
  MessageOperation(MessageParticipant &participant, Member member, Group group, int64_t run,
                   uint64_t step);
  /// Gives up what is under way.
  ~MessageOperation() override;

  /// Sends the first messages.
  int32_t start(hlort_status *status);
  /// Does what can be done by now. *moved says whether anything has.
  int32_t advance(bool *moved, hlort_status *status);
  bool isDone() const { return step == Step::Done; }

  /// Whether it has more to move than goes with the first messages.
  bool isLong() const { return hasRest && step != Step::Done; }
  /// The same on the thread that lets it get on meanwhile. A failure is kept for the next advance.
  /// Whether there is no more to do there.
  bool advanceMeanwhile(bool *moved) noexcept;
  bool isGiven = false; // to that thread; Progress's

  /// Whose first message, or whose data has not come.
  std::vector<int32_t> missing() const;
  /// Whether all first messages have come.
  bool allHaveCome() const;

  const Member member;
  const Group group;

private:
  enum class Step { Exchange, Spread, Done };
  /// What comes from a member.
  struct Incoming {
    int32_t place;
    FirstMessage first;
    Payload payload; // where it goes to
    std::vector<char> rest;
    const char *data = nullptr; // once all of it has come, unless it is in the result
    hlort_delivery *transfer = nullptr;
    enum { First, Rest, Arrived } state = First;
  };
  /// What goes to a member.
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
  bool hasRest = false;     // what does not fit into a first message
  bool isMeanwhile = false; // it is the other thread that advances it
  hlort_status failure{};   // found by that thread
  int64_t underWay = 0;     // bytes of messages of which more is to move
  bool isShared = false;    // a reduction in two steps
  std::vector<std::unique_ptr<Incoming>> incoming;
  std::vector<std::unique_ptr<Sent>> sent;
  std::vector<char> own;                    // of a reduction: this member's part
  std::vector<std::vector<char>> spreading; // reduced shares, by place
  std::vector<hlort_delivery *> spreads;    // a receive, a send, a receive, ...
};

/// The conversation of a run; never 0.
uint64_t conversationOf(uint64_t program, int64_t run);

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_MESSAGE_OPERATION_H
