// SPDX-License-Identifier: Apache-2.0
// Schedule: rows.mlir
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func private @kernel(%a: tensor<512x2048xf32> {bufferization.writable = false, llvm.noalias},
                          %c: tensor<512x2048xf32> {bufferization.writable = true, llvm.noalias})
    -> tensor<512x2048xf32> {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<512xf32>
  %all = tensor.empty() : tensor<512x2048xf32>
  %m0 = linalg.fill ins(%least : f32) outs(%rows : tensor<512xf32>) -> tensor<512xf32>
  %m = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<512x2048xf32>) outs(%m0 : tensor<512xf32>) {
    ^bb0(%x: f32, %y: f32):
      %0 = arith.maximumf %x, %y : f32
      linalg.yield %0 : f32
  } -> tensor<512xf32>
  %e = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%a, %m : tensor<512x2048xf32>, tensor<512xf32>) outs(%all : tensor<512x2048xf32>) {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %0 = arith.subf %x, %y : f32
      %1 = math.exp %0 : f32
      linalg.yield %1 : f32
  } -> tensor<512x2048xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<512xf32>) -> tensor<512xf32>
  %s = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%e : tensor<512x2048xf32>) outs(%s0 : tensor<512xf32>) {
    ^bb0(%x: f32, %y: f32):
      %0 = arith.addf %x, %y : f32
      linalg.yield %0 : f32
  } -> tensor<512xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%e, %s : tensor<512x2048xf32>, tensor<512xf32>) outs(%c : tensor<512x2048xf32>) {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %0 = arith.divf %x, %y : f32
      linalg.yield %0 : f32
  } -> tensor<512x2048xf32>
  return %r : tensor<512x2048xf32>
}
