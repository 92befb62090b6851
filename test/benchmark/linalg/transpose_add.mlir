// SPDX-License-Identifier: Apache-2.0
// Schedule: tiles_16x16.mlir
func.func private @kernel(%a: tensor<1024x1024xf32> {bufferization.writable = false, llvm.noalias},
                  %b: tensor<1024x1024xf32> {bufferization.writable = false, llvm.noalias},
                  %c: tensor<1024x1024xf32> {bufferization.writable = true, llvm.noalias})
    -> tensor<1024x1024xf32> {
  %s = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<1024x1024xf32>, tensor<1024x1024xf32>)
      outs(%c : tensor<1024x1024xf32>) {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %0 = arith.addf %x, %y : f32
      linalg.yield %0 : f32
  } -> tensor<1024x1024xf32>
  return %s : tensor<1024x1024xf32>
}
