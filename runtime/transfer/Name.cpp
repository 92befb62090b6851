// SPDX-License-Identifier: Apache-2.0
#include "transfer/Name.h"

#include <cinttypes>
#include <cstdio>

namespace hloc::runtime {

Name::Text Name::getText() const {
  static constexpr const char *queues[] = {"infeed", "outfeed", "send", "recv"};
  static constexpr const char *opcodes[] = {"infeed", "outfeed", "send", "recv-done"};
  Text text;
  char *characters = text.characters;
  bool hasChannel = kind == HLORT_SEND || kind == HLORT_RECV;
  if (!isHost)
    std::snprintf(characters, sizeof text, "%s '%s'%s%s", opcodes[kind],
                  instruction ? instruction : "", place && *place ? " at " : "",
                  place ? place : "");
  else if (hasChannel)
    std::snprintf(characters, sizeof text, "the host's %s on channel %" PRId64, queues[kind],
                  channel);
  else
    std::snprintf(characters, sizeof text, "the host's %s", queues[kind]);
  return text;
}

} // namespace hloc::runtime
