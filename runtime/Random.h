// SPDX-License-Identifier: Apache-2.0
// The states of a context's random number generators. Test: test/runtime/RandomTest.cpp.
#ifndef HLOC_RUNTIME_RANDOM_H
#define HLOC_RUNTIME_RANDOM_H

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace hloc::runtime {

struct Random {
  std::mutex mutex;
  uint64_t seed = 0;
  /// Low and high half of each generator's 128-bit state.
  std::map<std::string, std::pair<uint64_t, uint64_t>, std::less<>> states;
};

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_RANDOM_H
