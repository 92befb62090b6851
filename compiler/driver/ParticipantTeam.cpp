// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/ParticipantTeam.h"
#include "llvm/Support/raw_ostream.h"
#include <thread>

namespace hloc {

std::optional<ParticipantTeam> ParticipantTeam::create(size_t count, int32_t threads,
                                                       hlort_communicator *communicator,
                                                       size_t first) {
  ParticipantTeam team;
  team.communicator.reset(communicator);
  hlort_status status = {};
  auto fail = [&]() -> std::optional<ParticipantTeam> {
    llvm::errs() << "error: " << status.message << '\n';
    return std::nullopt;
  };
  if (count > 1 && !communicator) {
    team.communicator.reset(hlort_in_process_create(int32_t(count), &status));
    if (!team.communicator)
      return fail();
  }
  hlort_context_options options = {threads, 0};
  for (size_t i = 0; i < count; ++i) {
    hlort_context *context = hlort_context_create(&options, &status);
    if (!context)
      return fail();
    team.contexts.emplace_back(context);
    if (team.communicator && hlort_context_join(context, team.communicator.get(),
                                                int32_t(first + i), nullptr, &status) != HLORT_OK)
      return fail();
  }
  return team;
}

void ParticipantTeam::forEach(llvm::function_ref<void(size_t)> body) const {
  std::vector<std::thread> others;
  for (size_t i = 1; i < size(); ++i)
    others.emplace_back([body, i] { body(i); });
  body(0);
  for (std::thread &other : others)
    other.join();
}

} // namespace hloc
