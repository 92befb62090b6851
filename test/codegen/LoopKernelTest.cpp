// SPDX-License-Identifier: Apache-2.0
// Loop and reduce kernels: data movement at every alignment, types in memory, row-wise stages.
#include "ProgramTest.h"
#include <cmath>
#include <numeric>

using namespace hloc;

namespace {

using LoopKernel = ProgramTest;

std::vector<float> counting(size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

TEST_F(LoopKernel, AddsOddSizes) {
  for (int64_t size : {1, 3, 7, 16, 33, 1000, 10007}) {
    std::string t = std::to_string(size) + "xf32";
    auto x = counting(size), y = counting(size), z = std::vector<float>(size);
    run(makeProgram("loop", {t, t}, t,
                    "%r = hlo.add %x0, %x1 : (tensor<" + t + ">, tensor<" + t + ">) -> tensor<" +
                        t + ">"),
        {x.data(), y.data()}, {z.data()}, 2);
    for (int64_t i = 0; i < size; ++i)
      ASSERT_EQ(z[i], 2 * x[i]);
  }
}

TEST_F(LoopKernel, TransposesAndReverses) {
  auto x = counting(6 * 35);
  std::vector<float> z(x.size());
  run(makeProgram("loop", {"6x35xf32"}, "35x6xf32",
                  "%t = hlo.transpose %x0 {dimensions = array<i64: 1, 0>} : (tensor<6x35xf32>) -> "
                  "tensor<35x6xf32>\n"
                  "%r = hlo.reverse %t {dimensions = array<i64: 0>} : (tensor<35x6xf32>) -> "
                  "tensor<35x6xf32>"),
      {x.data()}, {z.data()});
  for (int i = 0; i < 35; ++i)
    for (int j = 0; j < 6; ++j)
      ASSERT_EQ(z[i * 6 + j], x[j * 35 + 34 - i]);
}

TEST_F(LoopKernel, PadsBetweenAndAround) {
  auto x = counting(3 * 40);
  float padding = -5;
  std::vector<float> z(6 * 83);
  run(makeProgram("loop", {"3x40xf32", "f32"}, "6x83xf32",
                  "%r = hlo.pad %x0, %x1 {low = array<i64: 2, 1>, high = array<i64: 1, 3>, "
                  "interior = array<i64: 0, 1>} : "
                  "(tensor<3x40xf32>, tensor<f32>) -> tensor<6x83xf32>"),
      {x.data(), &padding}, {z.data()});
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 83; ++j) {
      int a = i - 2, b = j - 1;
      bool inside = a >= 0 && a < 3 && b >= 0 && b < 79 && b % 2 == 0;
      ASSERT_EQ(z[i * 83 + j], inside ? x[a * 40 + b / 2] : padding) << i << ", " << j;
    }
}

TEST_F(LoopKernel, ConcatenatesAlongBothDimensions) {
  auto x = counting(4 * 19), y = counting(4 * 30);
  std::vector<float> z(4 * 49);
  run(makeProgram("loop", {"4x19xf32", "4x30xf32"}, "4x49xf32",
                  "%n = hlo.negate %x1 : (tensor<4x30xf32>) -> tensor<4x30xf32>\n"
                  "%r = hlo.concatenate %x0, %n {dimension = 1 : i64} : (tensor<4x19xf32>, "
                  "tensor<4x30xf32>) -> tensor<4x49xf32>"),
      {x.data(), y.data()}, {z.data()});
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 49; ++j)
      ASSERT_EQ(z[i * 49 + j], j < 19 ? x[i * 19 + j] : -y[i * 30 + j - 19]);
}

TEST_F(LoopKernel, FewElementsInTheMinorDimension) {
  // x + row value + column value, for every number of rows and of the few.
  for (int64_t few : {2, 3, 4})
    for (int64_t rows : {16, 33, 80}) {
      auto x = counting(2 * rows * few), y = counting(2 * rows), w = counting(few);
      std::vector<float> z(x.size());
      std::string r = std::to_string(rows), f = std::to_string(few),
                  t = "2x" + r + "x" + f + "xf32";
      run(makeProgram("loop", {t, "2x" + r + "xf32", f + "xf32"}, t,
                      "%a = hlo.broadcast %x1 {dimensions = array<i64: 0, 1>} : (tensor<2x" + r +
                          "xf32>) -> tensor<" + t +
                          ">\n"
                          "%b = hlo.broadcast %x2 {dimensions = array<i64: 2>} : (tensor<" +
                          f + "xf32>) -> tensor<" + t +
                          ">\n"
                          "%m = hlo.multiply %a, %b : (tensor<" +
                          t + ">, tensor<" + t + ">) -> tensor<" + t +
                          ">\n"
                          "%r = hlo.add %x0, %m : (tensor<" +
                          t + ">, tensor<" + t + ">) -> tensor<" + t + ">"),
          {x.data(), y.data(), w.data()}, {z.data()}, 2);
      for (int64_t i = 0; i < 2 * rows; ++i)
        for (int64_t j = 0; j < few; ++j)
          ASSERT_EQ(z[i * few + j], x[i * few + j] + y[i] * w[j]) << rows << "x" << few;
    }
}

TEST_F(LoopKernel, ReshapesAcrossRows) {
  auto x = counting(6 * 10 * 7);
  std::vector<float> z(x.size());
  run(makeProgram("loop", {"6x10x7xf32"}, "15x28xf32",
                  "%s = hlo.sine %x0 : (tensor<6x10x7xf32>) -> tensor<6x10x7xf32>\n"
                  "%r = hlo.reshape %s : (tensor<6x10x7xf32>) -> tensor<15x28xf32>"),
      {x.data()}, {z.data()});
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_NEAR(z[i], std::sin(x[i]), 1e-6);
}

TEST_F(LoopKernel, PacksSmallIntegers) {
  std::vector<uint8_t> x(17), z(17);
  for (int i = 0; i < 17; ++i)
    x[i] = i * 37;
  run(makeProgram("loop", {"33xi4"}, "33xi4",
                  "%r = hlo.negate %x0 : (tensor<33xi4>) -> tensor<33xi4>"),
      {x.data()}, {z.data()});
  for (int i = 0; i < 33; ++i)
    ASSERT_EQ((z[i / 2] >> (i % 2 * 4)) & 15, -(x[i / 2] >> (i % 2 * 4)) & 15) << i;
}

TEST_F(LoopKernel, ComplexAndPred) {
  std::vector<float> x(2 * 21);
  std::iota(x.begin(), x.end(), -20.0f);
  std::vector<uint8_t> z(21);
  run(makeProgram("loop", {"21xcomplex<f32>"}, "21xi1",
                  "%i = hlo.imag %x0 : (tensor<21xcomplex<f32>>) -> tensor<21xf32>\n"
                  "%e = hlo.real %x0 : (tensor<21xcomplex<f32>>) -> tensor<21xf32>\n"
                  "%p = hlo.multiply %i, %e : (tensor<21xf32>, tensor<21xf32>) -> tensor<21xf32>\n"
                  "%c = hlo.constant(dense<30.0> : tensor<21xf32>) : tensor<21xf32>\n"
                  "%r = hlo.compare %p, %c {direction = #hlo.direction<GT>} : (tensor<21xf32>, "
                  "tensor<21xf32>) -> tensor<21xi1>"),
      {x.data()}, {z.data()});
  for (int i = 0; i < 21; ++i)
    ASSERT_EQ(z[i], x[2 * i] * x[2 * i + 1] > 30);
}

const char *kAdd = "hlo.computation @add(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {\n"
                   "%s = hlo.add %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>\nhlo.return %s "
                   ": tensor<f32>\n}\n";
const char *kMax = "hlo.computation @max(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {\n"
                   "%s = hlo.maximum %a, %b : (tensor<f32>, tensor<f32>) -> "
                   "tensor<f32>\nhlo.return %s : tensor<f32>\n}\n";

/// Sums of many positive numbers are right to a few bits, whichever dimensions they go over: an
/// addition at a time would be off by hundreds of units in the last place.
TEST_F(LoopKernel, LongSums) {
  struct Case {
    std::string in, out, dims;
    int64_t outer, kept, inner; // in = outer x kept x inner, the sum over the first and the last
  };
  for (const Case &c : {Case{"1000000xf32", "f32", "0", 1, 1, 1000000},
                        Case{"200000x5xf32", "5xf32", "0", 200000, 5, 1},
                        Case{"40x3x70x90xf32", "3xf32", "0, 2, 3", 40, 3, 6300},
                        Case{"300x700x3xf32", "3xf32", "0, 1", 210000, 3, 1},
                        Case{"50000x3x4xf32", "3xf32", "0, 2", 50000, 3, 4}}) {
    std::vector<float> x(c.outer * c.kept * c.inner), z(c.kept);
    std::vector<double> exact(c.kept);
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] = float(i * 7919 % 1000003) / 1000003;
      exact[i / c.inner % c.kept] += x[i];
    }
    float zero = 0;
    std::string program = makeProgram(
        "reduce", {c.in, "f32"}, c.out,
        "%r = hlo.reduce %x0, %x1 {dimensions = array<i64: " + c.dims +
            ">, to_apply = @add} : (tensor<" + c.in + ">, tensor<f32>) -> tensor<" + c.out + ">",
        kAdd);
    run(program, {x.data(), &zero}, {z.data()});
    for (int64_t k = 0; k < c.kept; ++k)
      EXPECT_NEAR(z[k] / exact[k], 1, 4e-7) << c.in << " over " << c.dims;
    x[x.size() / 2] = INFINITY;
    run(program, {x.data(), &zero}, {z.data()});
    EXPECT_EQ(z[x.size() / 2 / c.inner % c.kept], INFINITY) << c.in;
  }
}

TEST_F(LoopKernel, SoftmaxOfRows) {
  for (int64_t width : {1, 5, 16, 77, 1000}) {
    int64_t rows = 9;
    std::string s = "9x" + std::to_string(width) + "xf32";
    std::string body =
        "%i = hlo.constant(dense<0xFF800000> : tensor<f32>) : tensor<f32>\n%o = "
        "hlo.constant(dense<0.0> : tensor<f32>) : tensor<f32>\n"
        "%m = hlo.reduce %x0, %i {dimensions = array<i64: 1>, to_apply = @max} : (tensor<" +
        s +
        ">, tensor<f32>) -> tensor<9xf32>\n"
        "%bm = hlo.broadcast %m {dimensions = array<i64: 0>} : (tensor<9xf32>) -> tensor<" +
        s +
        ">\n"
        "%d = hlo.subtract %x0, %bm : (tensor<" +
        s + ">, tensor<" + s + ">) -> tensor<" + s +
        ">\n"
        "%e = hlo.exponential %d : (tensor<" +
        s + ">) -> tensor<" + s +
        ">\n"
        "%t = hlo.reduce %e, %o {dimensions = array<i64: 1>, to_apply = @add} : (tensor<" +
        s +
        ">, tensor<f32>) -> tensor<9xf32>\n"
        "%bt = hlo.broadcast %t {dimensions = array<i64: 0>} : (tensor<9xf32>) -> tensor<" +
        s +
        ">\n"
        "%r = hlo.divide %e, %bt : (tensor<" +
        s + ">, tensor<" + s + ">) -> tensor<" + s + ">";
    std::vector<float> x(rows * width), z(rows * width);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = float(i * 7919 % 101) / 10;
    run(makeProgram("reduce", {s}, s, body, std::string(kAdd) + kMax), {x.data()}, {z.data()});
    for (int64_t i = 0; i < rows; ++i) {
      double sum = 0, most = *std::max_element(&x[i * width], &x[i * width] + width);
      for (int64_t j = 0; j < width; ++j)
        sum += std::exp(x[i * width + j] - most);
      for (int64_t j = 0; j < width; ++j)
        ASSERT_NEAR(z[i * width + j], std::exp(x[i * width + j] - most) / sum, 1e-6)
            << "width " << width;
    }
  }
}

TEST_F(LoopKernel, ReducesColumnsAndMiddles) {
  struct Case {
    std::vector<int64_t> shape;
    std::vector<int64_t> dims;
  };
  for (const Case &c :
       {Case{{50, 33}, {0}}, Case{{4, 9, 21}, {1}}, Case{{6, 5, 3}, {0, 2}}, Case{{7, 3}, {1}},
        Case{{100, 3}, {1}}, Case{{20, 20, 20}, {0, 1, 2}}, Case{{3, 4, 64}, {0}}}) {
    std::string in, out, list;
    int64_t count = 1, outCount = 1;
    for (size_t d = 0; d < c.shape.size(); ++d) {
      in += std::to_string(c.shape[d]) + "x";
      count *= c.shape[d];
      if (std::find(c.dims.begin(), c.dims.end(), d) == c.dims.end()) {
        out += std::to_string(c.shape[d]) + "x";
        outCount *= c.shape[d];
      } else {
        list += (list.empty() ? "" : ", ") + std::to_string(d);
      }
    }
    in += "f32", out += "f32";
    auto x = counting(count);
    std::vector<float> z(outCount);
    std::vector<double> expected(outCount, 10);
    float init = 10;
    run(makeProgram("reduce", {in, "f32"}, out,
                    "%r = hlo.reduce %x0, %x1 {dimensions = array<i64: " + list +
                        ">, to_apply = @add} : (tensor<" + in + ">, tensor<f32>) -> tensor<" + out +
                        ">",
                    kAdd),
        {x.data(), &init}, {z.data()});
    for (int64_t i = 0; i < count; ++i) {
      int64_t rest = i, place = 0, stride = 1;
      for (size_t d = c.shape.size(); d-- > 0;) {
        int64_t at = rest % c.shape[d];
        rest /= c.shape[d];
        if (std::find(c.dims.begin(), c.dims.end(), d) == c.dims.end()) {
          place += at * stride;
          stride *= c.shape[d];
        }
      }
      expected[place] += x[i];
    }
    for (int64_t i = 0; i < outCount; ++i)
      ASSERT_NEAR(z[i], expected[i], 1e-6 * expected[i]) << in << " over " << list;
  }
}

} // namespace
