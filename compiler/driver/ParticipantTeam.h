// SPDX-License-Identifier: Apache-2.0
// Several participants of a run in one process: a context each, joined by a communicator, and the
// threads on which they run. Test: test/tools/participants.test.

#ifndef HLOC_COMPILER_DRIVER_PARTICIPANTTEAM_H
#define HLOC_COMPILER_DRIVER_PARTICIPANTTEAM_H

#include "hlort/communicator.h"
#include "hlort/hlort.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace hloc {

class ParticipantTeam {
public:
  /// Creates `count` participants whose code runs on `threads` threads each. They are those from
  /// `first` on of `communicator`, which is taken over; null stands for a communicator of these
  /// participants only. None if that fails, after printing a message.
  static std::optional<ParticipantTeam> create(size_t count, int32_t threads,
                                               hlort_communicator *communicator = nullptr,
                                               size_t first = 0);

  size_t size() const { return contexts.size(); }
  hlort_context *getContext(size_t participant) const { return contexts[participant].get(); }

  /// Calls `body` for each participant concurrently; for the first in the caller's thread.
  void forEach(llvm::function_ref<void(size_t participant)> body) const;

private:
  struct DestroyCommunicator {
    void operator()(hlort_communicator *it) const { hlort_communicator_destroy(it); }
  };
  struct DestroyContext {
    void operator()(hlort_context *it) const { hlort_context_destroy(it); }
  };

  // Contexts leave the communicator when they are destroyed, so it is destroyed last.
  std::unique_ptr<hlort_communicator, DestroyCommunicator> communicator;
  std::vector<std::unique_ptr<hlort_context, DestroyContext>> contexts;
};

} // namespace hloc

#endif
