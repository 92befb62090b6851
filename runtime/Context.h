// SPDX-License-Identifier: Apache-2.0
// The definition of hlort_context: one header for all topics, each of which has its state here and
// its code in a separate file.
#ifndef HLOC_RUNTIME_CONTEXT_H
#define HLOC_RUNTIME_CONTEXT_H

#include "Random.h"
#include "Trace.h"
#include "collective/Loopback.h"
#include "collective/Participant.h"
#include "hlort/hlort.h"
#include "threads/NamedThread.h"
#include "threads/ThreadTeam.h"
#include "transfer/Queue.h"

#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>

namespace hloc::runtime {

/// A host's custom call.
struct CustomCall {
  hlort_custom_call_function function = nullptr;
  void *user = nullptr;
};

} // namespace hloc::runtime

struct hlort_context {
  int32_t threads = 1;
  /// Set when there is more than one thread.
  std::optional<hloc::runtime::ThreadTeam> crew;

  hloc::runtime::Trace trace;
  hloc::runtime::Queues queues;

  /// Set when it has joined a communicator.
  std::unique_ptr<hloc::runtime::Participant> participant;
  hloc::runtime::Loopback loopback;

  mutable std::shared_mutex customCallsMutex;
  std::map<std::string, hloc::runtime::CustomCall, std::less<>> customCalls;

  hloc::runtime::Random random;

  /// Last, since the threads use the other members.
  hloc::runtime::NamedThreads namedThreads;
};

#endif // HLOC_RUNTIME_CONTEXT_H
