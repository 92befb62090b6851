// SPDX-License-Identifier: Apache-2.0
// The first k elements of long rows: order of ties, NaNs and zeros, rows in the worst order, every
// kind of type.
#include "KernelProgram.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace hloc;

namespace {

class TopkKernel : public ProgramTest {
protected:
  /// Runs topk on rows of `size` and compares with a stable sort by `before`.
  template <typename T, typename Before>
  void check(const std::vector<T> &x, int64_t size, int64_t k, const std::string &element,
             bool largest, Before before) {
    int64_t rows = x.size() / size;
    std::vector<T> values(rows * k);
    std::vector<int32_t> positions(rows * k);
    std::string in = tensorOf({rows, size}, element), out = tensorOf({rows, k}, element),
                at = tensorOf({rows, k}, "i32");
    run(makeKernelProgram("sort", {in}, {out, at},
                          "%r:2 = hlo.topk %x0 {k = " + std::to_string(k) +
                              " : i64, largest = " + (largest ? "true" : "false") + "} : (" + in +
                              ") -> (" + out + ", " + at + ")"),
        {x.data()}, {values.data(), positions.data()}, 2);
    for (int64_t row = 0; row < rows; ++row) {
      std::vector<int32_t> order(size);
      std::iota(order.begin(), order.end(), 0);
      const T *start = x.data() + row * size;
      std::stable_sort(order.begin(), order.end(),
                       [&](int32_t i, int32_t j) { return before(start[i], start[j]); });
      for (int64_t i = 0; i < k; ++i) {
        ASSERT_EQ(positions[row * k + i], order[i]) << "row " << row << ", number " << i;
        ASSERT_EQ(memcmp(&values[row * k + i], &start[order[i]], sizeof(T)), 0);
      }
    }
  }
};

TEST_F(TopkKernel, ManyTies) {
  for (int64_t k : {1, 7, 40, 200})
    check(scattered<float>(3 * 2003, 50), 2003, k, "f32", true, std::greater<float>());
}

TEST_F(TopkKernel, RowsInAnyOrder) {
  std::vector<int32_t> up(5000), down(5000), same(5000, 7);
  std::iota(up.begin(), up.end(), -2500);
  std::copy(up.rbegin(), up.rend(), down.begin());
  for (const auto &row : {up, down, same})
    for (bool largest : {true, false})
      for (int64_t k : {1, 9, 33, 150})
        check(row, 5000, k, "i32", largest,
              [&](int32_t x, int32_t y) { return largest ? x > y : x < y; });
}

TEST_F(TopkKernel, GreatestKeysOfUnsignedIntegers) {
  // All of one value that is the last in order, and the first.
  for (uint32_t value : {0u, ~0u})
    for (bool largest : {true, false})
      check(std::vector<uint32_t>(1000, value), 1000, 5, "ui32", largest,
            [&](uint32_t x, uint32_t y) { return largest ? x > y : x < y; });
  check(scattered<uint8_t>(900, 256), 900, 20, "ui8", true, std::greater<uint8_t>());
}

TEST_F(TopkKernel, TotalOrderOfFloats) {
  auto x = scattered<float>(1200, 9);
  for (size_t i = 0; i < x.size(); i += 7)
    x[i] = i % 2 ? -0.0f : NAN;
  for (size_t i = 3; i < x.size(); i += 11)
    x[i] = i % 2 ? -INFINITY : std::copysign(NAN, -1.0f);
  auto rank = [](float v) {
    int32_t bits;
    memcpy(&bits, &v, 4);
    return bits < 0 ? int64_t(INT32_MIN) - bits : int64_t(bits);
  };
  check(x, 1200, 150, "f32", true, [&](float a, float b) { return rank(a) > rank(b); });
  check(x, 1200, 150, "f32", false, [&](float a, float b) { return rank(a) < rank(b); });
}

} // namespace
