// SPDX-License-Identifier: Apache-2.0
// Dot kernels of every strategy against sums in double, for shapes with remainders in all
// dimensions.
#include "ProgramTest.h"
#include <cmath>

using namespace hloc;

namespace {

struct Shape {
  int64_t batch, rows, columns, depth;
  bool lhsTransposed, rhsTransposed;
};

std::string dims(std::vector<int64_t> sizes, const char *element) {
  std::string text;
  for (int64_t size : sizes)
    text += std::to_string(size) + "x";
  return text + element;
}

class DotKernel : public ProgramTest, public ::testing::WithParamInterface<Shape> {
protected:
  /// The program of one dot of `shape`.
  std::string makeDot(const Shape &s, const char *lhsElement, const char *rhsElement,
                      const char *outElement) {
    auto lhsDims = s.lhsTransposed ? std::vector{s.batch, s.depth, s.rows}
                                   : std::vector{s.batch, s.rows, s.depth};
    auto rhsDims = s.rhsTransposed ? std::vector{s.batch, s.columns, s.depth}
                                   : std::vector{s.batch, s.depth, s.columns};
    std::string lhs = dims(lhsDims, lhsElement), rhs = dims(rhsDims, rhsElement),
                out = dims({s.batch, s.rows, s.columns}, outElement);
    std::string body = "%r = hlo.dot %x0, %x1 {lhs_batch_dims = array<i64: 0>, rhs_batch_dims = "
                       "array<i64: 0>, lhs_contracting_dims = array<i64: " +
                       std::string(s.lhsTransposed ? "1" : "2") +
                       ">, rhs_contracting_dims = array<i64: " + (s.rhsTransposed ? "2" : "1") +
                       ">} : (tensor<" + lhs + ">, tensor<" + rhs + ">) -> tensor<" + out + ">";
    return makeProgram("dot", {lhs, rhs}, out, body);
  }
};

template <typename T, typename X, typename Y>
void check(const std::vector<T> &got, const Shape &s, const std::vector<X> &lhs,
           const std::vector<Y> &rhs, double unit) {
  for (int64_t b = 0; b < s.batch; ++b)
    for (int64_t m = 0; m < s.rows; ++m)
      for (int64_t n = 0; n < s.columns; ++n) {
        double sum = 0, size = 0;
        for (int64_t k = 0; k < s.depth; ++k) {
          double x = lhs[s.lhsTransposed ? (b * s.depth + k) * s.rows + m
                                         : (b * s.rows + m) * s.depth + k];
          double y = rhs[s.rhsTransposed ? (b * s.columns + n) * s.depth + k
                                         : (b * s.depth + k) * s.columns + n];
          sum += x * y;
          size += std::abs(x * y);
        }
        ASSERT_NEAR(got[(b * s.rows + m) * s.columns + n], sum,
                    unit * (1 + size) * std::sqrt(1.0 + s.depth))
            << "at " << b << ", " << m << ", " << n;
      }
}

TEST_P(DotKernel, F32) {
  Shape s = GetParam();
  std::vector<float> a(s.batch * s.rows * s.depth), b(s.batch * s.depth * s.columns),
      c(s.batch * s.rows * s.columns, -1), c2(c);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = float(int64_t(i * 7919 % 1000) - 500) / 250;
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = float(int64_t(i * 104729 % 1000) - 500) / 250;
  std::string program = makeDot(s, "f32", "f32", "f32");
  run(program, {a.data(), b.data()}, {c.data()});
  check(c, s, a, b, 2e-7);
  run(program, {a.data(), b.data()}, {c2.data()}, 2);
  EXPECT_EQ(c, c2) << "two threads give other bits than one";
  TargetOptions avx2;
  avx2.cpu = "x86-64-v3";
  std::vector<float> c3(c.size());
  run(program, {a.data(), b.data()}, {c3.data()}, 1, avx2);
  check(c3, s, a, b, 2e-7);
}

/// Integers whose products are summed in pairs or fours, extremes among them.
TEST_P(DotKernel, IntegerGroups) {
  Shape s = GetParam();
  std::vector<int8_t> a(s.batch * s.rows * s.depth);
  std::vector<uint8_t> b(s.batch * s.depth * s.columns);
  std::vector<int8_t> e(b.size());
  std::vector<uint8_t> f(a.size());
  std::vector<int16_t> c(a.begin(), a.end()), d(b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = int8_t(i % 5 == 0 ? -128 : i * 7919 % 256);
    c[i] = int16_t(i % 2 == 0 ? -32768 : i * 7919);
    f[i] = uint8_t(i % 3 == 0 ? 255 : i * 7919 % 256);
  }
  for (size_t i = 0; i < b.size(); ++i) {
    b[i] = uint8_t(i % 5 == 0 ? 255 : i * 104729 % 256);
    d[i] = int16_t(i % 100);
    e[i] = int8_t(i % 2 == 0 ? -128 : i * 104729 % 256);
  }
  for (const char *cpu : {"native", "x86-64-v3", "x86-64"}) {
    TargetOptions target;
    target.cpu = cpu;
    std::vector<int32_t> sums(s.batch * s.rows * s.columns, -1);
    run(makeDot(s, "i8", "ui8", "i32"), {a.data(), b.data()}, {sums.data()}, 1, target);
    check(sums, s, a, b, 0);
    run(makeDot(s, "i8", "i8", "i32"), {a.data(), e.data()}, {sums.data()}, 1, target);
    check(sums, s, a, e, 0);
    run(makeDot(s, "ui8", "i8", "i32"), {f.data(), e.data()}, {sums.data()}, 1, target);
    check(sums, s, f, e, 0);
    run(makeDot(s, "i16", "i16", "i32"), {c.data(), d.data()}, {sums.data()}, 1, target);
    check(sums, s, c, d, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, DotKernel,
    ::testing::Values(Shape{1, 1, 1, 1, false, false}, Shape{1, 7, 5, 3, false, false},
                      Shape{2, 13, 33, 17, false, false}, Shape{1, 64, 64, 64, false, false},
                      Shape{1, 100, 300, 530, false, false}, Shape{1, 200, 70, 300, false, true},
                      Shape{1, 50, 47, 65, true, true}, Shape{3, 20, 31, 40, true, false},
                      Shape{1, 1, 300, 100, false, false}, Shape{1, 1, 37, 301, false, true},
                      Shape{1, 129, 1, 77, false, false}, Shape{1, 129, 1, 77, true, false},
                      Shape{1, 4, 40, 257, false, true}, Shape{1, 5, 19, 9, false, false},
                      Shape{1, 12, 16, 0, false, false}, Shape{2, 50, 3, 130, false, false},
                      Shape{1, 37, 4, 200, false, true}, Shape{1, 70, 2, 65, true, false}));

} // namespace
