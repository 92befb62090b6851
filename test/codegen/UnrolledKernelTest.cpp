// SPDX-License-Identifier: Apache-2.0
// Small kernels without loops, for every shape that is composed of vectors of several sizes:
// reductions, dots, updates, several results, results in the memory of an input.
#include "KernelProgram.h"
#include <algorithm>

using namespace hloc;

namespace {

using UnrolledKernel = ProgramTest;

TEST_F(UnrolledKernel, Rows) {
  for (int64_t rows : {1, 2, 5})
    for (int64_t columns : {1, 2, 3, 7, 11, 12}) {
      std::string t = tensorOf({rows, columns}, "f32");
      auto x = scattered<float>(rows * columns), y = scattered<float>(rows * columns, 77);
      std::vector<float> z(x.size());
      run(makeKernelProgram("loop", {t, t}, {t},
                            "%r = hlo.subtract %x0, %x1 : (" + t + ", " + t + ") -> " + t),
          {x.data(), y.data()}, {z.data()});
      for (size_t i = 0; i < z.size(); ++i)
        ASSERT_EQ(z[i], x[i] - y[i]) << rows << "x" << columns;
    }
}

TEST_F(UnrolledKernel, StackedScalars) {
  auto x = scattered<float>(16);
  std::vector<float> z(16);
  std::string body, parts, types;
  for (int i = 0; i < 16; ++i) {
    std::string n = std::to_string(i), at = std::to_string(15 - i), end = std::to_string(16 - i);
    body += "%s" + n + " = hlo.slice %x0 {starts = array<i64: " + at +
            ">, limits = array<i64: " + end +
            ">, strides = array<i64: 1>} : (tensor<16xf32>) -> tensor<1xf32>\n";
    parts += (i ? ", %s" : "%s") + n;
    types += i ? ", tensor<1xf32>" : "tensor<1xf32>";
  }
  body += "%r = hlo.concatenate " + parts + " {dimension = 0 : i64} : (" + types +
          ") -> tensor<16xf32>";
  run(makeKernelProgram("loop", {"tensor<16xf32>"}, {"tensor<16xf32>"}, body), {x.data()},
      {z.data()});
  for (int i = 0; i < 16; ++i)
    ASSERT_EQ(z[i], x[15 - i]);
}

TEST_F(UnrolledKernel, ReadsAllBeforeItWrites) {
  auto x = scattered<float>(12);
  std::vector<float> z(12);
  run(makeKernelProgram("loop", {"tensor<3x4xf32>"}, {"tensor<3x4xf32>"},
                        "%r = hlo.reverse %x0 {dimensions = array<i64: 0, 1>} : (tensor<3x4xf32>) "
                        "-> tensor<3x4xf32>",
                        "", true),
      {x.data()}, {z.data()});
  for (int i = 0; i < 12; ++i)
    ASSERT_EQ(z[i], x[11 - i]);
}

TEST_F(UnrolledKernel, DividesByTheSumOfTheRow) {
  auto x = scattered<float>(3 * 5, 9);
  for (float &value : x)
    value += 10;
  std::vector<float> z(15);
  run(makeKernelProgram(
          "reduce", {"tensor<3x5xf32>"}, {"tensor<3x5xf32>"},
          "%0 = hlo.constant(dense<0.0> : tensor<f32>) : tensor<f32>\n"
          "%s = hlo.reduce %x0, %0 {dimensions = array<i64: 1>, to_apply = @sum} : "
          "(tensor<3x5xf32>, tensor<f32>) -> tensor<3xf32>\n"
          "%b = hlo.broadcast %s {dimensions = array<i64: 0>} : (tensor<3xf32>) -> "
          "tensor<3x5xf32>\n"
          "%r = hlo.divide %x0, %b : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>",
          makeReducer("sum", "add", "f32")),
      {x.data()}, {z.data()});
  for (int i = 0; i < 3; ++i) {
    float sum = 0;
    for (int j = 0; j < 5; ++j)
      sum += x[i * 5 + j];
    for (int j = 0; j < 5; ++j)
      ASSERT_FLOAT_EQ(z[i * 5 + j], x[i * 5 + j] / sum);
  }
}

TEST_F(UnrolledKernel, FindsTheGreatestAndItsPlace) {
  // Two arrays folded together: the results know each other.
  auto x = scattered<float>(2 * 6);
  std::vector<int32_t> places{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5};
  std::vector<float> z(2);
  std::vector<int32_t> at(2);
  const char *argmax =
      "hlo.computation @argmax(%a: tensor<f32>, %i: tensor<i32>, %b: tensor<f32>, %j: tensor<i32>) "
      "-> (tensor<f32>, tensor<i32>) {\n"
      "%c = hlo.compare %a, %b {direction = #hlo.direction<GE>} : (tensor<f32>, tensor<f32>) -> "
      "tensor<i1>\n"
      "%v = hlo.select %c, %a, %b : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>\n"
      "%k = hlo.select %c, %i, %j : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>\n"
      "hlo.return %v, %k : tensor<f32>, tensor<i32>\n}\n";
  run(makeKernelProgram(
          "reduce", {"tensor<2x6xf32>", "tensor<2x6xi32>"}, {"tensor<2xf32>", "tensor<2xi32>"},
          "%0 = hlo.constant(dense<0xFF800000> : tensor<f32>) : tensor<f32>\n"
          "%1 = hlo.constant(dense<-1> : tensor<i32>) : tensor<i32>\n"
          "%r:2 = hlo.reduce %x0, %x1, %0, %1 {dimensions = array<i64: 1>, to_apply = @argmax} : "
          "(tensor<2x6xf32>, tensor<2x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, "
          "tensor<2xi32>)",
          argmax),
      {x.data(), places.data()}, {z.data(), at.data()});
  for (int i = 0; i < 2; ++i) {
    auto greatest = std::max_element(x.begin() + 6 * i, x.begin() + 6 * i + 6);
    ASSERT_EQ(z[i], *greatest);
    ASSERT_EQ(at[i], greatest - x.begin() - 6 * i);
  }
}

TEST_F(UnrolledKernel, Multiplies) {
  auto x = scattered<float>(4 * 6, 9), y = scattered<float>(6 * 5, 9);
  std::vector<float> z(20);
  run(makeKernelProgram("dot", {"tensor<4x6xf32>", "tensor<6x5xf32>"}, {"tensor<4x5xf32>"},
                        "%r = hlo.dot %x0, %x1 {lhs_contracting_dims = array<i64: 1>, "
                        "rhs_contracting_dims = array<i64: 0>} : "
                        "(tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>"),
      {x.data(), y.data()}, {z.data()});
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 5; ++j) {
      float sum = 0;
      for (int k = 0; k < 6; ++k)
        sum += x[i * 6 + k] * y[k * 5 + j];
      ASSERT_EQ(z[i * 5 + j], sum);
    }
}

TEST_F(UnrolledKernel, UpdatesAtClampedPlace) {
  for (int32_t start : {-3, 0, 5, 99}) {
    auto x = scattered<float>(20), u = scattered<float>(3, 50);
    std::vector<float> z(20);
    run(makeKernelProgram("update", {"tensor<20xf32>", "tensor<3xf32>", "tensor<i32>"},
                          {"tensor<20xf32>"},
                          "%r = hlo.dynamic_update_slice %x0, %x1, %x2 : (tensor<20xf32>, "
                          "tensor<3xf32>, tensor<i32>) -> tensor<20xf32>",
                          "", true),
        {x.data(), u.data(), &start}, {z.data()});
    int at = std::clamp(start, 0, 17);
    for (int i = 0; i < 20; ++i)
      ASSERT_EQ(z[i], i >= at && i < at + 3 ? u[i - at] : x[i]);
  }
}

} // namespace
