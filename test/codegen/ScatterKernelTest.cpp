// SPDX-License-Identifier: Apache-2.0
// Scatter kernels: order, bounds, windows and batches.
#include "KernelProgram.h"

using namespace hloc;

namespace {

using ScatterKernel = ProgramTest;

std::string scatterOf(const std::vector<std::string> &types,
                      const std::vector<std::string> &results, std::vector<int64_t> windowDims,
                      std::vector<int64_t> inserted, std::vector<int64_t> map, int64_t vectorDim,
                      std::vector<int64_t> batching = {},
                      std::vector<int64_t> indicesBatching = {}) {
  std::vector<std::string> names;
  for (size_t i = 0; i < types.size(); ++i)
    names.push_back("%x" + std::to_string(i));
  std::string count = results.size() == 1 ? "" : ":" + std::to_string(results.size());
  return "%r" + count + " = hlo.scatter " + joined(names) +
         " {update_window_dims = " + listOf(windowDims) +
         ", inserted_window_dims = " + listOf(inserted) +
         ", scatter_dims_to_operand_dims = " + listOf(map) +
         ", input_batching_dims = " + listOf(batching) +
         ", scatter_indices_batching_dims = " + listOf(indicesBatching) +
         ", index_vector_dim = " + std::to_string(vectorDim) + " : i64, to_apply = @f} : (" +
         joined(types) + ") -> " + (results.size() == 1 ? results[0] : "(" + joined(results) + ")");
}

TEST_F(ScatterKernel, Histogram) {
  std::vector<float> bins(100, 1), expected(bins), z(100), updates = scattered<float>(5000, 10);
  std::vector<int32_t> at = scattered<int32_t>(5000, 130); // from -65 to 64
  for (int i = 0; i < 5000; ++i)
    if (at[i] >= 0 && at[i] < 100)
      expected[at[i]] += updates[i];
  std::vector<std::string> types = {"tensor<100xf32>", "tensor<5000x1xi32>", "tensor<5000xf32>"};
  run(makeKernelProgram("scatter", types, {types[0]}, scatterOf(types, {types[0]}, {}, {0}, {0}, 1),
                        makeReducer("f", "add", "f32"), true),
      {bins.data(), at.data(), updates.data()}, {z.data()});
  EXPECT_EQ(z, expected);
}

TEST_F(ScatterKernel, LastUpdateStays) {
  std::string replace = "hlo.computation @f(%a: tensor<i16>, %b: tensor<i16>) -> tensor<i16> "
                        "{\nhlo.return %b : tensor<i16>\n}\n";
  std::vector<int16_t> x(37, -1), expected(x), z(37), updates = scattered<int16_t>(300);
  std::vector<uint64_t> at(300);
  for (int i = 0; i < 300; ++i) {
    at[i] = i % 7 == 6 ? ~uint64_t(0) - i : uint64_t(i * 31 % 41);
    if (at[i] < 37)
      expected[at[i]] = updates[i];
  }
  std::vector<std::string> types = {"tensor<37xi16>", "tensor<300xui64>", "tensor<300xi16>"};
  run(makeKernelProgram("scatter", types, {types[0]}, scatterOf(types, {types[0]}, {}, {0}, {0}, 1),
                        replace, true),
      {x.data(), at.data(), updates.data()}, {z.data()});
  EXPECT_EQ(z, expected);
}

TEST_F(ScatterKernel, ComputedIndicesAndUpdates) {
  // Computed in vectors ahead of the windows: more of them than are computed at once, a ragged end,
  // outer scatter dimensions, two components of the index, some of them out of bounds.
  for (int64_t size : {1003, 16, 40}) {
    std::vector<float> x(20 * 7, 1), expected(x), z(x.size()),
        updates = scattered<float>(3 * size, 10);
    std::vector<int32_t> at = scattered<int32_t>(3 * size * 2, 12);
    for (int64_t i = 0; i < 3 * size; ++i)
      if (int row = 2 * at[2 * i], column = 2 * at[2 * i + 1];
          row >= 0 && row < 20 && column >= 0 && column < 7)
        expected[row * 7 + column] += updates[i] * updates[i];
    std::string n = std::to_string(size), indices = "tensor<3x" + n + "x2xi32>",
                values = "tensor<3x" + n + "xf32>";
    std::vector<std::string> types = {"tensor<20x7xf32>", indices, values};
    std::string body = scatterOf(types, {types[0]}, {}, {0, 1}, {0, 1}, 2);
    body.replace(body.find("%x1, %x2"), 8, "%i, %u");
    body = "%i = hlo.add %x1, %x1 : (" + indices + ", " + indices + ") -> " + indices +
           "\n%u = hlo.multiply %x2, %x2 : (" + values + ", " + values + ") -> " + values + "\n" +
           body;
    run(makeKernelProgram("scatter", types, {types[0]}, body, makeReducer("f", "add", "f32"), true),
        {x.data(), at.data(), updates.data()}, {z.data()});
    ASSERT_EQ(z, expected) << size;
  }
}

TEST_F(ScatterKernel, RowsOfATable) {
  for (int64_t width : {1, 3, 16, 50, 1000}) {
    std::string w = std::to_string(width);
    std::vector<float> x(20 * width, 0.5), updates = scattered<float>(64 * width), z(x.size());
    std::vector<int32_t> at(64);
    std::vector<float> expected(x);
    for (int i = 0; i < 64; ++i) {
      at[i] = i * 13 % 23 - 1;
      for (int64_t j = 0; j < width && at[i] >= 0 && at[i] < 20; ++j)
        expected[at[i] * width + j] += updates[i * width + j];
    }
    std::vector<std::string> types = {"tensor<20x" + w + "xf32>", "tensor<8x8x1xi32>",
                                      "tensor<8x8x" + w + "xf32>"};
    run(makeKernelProgram("scatter", types, {types[0]},
                          scatterOf(types, {types[0]}, {2}, {0}, {0}, 2),
                          makeReducer("f", "add", "f32"), true),
        {x.data(), at.data(), updates.data()}, {z.data()}, 2);
    ASSERT_EQ(z, expected) << width;
  }
}

TEST_F(ScatterKernel, WindowsAcrossTheEdgeAreDropped) {
  // Windows of 2 x 3 at (row, column), indices' components outermost, window dimensions first.
  std::vector<int32_t> x(7 * 40, 0), updates = scattered<int32_t>(2 * 3 * 60), z(x.size()),
                                     expected(x);
  std::vector<int32_t> at(2 * 60);
  for (int i = 0; i < 60; ++i) {
    at[i] = i % 9 - 1;
    at[60 + i] = i * 7 % 45 - 2;
    if (at[i] < 0 || at[i] + 2 > 7 || at[60 + i] < 0 || at[60 + i] + 3 > 40)
      continue;
    for (int a = 0; a < 2; ++a)
      for (int c = 0; c < 3; ++c) {
        int32_t &e = expected[(at[i] + a) * 40 + at[60 + i] + c];
        e = std::max(e, updates[(a * 3 + c) * 60 + i]);
      }
  }
  std::vector<std::string> types = {"tensor<7x40xi32>", "tensor<2x60xi32>", "tensor<2x3x60xi32>"};
  run(makeKernelProgram("scatter", types, {types[0]},
                        scatterOf(types, {types[0]}, {0, 1}, {}, {0, 1}, 0),
                        makeReducer("f", "maximum", "i32"), true),
      {x.data(), at.data(), updates.data()}, {z.data()});
  EXPECT_EQ(z, expected);
}

TEST_F(ScatterKernel, BatchesAndPairs) {
  // Two operands, a combiner that swaps their updates, one row of indices a batch.
  std::string swap = "hlo.computation @f(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: "
                     "tensor<f32>) -> (tensor<f32>, tensor<f32>) {\n"
                     "%s = hlo.add %a, %d : (tensor<f32>, tensor<f32>) -> tensor<f32>\n"
                     "%t = hlo.subtract %b, %c : (tensor<f32>, tensor<f32>) -> "
                     "tensor<f32>\nhlo.return %s, %t : tensor<f32>, tensor<f32>\n}\n";
  std::vector<float> x(5 * 9, 1), y(5 * 9, 2), u = scattered<float>(5 * 12),
                                               v = scattered<float>(5 * 12, 77), p(45), q(45);
  std::vector<int32_t> at = scattered<int32_t>(5 * 12, 24);
  std::vector<float> wantX(x), wantY(y);
  for (int b = 0; b < 5; ++b)
    for (int i = 0; i < 12; ++i)
      if (int k = at[b * 12 + i]; k >= 0 && k < 9) {
        wantX[b * 9 + k] += v[b * 12 + i];
        wantY[b * 9 + k] -= u[b * 12 + i];
      }
  std::string t = "tensor<5x9xf32>", s = "tensor<5x12xf32>";
  std::vector<std::string> types = {t, t, "tensor<5x12x1xi32>", s, s};
  run(makeKernelProgram("scatter", types, {t, t},
                        scatterOf(types, {t, t}, {}, {1}, {1}, 2, {0}, {0}), swap, true),
      {x.data(), y.data(), at.data(), u.data(), v.data()}, {p.data(), q.data()});
  EXPECT_EQ(p, wantX);
  EXPECT_EQ(q, wantY);
}

} // namespace
