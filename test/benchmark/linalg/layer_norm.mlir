// SPDX-License-Identifier: Apache-2.0
// Schedule: rows.mlir
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
func.func private @kernel(%a: tensor<512x1024xf32> {bufferization.writable = false, llvm.noalias},
                          %g: tensor<1024xf32> {bufferization.writable = false, llvm.noalias},
                          %b: tensor<1024xf32> {bufferization.writable = false, llvm.noalias},
                          %c: tensor<512x1024xf32> {bufferization.writable = true, llvm.noalias})
    -> tensor<512x1024xf32> {
  %zero = arith.constant 0.0 : f32
  %part = arith.constant 0.0009765625 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %rows = tensor.empty() : tensor<512xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<512xf32>) -> tensor<512xf32>
  %s = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<512x1024xf32>) outs(%s0 : tensor<512xf32>) {
    ^bb0(%x: f32, %y: f32):
      %0 = arith.addf %x, %y : f32
      linalg.yield %0 : f32
  } -> tensor<512xf32>
  %q = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a, %s : tensor<512x1024xf32>, tensor<512xf32>) outs(%s0 : tensor<512xf32>) {
    ^bb0(%x: f32, %sum: f32, %y: f32):
      %m = arith.mulf %sum, %part : f32
      %d = arith.subf %x, %m : f32
      %dd = arith.mulf %d, %d : f32
      %0 = arith.addf %dd, %y : f32
      linalg.yield %0 : f32
  } -> tensor<512xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #row, #column, #column, #all],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a, %s, %q, %g, %b : tensor<512x1024xf32>, tensor<512xf32>, tensor<512xf32>,
          tensor<1024xf32>, tensor<1024xf32>)
      outs(%c : tensor<512x1024xf32>) {
    ^bb0(%x: f32, %sum: f32, %squares: f32, %scale: f32, %bias: f32, %z: f32):
      %m = arith.mulf %sum, %part : f32
      %d = arith.subf %x, %m : f32
      %v = arith.mulf %squares, %part : f32
      %ve = arith.addf %v, %epsilon : f32
      %i = math.rsqrt %ve : f32
      %n = arith.mulf %d, %i : f32
      %ng = arith.mulf %n, %scale : f32
      %0 = arith.addf %ng, %bias : f32
      linalg.yield %0 : f32
  } -> tensor<512x1024xf32>
  return %r : tensor<512x1024xf32>
}
