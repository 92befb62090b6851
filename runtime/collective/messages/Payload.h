// SPDX-License-Identifier: Apache-2.0
// What goes over the wire between two members of a collective: a header that says which operation
// the sender is at, and the sender's part of its data for the receiver, without gaps.
#ifndef HLOC_RUNTIME_PAYLOAD_H
#define HLOC_RUNTIME_PAYLOAD_H

#include "collective/Member.h"

namespace hloc::runtime {

/// The beginning of a first message. Participants have one byte order.
struct Header {
  int32_t kind; // an hlort_collective_kind; of both sides of a transfer, HLORT_PEER_SEND
  int32_t hasChannel;
  int64_t channel;
  int64_t root;
  uint64_t shapes;      // hash of everything else that members must agree in
  int64_t payloadBytes; // after the header, or in a message of their own
  char where[208];      // "all-reduce 'sum' (model.hlo:3:5)"

  Header() = default;
  Header(const Member &member, int64_t payloadBytes);
};

/// A first message has room for small payloads, so that these need no other.
struct FirstMessage {
  static constexpr int64_t kInline = 4096 - int64_t(sizeof(Header));
  Header header;
  char inlined[kInline];
};

/// What is different in two headers that should be of one operation; null if nothing is.
const char *difference(const Header &one, const Header &other);

/// A payload's place and its boxes' places in it.
struct Payload {
  std::vector<Box> boxes;
  std::vector<int64_t> offsets; // of the boxes' bits, in bytes
  int64_t bytes = 0;

  Payload() = default;
  /// `prefix` bytes are before the boxes.
  explicit Payload(std::vector<Box> boxes, int64_t prefix = 0);

  /// Whether it is a piece of memory of the operand (or of the result) as it is.
  bool isDirect() const {
    return boxes.size() == 1 && offsets[0] == 0 && boxes[0].rows == 1 && boxes[0].isWholeBytes();
  }
  void pack(char *to, const std::vector<const void *> &operands) const;
  void unpack(const std::vector<void *> &results, const char *from) const;
};

/// The boxes of a reduction that the member at place t reduces: what it keeps, or its share.
std::vector<Box> reducedBoxes(const hlort_collective &what, int32_t t, int32_t n, bool isShared);

/// Of each box of the payload, combines what the members sent, in their order, and writes it to the
/// result.
void reducePayloads(const Member &member, const Payload &payload,
                    const std::vector<const char *> &sent);

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_PAYLOAD_H
