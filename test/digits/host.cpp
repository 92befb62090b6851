// SPDX-License-Identifier: Apache-2.0
// A host program for the compiled digit classifier: reads the pictures that were held out of
// training, shows a few with the network's answer, and prints accuracy and time.
//
//     host heldout.txt
//
// The exit status is 1 if fewer than 98% of the answers are correct.
#include "digits.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

namespace {

constexpr int kSide = 8;

struct Picture {
  int label;
  std::array<float, kSide * kSide> levels; // 0 (paper) to 16 (ink)
};

[[noreturn]] void fail(const char *message, const char *detail = "") {
  std::fprintf(stderr, "%s%s\n", message, detail);
  std::exit(1);
}

// A line for each picture: the digit, a space, and 64 grey levels, one of 0-9 and a-g each.
std::vector<Picture> readPictures(const char *file) {
  std::ifstream stream(file);
  if (!stream)
    fail("cannot read ", file);
  std::vector<Picture> pictures;
  for (std::string line; std::getline(stream, line);) {
    if (line.size() != 2 + kSide * kSide)
      fail("a line is not of the form 'digit pixels' in ", file);
    Picture &picture = pictures.emplace_back();
    picture.label = line[0] - '0';
    for (int i = 0; i < kSide * kSide; ++i) {
      char c = line[2 + i];
      picture.levels[i] = static_cast<float>(c <= '9' ? c - '0' : c - 'a' + 10);
    }
  }
  if (pictures.empty())
    fail("no picture in ", file);
  return pictures;
}

// What the network makes of a picture: the most probable digit and its probability.
struct Answer {
  int digit;
  float probability;
};

Answer classify(Digits &network, const Picture &picture) {
  std::copy(picture.levels.begin(), picture.levels.end(), network.image().begin());
  network.run();
  auto probabilities = network.probabilities();
  const float *best = std::max_element(probabilities.begin(), probabilities.end());
  return {static_cast<int>(best - probabilities.begin()), *best};
}

// Pictures side by side, two characters for each pixel, with a caption below each.
void show(const std::vector<const Picture *> &row, const std::vector<std::string> &captions) {
  constexpr char kShades[] = " .:-=+*#%@";
  for (int y = 0; y < kSide; ++y) {
    for (const Picture *picture : row) {
      for (int x = 0; x < kSide; ++x) {
        char shade = kShades[static_cast<int>(picture->levels[y * kSide + x] * 9 / 16)];
        std::printf("%c%c", shade, shade);
      }
      std::printf("    ");
    }
    std::printf("\n");
  }
  for (const std::string &caption : captions)
    std::printf("%-20s", caption.c_str());
  std::printf("\n\n");
}

} // namespace

int main(int argc, char **argv) try {
  if (argc != 2)
    fail("usage: host heldout.txt");
  std::vector<Picture> pictures = readPictures(argv[1]);
  Digits network;

  std::vector<const Picture *> shown;
  std::vector<std::string> captions;
  for (int i = 0; i < 4 && i < static_cast<int>(pictures.size()); ++i) {
    Answer answer = classify(network, pictures[i]);
    char caption[32];
    std::snprintf(caption, sizeof caption, "a %d, %.1f%% sure", answer.digit,
                  100.0 * answer.probability);
    shown.push_back(&pictures[i]);
    captions.push_back(caption);
  }
  show(shown, captions);

  // The median over rounds: one round is every picture once.
  constexpr int kRounds = 51;
  std::vector<double> microseconds;
  size_t right = 0;
  for (int round = 0; round < kRounds; ++round) {
    right = 0;
    auto start = std::chrono::steady_clock::now();
    for (const Picture &picture : pictures)
      right += classify(network, picture).digit == picture.label;
    std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    microseconds.push_back(took.count() / static_cast<double>(pictures.size()));
  }
  std::nth_element(microseconds.begin(), microseconds.begin() + kRounds / 2, microseconds.end());
  double accuracy = 100.0 * static_cast<double>(right) / static_cast<double>(pictures.size());
  std::printf("%zu of %zu held-out pictures right (%.2f%%), %.1f microseconds for one picture\n",
              right, pictures.size(), accuracy, microseconds[kRounds / 2]);
  return accuracy >= 98 ? 0 : 1;
} catch (const std::exception &error) {
  fail(error.what());
}
