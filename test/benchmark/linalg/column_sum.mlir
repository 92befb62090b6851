// SPDX-License-Identifier: Apache-2.0
// Schedule: column_sum.mlir
func.func private @kernel(%a: tensor<2048x1024xf32> {bufferization.writable = false, llvm.noalias},
                          %c: tensor<1024xf32> {bufferization.writable = true, llvm.noalias})
    -> tensor<1024xf32> {
  %zero = arith.constant 0.0 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%c : tensor<1024xf32>) -> tensor<1024xf32>
  %s = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
      iterator_types = ["reduction", "parallel"]}
      ins(%a : tensor<2048x1024xf32>) outs(%s0 : tensor<1024xf32>) {
    ^bb0(%x: f32, %y: f32):
      %0 = arith.addf %x, %y : f32
      linalg.yield %0 : f32
  } -> tensor<1024xf32>
  return %s : tensor<1024xf32>
}
