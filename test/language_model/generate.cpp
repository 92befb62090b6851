// SPDX-License-Identifier: Apache-2.0
// Generates stories with a small language model that hloc has compiled:
//
//     generate [--temperature T] [--seed N] [BEGINNING]...
//
// continues each beginning, by default an empty one. The higher T, the more often it takes a byte
// that is not the most likely; with 0 it never does. The program needs only prefill.weights and
// decode.weights next to it.
#include "decode.h"
#include "prefill.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr size_t kContext = Decode::cache_keys_view::size(1);
constexpr size_t kChunk = Prefill::text_view::size(0);

/// The byte that comes next.
class Sampler {
public:
  Sampler(float temperature, unsigned seed) : temperature(temperature), random(seed) {}

  uint8_t choose(std::span<const float> scores) {
    auto best = std::max_element(scores.begin(), scores.end());
    if (temperature <= 0)
      return static_cast<uint8_t>(best - scores.begin());
    std::vector<double> weights;
    for (float score : scores)
      weights.push_back(std::exp((score - *best) / temperature));
    std::discrete_distribution<int> byte(weights.begin(), weights.end());
    return static_cast<uint8_t>(byte(random));
  }

private:
  float temperature;
  std::mt19937 random;
};

/// The network and its cache, where all is that it has read of a text.
class Network {
public:
  Network() {
    // Both modules change one cache, in place.
    prefill.bind_cache_keys(decode.cache_keys().data(), decode.cache_keys().count());
    prefill.bind_cache_values(decode.cache_values().data(), decode.cache_values().count());
  }

  /// Reads the beginning of a text. The result: a score for each byte that may come next.
  std::span<const float> read(const std::string &text) {
    for (size_t position = 0; position < text.size(); position += kChunk) {
      size_t length = std::min(kChunk, text.size() - position);
      std::copy_n(text.begin() + position, length, prefill.text().begin());
      prefill.position()() = static_cast<int32_t>(position);
      prefill.length()() = static_cast<int32_t>(length);
      prefill.run();
    }
    return prefill.scores();
  }

  /// Reads one more byte.
  std::span<const float> read(uint8_t byte, size_t position) {
    decode.byte()() = byte;
    decode.position()() = static_cast<int32_t>(position);
    decode.run();
    return decode.scores();
  }

private:
  Prefill prefill;
  Decode decode;
};

/// How many bytes the network has read, and how long that took.
struct Pace {
  size_t bytes = 0;
  Seconds time{};

  void print(const char *what) const {
    std::fprintf(stderr, "%s: %zu bytes in %.1f ms, %.0f a second\n", what, bytes,
                 1e3 * time.count(), static_cast<double>(bytes) / std::max(time.count(), 1e-9));
  }
};

/// Prints a story while it is made. Zeros are around each.
void tell(Network &network, Sampler &sampler, const std::string &beginning, Pace &read,
          Pace &written) {
  if (beginning.size() >= kContext)
    throw std::invalid_argument("a beginning has more than " + std::to_string(kContext - 1) +
                                " bytes");
  Clock::time_point start = Clock::now();
  std::span<const float> scores = network.read('\0' + beginning);
  Clock::time_point middle = Clock::now();
  std::printf("%s", beginning.c_str());
  size_t position = beginning.size() + 1;
  for (; position < kContext; ++position) {
    uint8_t byte = sampler.choose(scores);
    if (byte == 0)
      break;
    std::putchar(byte);
    std::fflush(stdout);
    scores = network.read(byte, position);
  }
  std::putchar('\n');
  std::fflush(stdout);
  read.bytes += beginning.size() + 1;
  read.time += middle - start;
  written.bytes += position - beginning.size() - 1;
  written.time += Clock::now() - middle;
}

} // namespace

int main(int argc, char **argv) try {
  float temperature = 0.8f;
  unsigned seed = std::random_device{}();
  std::vector<std::string> beginnings;
  for (int i = 1; i < argc; ++i)
    if (!std::strcmp(argv[i], "--temperature") && i + 1 < argc)
      temperature = std::stof(argv[++i]);
    else if (!std::strcmp(argv[i], "--seed") && i + 1 < argc)
      seed = static_cast<unsigned>(std::stoul(argv[++i]));
    else
      beginnings.push_back(argv[i]);
  if (beginnings.empty())
    beginnings.push_back("");

  Network network;
  Sampler sampler(temperature, seed);
  Pace read, written;
  for (const std::string &beginning : beginnings)
    tell(network, sampler, beginning, read, written);
  read.print("read");
  written.print("written");
  return 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
