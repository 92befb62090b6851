// SPDX-License-Identifier: Apache-2.0
// The messages between two members of a collective: a header that says which operation the sender
// is executing, and the sender's data for the receiver, packed.
#ifndef HLOC_RUNTIME_PAYLOAD_H
#define HLOC_RUNTIME_PAYLOAD_H

#include "collective/Member.h"

namespace hloc::runtime {

/// The beginning of a first message. All participants have the same byte order.
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

/// A first message has room for small payloads, so that these need no second message.
struct FirstMessage {
  static constexpr int64_t kInline = 4096 - int64_t(sizeof(Header));
  Header header;
  char inlined[kInline];
};

/// The difference between two headers that should be of one operation; null if there is none.
const char *difference(const Header &one, const Header &other);

/// The layout of a payload: its boxes and their offsets.
struct Payload {
  std::vector<Box> boxes;
  std::vector<int64_t> offsets; // of the boxes' bits, in bytes
  int64_t bytes = 0;

  Payload() = default;
  /// The boxes are preceded by `prefix` bytes.
  explicit Payload(std::vector<Box> boxes, int64_t prefix = 0);

  /// True if it is a contiguous part of the operand's (or the result's) memory.
  bool isDirect() const {
    return boxes.size() == 1 && offsets[0] == 0 && boxes[0].rows == 1 && boxes[0].isWholeBytes();
  }
  void pack(char *to, const std::vector<const void *> &operands) const;
  void unpack(const std::vector<void *> &results, const char *from) const;
};

/// The boxes of a reduction that the member at position t reduces: what it keeps, or its share.
std::vector<Box> reducedBoxes(const hlort_collective &what, int32_t t, int32_t n, bool isShared);

/// For each box of the payload, combines what the members sent, in their order, and writes it to
/// the result.
void reducePayloads(const Member &member, const Payload &payload,
                    const std::vector<const char *> &sent);

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_PAYLOAD_H
