// SPDX-License-Identifier: Apache-2.0
// Window kernels against windows reduced one element at a time.
#include "KernelProgram.h"
#include <cmath>

using namespace hloc;

namespace {

struct Window {
  std::vector<int64_t> shape, sizes, strides, low, high, base, dilate;
  std::vector<int64_t> out() const {
    std::vector<int64_t> result;
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t extent = low[d] + (shape[d] - 1) * base[d] + 1 + high[d],
              reach = (sizes[d] - 1) * dilate[d] + 1;
      result.push_back(extent < reach ? 0 : (extent - reach) / strides[d] + 1);
    }
    return result;
  }
  std::string attribute() const {
    auto list = [](const std::vector<int64_t> &values) {
      std::string text = "[";
      for (size_t i = 0; i < values.size(); ++i)
        text += (i ? ", " : "") + std::to_string(values[i]);
      return text + "]";
    };
    return "#hlo.window<sizes = " + list(sizes) + " strides = " + list(strides) +
           " low = " + list(low) + " high = " + list(high) + " base = " + list(base) +
           " dilate = " + list(dilate) + " reverse = []>";
  }
};

template <typename T>
std::vector<T> foldWindows(const Window &w, const std::vector<T> &x, T init,
                           std::function<T(T, T)> fold) {
  std::vector<int64_t> out = w.out();
  int64_t rank = out.size(), count = 1, positions = 1;
  for (int64_t d = 0; d < rank; ++d) {
    count *= out[d];
    positions *= w.sizes[d];
  }
  std::vector<T> result;
  for (int64_t o = 0; o < count; ++o) {
    T total = init;
    for (int64_t p = 0; p < positions; ++p) {
      int64_t restO = o, restP = p, place = 0, step = 1;
      bool inside = true;
      for (int64_t d = rank; d-- > 0;) {
        int64_t y = restO % out[d] * w.strides[d] + restP % w.sizes[d] * w.dilate[d] - w.low[d];
        restO /= out[d];
        restP /= w.sizes[d];
        inside &= y >= 0 && y <= (w.shape[d] - 1) * w.base[d] && y % w.base[d] == 0;
        place += y / w.base[d] * step;
        step *= w.shape[d];
      }
      total = fold(total, inside ? x[place] : init);
    }
    result.push_back(total);
  }
  return result;
}

const std::vector<Window> kWindows = {
    {{2, 9, 11, 35},
     {1, 3, 3, 1},
     {1, 2, 2, 1},
     {0, 1, 1, 0},
     {0, 1, 1, 0},
     {1, 1, 1, 1},
     {1, 1, 1, 1}}, // NHWC pooling
    {{2, 3, 10, 37},
     {1, 1, 2, 2},
     {1, 1, 2, 2},
     {0, 0, 0, 0},
     {0, 0, 0, 0},
     {1, 1, 1, 1},
     {1, 1, 1, 1}}, // NCHW pooling
    {{3, 100}, {1, 7}, {1, 1}, {0, 3}, {0, 3}, {1, 1}, {1, 1}},
    {{3, 100}, {2, 9}, {1, 3}, {0, -2}, {1, -5}, {1, 1}, {1, 2}},
    {{5, 21}, {3, 3}, {1, 1}, {2, 2}, {2, 2}, {2, 3}, {1, 1}}, // base dilation
    {{20, 19}, {7, 6}, {1, 2}, {3, 5}, {2, 0}, {1, 1}, {1, 1}},
    {{300}, {64}, {1}, {63}, {0}, {1}, {1}},
    {{4, 3}, {9, 9}, {1, 1}, {4, 4}, {4, 4}, {1, 1}, {1, 1}}, // no window inside the array
};

using WindowKernel = ProgramTest;

template <typename T>
void check(const Window &w, const std::string &element, const std::string &reducer, T init,
           std::function<T(T, T)> fold,
           std::function<void(std::string, std::vector<const void *>, std::vector<void *>)> run) {
  int64_t count = 1;
  for (int64_t size : w.shape)
    count *= size;
  std::vector<T> x = scattered<T>(count, 100), expected = foldWindows(w, x, init, fold),
                 z(expected.size());
  std::string in = tensorOf(w.shape, element), out = tensorOf(w.out(), element),
              scalar = tensorOf({}, element);
  run(makeKernelProgram("window", {in, scalar}, {out},
                        "%r = hlo.reduce_window %x0, %x1 {window = " + w.attribute() +
                            ", to_apply = @f} : (" + in + ", " + scalar + ") -> " + out,
                        makeReducer("f", reducer, element)),
      {x.data(), &init}, {z.data()});
  for (size_t i = 0; i < z.size(); ++i)
    ASSERT_EQ(z[i], expected[i]) << in << " -> " << out << " at " << i;
}

TEST_F(WindowKernel, SumsWithAnyInitialValue) {
  for (const Window &w : kWindows)
    check<float>(
        w, "f32", "add", 3, [](float a, float b) { return a + b; },
        [&](auto text, auto in, auto out) { run(text, in, out, 2); });
}

TEST_F(WindowKernel, LargestOfBytes) {
  for (const Window &w : kWindows)
    check<int8_t>(
        w, "i8", "maximum", -20, [](int8_t a, int8_t b) { return std::max(a, b); },
        [&](auto text, auto in, auto out) { run(text, in, out); });
}

TEST_F(WindowKernel, ReducerWithoutAName) {
  // 3a - b, which is no monoid: the order of the window's positions shows.
  std::string three = "hlo.computation @f(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {\n"
                      "%c = hlo.constant(dense<3> : tensor<i32>) : tensor<i32>\n"
                      "%m = hlo.multiply %c, %a : (tensor<i32>, tensor<i32>) -> tensor<i32>\n"
                      "%s = hlo.subtract %m, %b : (tensor<i32>, tensor<i32>) -> "
                      "tensor<i32>\nhlo.return %s : tensor<i32>\n}\n";
  for (const Window &w : kWindows) {
    int64_t count = 1;
    for (int64_t size : w.shape)
      count *= size;
    int32_t init = 1;
    std::vector<int32_t> x = scattered<int32_t>(count);
    auto expected =
        foldWindows<int32_t>(w, x, init, [](int32_t a, int32_t b) { return int32_t(3u * a - b); });
    std::vector<int32_t> z(expected.size());
    std::string in = tensorOf(w.shape, "i32"), out = tensorOf(w.out(), "i32");
    run(makeKernelProgram("window", {in, "tensor<i32>"}, {out},
                          "%r = hlo.reduce_window %x0, %x1 {window = " + w.attribute() +
                              ", to_apply = @f} : (" + in + ", tensor<i32>) -> " + out,
                          three),
        {x.data(), &init}, {z.data()});
    ASSERT_EQ(z, expected) << in << " -> " << out;
  }
}

TEST_F(WindowKernel, AverageOfSquares) {
  // Elementwise code on both sides.
  Window w = {{4, 30, 33}, {1, 5, 1}, {1, 1, 1}, {0, 2, 0}, {0, 2, 0}, {1, 1, 1}, {1, 1, 1}};
  std::string t = tensorOf(w.shape, "f32");
  std::vector<float> x = scattered<float>(4 * 30 * 33, 20), squares(x), z(x.size());
  for (float &value : squares)
    value *= value;
  auto expected = foldWindows<float>(w, squares, 0, [](float a, float b) { return a + b; });
  run(makeKernelProgram("window", {t}, {t},
                        "%z = hlo.constant(dense<0.0> : tensor<f32>) : tensor<f32>\n"
                        "%q = hlo.multiply %x0, %x0 : (" +
                            t + ", " + t + ") -> " + t +
                            "\n"
                            "%w = hlo.reduce_window %q, %z {window = " +
                            w.attribute() + ", to_apply = @f} : (" + t + ", tensor<f32>) -> " + t +
                            "\n%c = hlo.constant(dense<0.25> : " + t + ") : " + t +
                            "\n"
                            "%r = hlo.multiply %w, %c : (" +
                            t + ", " + t + ") -> " + t,
                        makeReducer("f", "add", "f32")),
      {x.data()}, {z.data()});
  for (size_t i = 0; i < z.size(); ++i)
    ASSERT_EQ(z[i], expected[i] / 4) << i;
}

TEST_F(WindowKernel, PositionOfTheLargest) {
  std::string pick =
      "hlo.computation @f(%a: tensor<f32>, %i: tensor<i32>, %b: tensor<f32>, %j: tensor<i32>) -> "
      "(tensor<f32>, tensor<i32>) {\n"
      "%c = hlo.compare %a, %b {direction = #hlo.direction<GE>} : (tensor<f32>, tensor<f32>) -> "
      "tensor<i1>\n"
      "%v = hlo.select %c, %a, %b : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>\n"
      "%p = hlo.select %c, %i, %j : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>\n"
      "hlo.return %v, %p : tensor<f32>, tensor<i32>\n}\n";
  Window w = {{6, 50}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, {1, 1}, {1, 1}};
  auto x = scattered<float>(300, 10);
  std::vector<int32_t> positions(300), q(75);
  for (int i = 0; i < 300; ++i)
    positions[i] = i;
  std::vector<float> z(75);
  float lowest = -INFINITY;
  int32_t none = -1;
  run(makeKernelProgram("window",
                        {"tensor<6x50xf32>", "tensor<6x50xi32>", "tensor<f32>", "tensor<i32>"},
                        {"tensor<3x25xf32>", "tensor<3x25xi32>"},
                        "%r:2 = hlo.reduce_window %x0, %x1, %x2, %x3 {window = " + w.attribute() +
                            ", to_apply = @f} : "
                            "(tensor<6x50xf32>, tensor<6x50xi32>, tensor<f32>, tensor<i32>) -> "
                            "(tensor<3x25xf32>, tensor<3x25xi32>)",
                        pick),
      {x.data(), positions.data(), &lowest, &none}, {z.data(), q.data()});
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 25; ++j) {
      int best = i * 100 + j * 2;
      for (int p : {best + 1, best + 50, best + 51})
        if (x[p] > x[best])
          best = p;
      ASSERT_EQ(q[i * 25 + j], best);
      ASSERT_EQ(z[i * 25 + j], x[best]);
    }
}

} // namespace
