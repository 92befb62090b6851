// SPDX-License-Identifier: Apache-2.0
// Scan kernels: prefix sums along every dimension in both directions, and bodies that are not
// associative.
#include "KernelProgram.h"

using namespace hloc;

namespace {

using ScanKernel = ProgramTest;

/// The body (x, carry) -> (fold, fold) of a cumulative operation over slices of `sizes`.
std::string prefixBody(const std::string &op, llvm::ArrayRef<int64_t> sizes,
                       const std::string &element) {
  std::string t = tensorOf(sizes, element);
  return "hlo.computation @f(%x: " + t + ", %c: " + t + ") -> (" + t + ", " + t + ") {\n%s = hlo." +
         op + " %c, %x : (" + t + ", " + t + ") -> " + t + "\nhlo.return %s, %s : " + t + ", " + t +
         "\n}\n";
}

template <typename T>
void check(llvm::ArrayRef<int64_t> shape, int64_t dimension, bool reverse, bool associative,
           const std::string &op, const std::string &element, std::function<T(T, T)> fold,
           std::function<void(std::string, std::vector<const void *>, std::vector<void *>)> run) {
  std::vector<int64_t> slice(shape);
  slice.erase(slice.begin() + dimension);
  int64_t outer = 1, inner = 1, n = shape[dimension];
  for (size_t d = 0; d < shape.size(); ++d)
    if (int64_t(d) != dimension)
      (int64_t(d) < dimension ? outer : inner) *= shape[d];
  auto x = scattered<T>(outer * n * inner, 50), carry = scattered<T>(outer * inner, 9);
  std::vector<T> z(x.size()), last(carry.size()), expected(x.size()), expectedLast(carry.size());
  for (int64_t a = 0; a < outer; ++a)
    for (int64_t c = 0; c < inner; ++c) {
      T sum = carry[a * inner + c];
      for (int64_t k = 0; k < n; ++k) {
        int64_t at = (a * n + (reverse ? n - 1 - k : k)) * inner + c;
        expected[at] = sum = fold(sum, x[at]);
      }
      expectedLast[a * inner + c] = sum;
    }
  std::string t = tensorOf(shape, element), s = tensorOf(slice, element);
  run(makeKernelProgram(
          "scan", {t, s}, {t, s},
          "%r:2 = hlo.scan %x0, %x1 {dimensions = array<i64: " + std::to_string(dimension) +
              ">, num_carries = 1 : i64, is_reverse = " + (reverse ? "true" : "false") +
              ", is_associative = " + (associative ? "true" : "false") + ", to_apply = @f} : (" +
              t + ", " + s + ") -> (" + t + ", " + s + ")",
          prefixBody(op, slice, element)),
      {x.data(), carry.data()}, {z.data(), last.data()});
  for (size_t i = 0; i < z.size(); ++i)
    ASSERT_EQ(z[i], expected[i]) << t << " along " << dimension << (reverse ? " reversed" : "")
                                 << " at " << i;
  ASSERT_EQ(last, expectedLast) << t;
}

TEST_F(ScanKernel, PrefixesAlongEveryDimension) {
  for (bool reverse : {false, true})
    for (std::vector<int64_t> shape :
         {std::vector<int64_t>{1}, {7}, {16}, {1000}, {5, 33}, {3, 9, 40}, {4, 1, 3}, {131, 5}})
      for (int64_t d = 0; d < int64_t(shape.size()); ++d) {
        auto go = [&](auto text, auto in, auto out) { run(text, in, out, 2); };
        check<float>(
            shape, d, reverse, true, "add", "f32", [](float a, float b) { return a + b; }, go);
        check<int8_t>(
            shape, d, reverse, true, "maximum", "i8",
            [](int8_t a, int8_t b) { return std::max(a, b); }, go);
        check<int32_t>(
            shape, d, reverse, false, "subtract", "i32", [](int32_t a, int32_t b) { return a - b; },
            go);
      }
}

TEST_F(ScanKernel, RoundingErrorsDoNotPileUp) {
  // Step by step the last sums would be off by 4e-5 of them.
  std::vector<float> x(4096 * 5, 0.1f), carry(5, 0), z(x.size()), last(5);
  run(makeKernelProgram(
          "scan", {"tensor<4096x5xf32>", "tensor<5xf32>"}, {"tensor<4096x5xf32>", "tensor<5xf32>"},
          "%r:2 = hlo.scan %x0, %x1 {dimensions = array<i64: 0>, num_carries = 1 : i64, "
          "is_associative = true, to_apply = @f} : "
          "(tensor<4096x5xf32>, tensor<5xf32>) -> (tensor<4096x5xf32>, tensor<5xf32>)",
          prefixBody("add", {5}, "f32")),
      {x.data(), carry.data()}, {z.data(), last.data()});
  for (float sum : last)
    EXPECT_NEAR(sum, 4096 * double(0.1f), 4096 * 0.1 * 2e-6);
}

TEST_F(ScanKernel, RecurrenceOfPairs) {
  // (a1, b1) . (a2, b2) = (a1 a2, a2 b1 + b2): associative, two carries, does not commute.
  std::string t = "tensor<3xi32>", list = t + ", " + t + ", " + t + ", " + t;
  std::string body = "hlo.computation @f(%a: " + t + ", %b: " + t + ", %c: " + t + ", %d: " + t +
                     ") -> (" + list +
                     ") {\n"
                     "%m = hlo.multiply %c, %a : (" +
                     t + ", " + t + ") -> " + t + "\n%n = hlo.multiply %a, %d : (" + t + ", " + t +
                     ") -> " + t + "\n%s = hlo.add %n, %b : (" + t + ", " + t + ") -> " + t +
                     "\nhlo.return %m, %s, %m, %s : " + list + "\n}\n";
  int64_t n = 75;
  auto a = scattered<int32_t>(3 * n, 7), c = scattered<int32_t>(3 * n, 100);
  std::vector<int32_t> one(3, 1), zero(3, 0), p(3 * n), q(3 * n), lastP(3), lastQ(3);
  std::string x = tensorOf({3, n}, "i32");
  run(makeKernelProgram("scan", {x, x, t, t}, {x, x, t, t},
                        "%r:4 = hlo.scan %x0, %x1, %x2, %x3 {dimensions = array<i64: 1>, "
                        "num_carries = 2 : i64, is_associative = true, to_apply = @f} : (" +
                            x + ", " + x + ", " + t + ", " + t + ") -> (" + x + ", " + x + ", " +
                            t + ", " + t + ")",
                        body),
      {a.data(), c.data(), one.data(), zero.data()},
      {p.data(), q.data(), lastP.data(), lastQ.data()});
  for (int64_t row = 0; row < 3; ++row) {
    uint32_t m = 1, s = 0;
    for (int64_t k = 0; k < n; ++k) {
      m *= uint32_t(a[row * n + k]);
      s = uint32_t(a[row * n + k]) * s + uint32_t(c[row * n + k]);
      ASSERT_EQ(uint32_t(p[row * n + k]), m);
      ASSERT_EQ(uint32_t(q[row * n + k]), s);
    }
    ASSERT_EQ(uint32_t(lastQ[row]), s);
  }
}

TEST_F(ScanKernel, BodyWithOutputsOfItsOwn) {
  // The output is not what is carried, and the types differ.
  std::string body =
      "hlo.computation @f(%x: tensor<i32>, %c: tensor<f32>) -> (tensor<i1>, tensor<f32>) {\n"
      "%y = hlo.convert %x : (tensor<i32>) -> tensor<f32>\n%h = hlo.constant(dense<0.5> : "
      "tensor<f32>) : tensor<f32>\n"
      "%m = hlo.multiply %c, %h : (tensor<f32>, tensor<f32>) -> tensor<f32>\n%s = hlo.add %m, %y : "
      "(tensor<f32>, tensor<f32>) -> tensor<f32>\n"
      "%p = hlo.compare %s, %y {direction = #hlo.direction<GT>} : (tensor<f32>, tensor<f32>) -> "
      "tensor<i1>\n"
      "hlo.return %p, %s : tensor<i1>, tensor<f32>\n}\n";
  auto x = scattered<int32_t>(90, 40);
  float start = 8, last = 0, state = start;
  std::vector<uint8_t> z(90);
  run(makeKernelProgram("scan", {"tensor<90xi32>", "tensor<f32>"}, {"tensor<90xi1>", "tensor<f32>"},
                        "%r:2 = hlo.scan %x0, %x1 {dimensions = array<i64: 0>, num_carries = 1 : "
                        "i64, to_apply = @f} : (tensor<90xi32>, tensor<f32>) -> "
                        "(tensor<90xi1>, tensor<f32>)",
                        body),
      {x.data(), &start}, {z.data(), &last});
  for (int i = 0; i < 90; ++i) {
    state = state * 0.5f + float(x[i]);
    ASSERT_EQ(z[i], state > float(x[i]));
  }
  EXPECT_EQ(last, state);
}

} // namespace
