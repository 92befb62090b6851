// SPDX-License-Identifier: Apache-2.0
// Sort kernels against std::stable_sort.
#include "KernelProgram.h"
#include <bit>
#include <chrono>
#include <cmath>
#include <numeric>

using namespace hloc;

namespace {

using SortKernel = ProgramTest;

const std::string kBool = "tensor<i1>";

std::string sortOf(const std::vector<std::string> &types, int64_t dimension) {
  std::vector<std::string> names;
  for (size_t i = 0; i < types.size(); ++i)
    names.push_back("%x" + std::to_string(i));
  std::string n = types.size() == 1 ? "" : ":" + std::to_string(types.size());
  return "%r" + n + " = hlo.sort " + joined(names) + " {dimension = " + std::to_string(dimension) +
         " : i64, is_stable = true, to_apply = @f} : (" + joined(types) + ") -> " +
         (types.size() == 1 ? types[0] : "(" + joined(types) + ")");
}

std::string compareOf(const std::string &x, const std::string &y, const std::string &direction,
                      const std::string &element, bool total = false) {
  std::string t = "tensor<" + element + ">";
  return "%c = hlo.compare %" + x + ", %" + y + " {direction = #hlo.direction<" + direction + ">" +
         (total ? ", type = #hlo.comparison<TOTALORDER>" : "") + "} : (" + t + ", " + t +
         ") -> tensor<i1>\n";
}

/// @f over pairs of `elements`; `body` sets %c from %a0, %b0, %a1, ...
std::string comparator(const std::vector<std::string> &elements, const std::string &body) {
  std::string text = "hlo.computation @f(";
  for (size_t i = 0; i < elements.size(); ++i) {
    std::string n = std::to_string(i), t = "tensor<" + elements[i] + ">";
    text += (i ? ", %a" : "%a") + n + ": " + t + ", %b" + n + ": " + t;
  }
  return text + ") -> tensor<i1> {\n" + body + "hlo.return %c : tensor<i1>\n}\n";
}

/// NaNs alike, zeros alike, then total order: what array libraries sort by.
std::string canonical() {
  std::string t = "tensor<f32>",
              text = "%nan = hlo.constant(dense<0x7FC00000> : tensor<f32>) : tensor<f32>\n"
                     "%zero = hlo.constant(dense<0.0> : tensor<f32>) : tensor<f32>\n";
  for (std::string x : {"a0", "b0"})
    text += "%n" + x + " = hlo.compare %" + x + ", %" + x +
            " {direction = #hlo.direction<NE>} : (" + t + ", " + t + ") -> tensor<i1>\n" + "%e" +
            x + " = hlo.compare %" + x + ", %zero {direction = #hlo.direction<EQ>} : (" + t + ", " +
            t + ") -> tensor<i1>\n" + "%s" + x + " = hlo.select %e" + x + ", %zero, %" + x +
            " : (tensor<i1>, " + t + ", " + t + ") -> " + t + "\n" + "%k" + x + " = hlo.select %n" +
            x + ", %nan, %s" + x + " : (tensor<i1>, " + t + ", " + t + ") -> " + t + "\n";
  return text + compareOf("ka0", "kb0", "LT", "f32", true);
}

std::vector<float> specials(size_t count) {
  auto x = scattered<float>(count, 2001);
  for (size_t i = 0; i < count; ++i) {
    x[i] /= i % 3 ? 7 : 1e20f;
    if (i % 11 == 0)
      x[i] = i % 2 ? 0.0f : -0.0f;
    if (i % 13 == 5)
      x[i] = std::bit_cast<float>(i % 2 ? 0x7fc00000u + uint32_t(i) : 0xffc00000u + uint32_t(i));
    if (i % 17 == 3)
      x[i] = i % 2 ? INFINITY : -INFINITY;
  }
  return x;
}

std::vector<uint32_t> bitsOf(const std::vector<float> &x) {
  std::vector<uint32_t> bits(x.size());
  memcpy(bits.data(), x.data(), 4 * x.size());
  return bits;
}

TEST_F(SortKernel, FloatsWithNansAndZerosAlike) {
  for (int64_t n : {1, 2, 7, 8, 9, 100, 383, 384, 5000}) {
    auto x = specials(n);
    std::vector<float> z(n), expected(x);
    std::stable_sort(expected.begin(), expected.end(),
                     [](float a, float b) { return std::isnan(b) ? !std::isnan(a) : a < b; });
    std::string t = tensorOf({n}, "f32");
    run(makeKernelProgram("sort", {t}, {t}, sortOf({t}, 0), comparator({"f32"}, canonical())),
        {x.data()}, {z.data()});
    ASSERT_EQ(bitsOf(z), bitsOf(expected)) << n;
  }
}

TEST_F(SortKernel, TotalOrderDescendingWithPositions) {
  for (int64_t n : {1, 5, 130, 3000}) {
    auto x = specials(3 * n);
    std::vector<float> z(3 * n);
    std::vector<int32_t> p(3 * n), q(3 * n), order(3 * n);
    auto rank = [&](int32_t i) {
      int32_t bits = std::bit_cast<int32_t>(x[i]);
      return bits ^ (bits >> 31 & 0x7fffffff);
    };
    for (int64_t row = 0; row < 3; ++row) {
      std::iota(&p[row * n], &p[row * n] + n, 0);
      std::iota(&order[row * n], &order[row * n] + n, row * n);
      std::stable_sort(&order[row * n], &order[row * n] + n,
                       [&](int32_t a, int32_t b) { return rank(a) > rank(b); });
    }
    std::string t = tensorOf({3, n}, "f32"), u = tensorOf({3, n}, "i32");
    run(makeKernelProgram("sort", {t, u}, {t, u}, sortOf({t, u}, 1),
                          comparator({"f32", "i32"}, compareOf("a0", "b0", "GT", "f32", true))),
        {x.data(), p.data()}, {z.data(), q.data()}, 2);
    for (int64_t i = 0; i < 3 * n; ++i) {
      ASSERT_EQ(q[i], order[i] - i / n * n) << n << " at " << i;
      ASSERT_EQ(std::bit_cast<int32_t>(z[i]), std::bit_cast<int32_t>(x[order[i]]));
    }
  }
}

TEST_F(SortKernel, ColumnsOfShorts) {
  for (int64_t n : {40, 700}) {
    auto x = scattered<int16_t>(n * 37, 60000);
    std::vector<int16_t> z(x.size());
    std::string t = tensorOf({n, 37}, "i16");
    run(makeKernelProgram("sort", {t}, {t}, sortOf({t}, 0),
                          comparator({"i16"}, compareOf("a0", "b0", "LT", "i16"))),
        {x.data()}, {z.data()}, 2);
    for (int64_t j = 0; j < 37; ++j) {
      std::vector<int16_t> column;
      for (int64_t i = 0; i < n; ++i)
        column.push_back(x[i * 37 + j]);
      std::sort(column.begin(), column.end());
      for (int64_t i = 0; i < n; ++i)
        ASSERT_EQ(z[i * 37 + j], column[i]) << i << ", " << j;
    }
  }
}

TEST_F(SortKernel, ManyShortRows) {
  for (int64_t n : {2, 3, 16, 77, 600}) {
    auto x = specials(19 * n);
    std::vector<float> z(x.size()), expected(x);
    for (int64_t row = 0; row < 19; ++row)
      std::stable_sort(&expected[row * n], &expected[row * n] + n,
                       [](float a, float b) { return std::isnan(b) ? !std::isnan(a) : a < b; });
    std::string t = tensorOf({19, n}, "f32");
    run(makeKernelProgram("sort", {t}, {t}, sortOf({t}, 1), comparator({"f32"}, canonical())),
        {x.data()}, {z.data()}, 2);
    ASSERT_EQ(bitsOf(z), bitsOf(expected)) << n;
  }
}

TEST_F(SortKernel, BytesAndUnsignedAndDoubles) {
  int64_t n = 777;
  std::vector<uint32_t> x(n), z(n);
  std::vector<uint8_t> p(n), q(n);
  std::vector<double> f(n), g(n);
  for (int64_t i = 0; i < n; ++i) {
    x[i] = uint32_t(i) * 2654435761u;
    p[i] = i * 37 % 2;
    f[i] = std::sin(double(i * i));
  }
  std::string t = tensorOf({n}, "ui32"), u = tensorOf({n}, "i1"), d = tensorOf({n}, "f64");
  run(makeKernelProgram("sort", {t}, {t}, sortOf({t}, 0),
                        comparator({"ui32"}, compareOf("b0", "a0", "LT", "ui32"))),
      {x.data()}, {z.data()});
  std::sort(x.rbegin(), x.rend());
  EXPECT_EQ(z, x);
  run(makeKernelProgram("sort", {u}, {u}, sortOf({u}, 0),
                        comparator({"i1"}, compareOf("a0", "b0", "LT", "i1"))),
      {p.data()}, {q.data()});
  std::sort(p.begin(), p.end());
  EXPECT_EQ(q, p);
  run(makeKernelProgram("sort", {d}, {d}, sortOf({d}, 0),
                        comparator({"f64"}, compareOf("a0", "b0", "LT", "f64"))),
      {f.data()}, {g.data()});
  std::sort(f.begin(), f.end());
  EXPECT_EQ(g, f);
}

TEST_F(SortKernel, ByTwoKeys) {
  for (int64_t n : {3, 60, 2500}) {
    auto x = scattered<int32_t>(n, 20);
    auto y = scattered<int16_t>(n, 30);
    std::vector<int32_t> z(n), order(n);
    std::vector<int16_t> w(n);
    std::vector<uint8_t> p(n), q(n);
    for (int64_t i = 0; i < n; ++i)
      p[i] = i % 3 == 0;
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      return x[a] != x[b] ? x[a] < x[b] : y[a] > y[b];
    });
    std::string less = "%l = hlo.compare %a0, %b0 {direction = #hlo.direction<LT>} : (tensor<i32>, "
                       "tensor<i32>) -> tensor<i1>\n"
                       "%e = hlo.compare %a0, %b0 {direction = #hlo.direction<EQ>} : (tensor<i32>, "
                       "tensor<i32>) -> tensor<i1>\n"
                       "%g = hlo.compare %a1, %b1 {direction = #hlo.direction<GT>} : (tensor<i16>, "
                       "tensor<i16>) -> tensor<i1>\n"
                       "%h = hlo.and %e, %g : (tensor<i1>, tensor<i1>) -> tensor<i1>\n%c = hlo.or "
                       "%l, %h : (tensor<i1>, tensor<i1>) -> tensor<i1>\n";
    std::string t = tensorOf({n}, "i32"), u = tensorOf({n}, "i16"), v = tensorOf({n}, "i1");
    run(makeKernelProgram("sort", {t, u, v}, {t, u, v}, sortOf({t, u, v}, 0),
                          comparator({"i32", "i16", "i1"}, less)),
        {x.data(), y.data(), p.data()}, {z.data(), w.data(), q.data()});
    for (int64_t i = 0; i < n; ++i) {
      ASSERT_EQ(z[i], x[order[i]]) << n << " at " << i;
      ASSERT_EQ(w[i], y[order[i]]);
      ASSERT_EQ(q[i], p[order[i]]);
    }
  }
}

TEST_F(SortKernel, ByASumOfOperands) {
  // No key can be told from this comparator: the elements are merged.
  std::string less = "%s = hlo.add %a0, %a1 : (tensor<i32>, tensor<i32>) -> tensor<i32>\n"
                     "%t = hlo.add %b0, %b1 : (tensor<i32>, tensor<i32>) -> tensor<i32>\n"
                     "%c = hlo.compare %s, %t {direction = #hlo.direction<LT>} : (tensor<i32>, "
                     "tensor<i32>) -> tensor<i1>\n";
  for (int64_t n : {1, 8, 9, 100, 1000}) {
    auto x = scattered<int32_t>(2 * n, 40), y = scattered<int32_t>(2 * n, 300);
    auto c = scattered<float>(4 * n);
    std::vector<int32_t> z(2 * n), w(2 * n), order(2 * n);
    std::vector<float> d(4 * n);
    for (int64_t row = 0; row < 2; ++row) {
      std::iota(&order[row * n], &order[row * n] + n, row * n);
      std::stable_sort(&order[row * n], &order[row * n] + n,
                       [&](int32_t a, int32_t b) { return x[a] + y[a] < x[b] + y[b]; });
    }
    std::string t = tensorOf({2, n}, "i32"), u = tensorOf({2, n}, "complex<f32>");
    run(makeKernelProgram("sort", {t, t, u}, {t, t, u}, sortOf({t, t, u}, 1),
                          comparator({"i32", "i32", "complex<f32>"}, less)),
        {x.data(), y.data(), c.data()}, {z.data(), w.data(), d.data()});
    for (int64_t i = 0; i < 2 * n; ++i) {
      ASSERT_EQ(z[i], x[order[i]]) << n << " at " << i;
      ASSERT_EQ(w[i], y[order[i]]);
      ASSERT_EQ(d[2 * i + 1], c[2 * order[i] + 1]);
    }
  }
}

TEST_F(SortKernel, RowsOnSmallerVectors) {
  TargetOptions avx2;
  avx2.cpu = "x86-64-v3";
  for (int64_t n : {5, 300, 3000}) {
    auto x = specials(10 * n);
    std::vector<float> z(x.size()), expected(x);
    for (int64_t row = 0; row < 10; ++row)
      std::stable_sort(&expected[row * n], &expected[row * n] + n,
                       [](float a, float b) { return std::isnan(b) ? !std::isnan(a) : a < b; });
    std::string t = tensorOf({10, n}, "f32");
    run(makeKernelProgram("sort", {t}, {t}, sortOf({t}, 1), comparator({"f32"}, canonical())),
        {x.data()}, {z.data()}, 1, avx2);
    ASSERT_EQ(bitsOf(z), bitsOf(expected)) << n;
  }
}

/// Numbers in an order that divisions by a sample of it may or may not like.
template <typename T> std::vector<T> inPattern(int pattern, int64_t n) {
  std::vector<T> x(n);
  uint64_t state = 88172645463325252u;
  for (int64_t i = 0; i < n; ++i) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    switch (pattern) {
    case 0: // anything
      x[i] = T(int64_t(state));
      break;
    case 1: // rising
      x[i] = T(i - n / 2);
      break;
    case 2: // falling
      x[i] = T(n / 2 - i);
      break;
    case 3: // all equal
      x[i] = T(7);
      break;
    case 4: // two numbers
      x[i] = T(state % 2);
      break;
    case 5: // rising, then falling
      x[i] = T(std::min(i, n - i));
      break;
    case 6: // nearly all at the least, the others far away
      x[i] = state % 64 ? std::numeric_limits<T>::lowest() : T(int64_t(state >> 8));
      break;
    default: // nearly all at the greatest
      x[i] = state % 64 ? std::numeric_limits<T>::max() : T(state % 1000);
    }
  }
  return x;
}

constexpr int kPatterns = 8;

TargetOptions forCpu(const char *cpu) {
  TargetOptions options;
  options.cpu = cpu;
  return options;
}

class SortVectors : public ProgramTest, public testing::WithParamInterface<const char *> {
protected:
  void SetUp() override {
    ProgramTest::SetUp();
    Target host = llvm::cantFail(makeTarget({})),
           target = llvm::cantFail(makeTarget(forCpu(GetParam())));
    if (host.vectorBytes < target.vectorBytes)
      GTEST_SKIP() << "this machine has no such vectors";
  }

  /// A row of each pattern.
  template <typename T> void check(const std::string &element) {
    for (int64_t n : {1, 33, 128, 129, 700, 20011}) {
      std::vector<T> x, z(kPatterns * n);
      for (int pattern = 0; pattern < kPatterns; ++pattern) {
        auto row = inPattern<T>(pattern, n);
        x.insert(x.end(), row.begin(), row.end());
      }
      bool descending = n % 2;
      std::string t = tensorOf({kPatterns, n}, element),
                  less = compareOf("a0", "b0", descending ? "GT" : "LT", element);
      run(makeKernelProgram("sort", {t}, {t}, sortOf({t}, 1), comparator({element}, less)),
          {x.data()}, {z.data()}, 1, forCpu(GetParam()));
      for (int pattern = 0; pattern < kPatterns; ++pattern) {
        std::vector<T> row(&x[pattern * n], &x[pattern * n] + n);
        std::sort(row.begin(), row.end());
        if (descending)
          std::reverse(row.begin(), row.end());
        ASSERT_TRUE(std::equal(row.begin(), row.end(), &z[pattern * n]))
            << n << " in pattern " << pattern;
      }
    }
  }
};

TEST_P(SortVectors, Floats) { check<float>("f32"); }
TEST_P(SortVectors, Doubles) { check<double>("f64"); }
TEST_P(SortVectors, Integers) { check<int32_t>("i32"); }
TEST_P(SortVectors, LongIntegers) { check<int64_t>("i64"); }
TEST_P(SortVectors, UnsignedLongIntegers) { check<uint64_t>("ui64"); }
TEST_P(SortVectors, UnsignedBytes) { check<uint8_t>("ui8"); }

TEST_P(SortVectors, PositionsOfEqualsStayInOrder) {
  for (int64_t n : {9, 300, 9000}) {
    std::vector<int32_t> x, p(kPatterns * n), z(p), q(p), order(p);
    for (int pattern = 0; pattern < kPatterns; ++pattern) {
      auto row = inPattern<int32_t>(pattern, n);
      x.insert(x.end(), row.begin(), row.end());
      auto begin = &order[pattern * n], end = begin + n;
      std::iota(begin, end, 0);
      std::iota(&p[pattern * n], &p[pattern * n] + n, 0);
      std::stable_sort(begin, end, [&](int a, int b) { return row[a] < row[b]; });
    }
    std::string t = tensorOf({kPatterns, n}, "i32");
    run(makeKernelProgram("sort", {t, t}, {t, t}, sortOf({t, t}, 1),
                          comparator({"i32", "i32"}, compareOf("a0", "b0", "LT", "i32"))),
        {x.data(), p.data()}, {z.data(), q.data()}, 1, forCpu(GetParam()));
    ASSERT_EQ(q, order) << n;
  }
}

TEST_P(SortVectors, DoublesWithNansAndZerosAlike) {
  int64_t n = 3000;
  std::vector<double> x(n), z(n);
  for (int64_t i = 0; i < n; ++i) {
    x[i] = i % 5 ? std::sin(double(i)) : i % 2 ? 0.0 : -0.0;
    if (i % 13 == 5)
      x[i] =
          std::bit_cast<double>((i % 2 ? 0x7ff8000000000000u : 0xfff8000000000000u) + uint64_t(i));
  }
  std::string t = tensorOf({n}, "f64");
  run(makeKernelProgram("sort", {t}, {t}, sortOf({t}, 0),
                        comparator({"f64"}, compareOf("b0", "a0", "LT", "f64"))),
      {x.data()}, {z.data()}, 1, forCpu(GetParam()));
  // NaNs are at the upper end, so in front.
  std::stable_sort(x.begin(), x.end(),
                   [](double a, double b) { return std::isnan(a) ? !std::isnan(b) : a > b; });
  EXPECT_EQ(memcmp(z.data(), x.data(), n * sizeof(double)), 0);
}

/// Numbers of which the elements that divisions look at are always nearly the least.
std::vector<int32_t> againstSamples(int64_t n, int64_t lanes) {
  constexpr int kDivisions = 60;
  std::vector<int32_t> x(n, 0), rest(n);
  std::iota(rest.begin(), rest.end(), 0);
  int32_t next = 1;
  for (int i = 0; i < kDivisions; ++i) {
    int64_t step = int64_t(rest.size()) / lanes;
    std::vector<int32_t> sample;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int32_t &number = x[rest[step / 2 + lane * step]];
      number = number ? number : next++;
      sample.push_back(number);
    }
    std::sort(sample.begin(), sample.end());
    std::erase_if(rest, [&](int32_t at) { return x[at] && x[at] < sample[lanes / 2]; });
  }
  for (int32_t at : rest)
    x[at] = x[at] ? x[at] : next + at * 77 % 1000;
  return x;
}

TEST_P(SortVectors, SamplesThatMislead) {
  int64_t n = 20011;
  Target target = llvm::cantFail(makeTarget(forCpu(GetParam())));
  std::vector<int32_t> x = againstSamples(n, target.getLanes(32)), z(n);
  std::string t = tensorOf({n}, "i32");
  run(makeKernelProgram("sort", {t}, {t}, sortOf({t}, 0),
                        comparator({"i32"}, compareOf("a0", "b0", "LT", "i32"))),
      {x.data()}, {z.data()}, 1, forCpu(GetParam()));
  std::sort(x.begin(), x.end());
  EXPECT_TRUE(z == x);
}

INSTANTIATE_TEST_SUITE_P(Cpus, SortVectors, testing::Values("x86-64-v3", "x86-64-v4"),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

} // namespace
