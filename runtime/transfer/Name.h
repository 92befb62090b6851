// SPDX-License-Identifier: Apache-2.0
// The party that a status is about: an instruction of a module or the host. Formatted only if
// needed.
#ifndef HLOC_RUNTIME_TRANSFER_NAME_H
#define HLOC_RUNTIME_TRANSFER_NAME_H

#include "hlort/transfer.h"

namespace hloc::runtime {

class Name {
public:
  /// The instruction that requests a transfer.
  explicit Name(const hlort_transfer &transfer)
      : instruction(transfer.instruction), place(transfer.place), kind(transfer.kind),
        channel(transfer.channel), isHost(false) {}
  /// The host, at a queue.
  Name(int32_t kind, int64_t channel) : kind(kind), channel(channel), isHost(true) {}

  struct Text {
    char characters[128];
  };
  /// "infeed 'x' at m.hlo:3:1" or "the host's recv on channel 2", cut to fit.
  Text getText() const;

  const char *instruction = nullptr, *place = nullptr;
  int32_t kind;
  int64_t channel;
  bool isHost;
};

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_TRANSFER_NAME_H
