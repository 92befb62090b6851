// SPDX-License-Identifier: Apache-2.0
// Schedule: pieces_by_hand.mlir
// What `pieces` computes, distributed by hand over the pieces of its result.
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func private @kernel(%table: tensor<1000x64xf32> {bufferization.writable = false, llvm.noalias},
                          %rows: tensor<4096xi32> {bufferization.writable = false, llvm.noalias},
                          %b: tensor<4096x32xf32> {bufferization.writable = false, llvm.noalias},
                          %c: tensor<4096x100xf32> {bufferization.writable = true, llvm.noalias})
    -> tensor<4096x100xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c999 = arith.constant 999 : index
  %filled = linalg.fill ins(%zero : f32) outs(%c : tensor<4096x100xf32>) -> tensor<4096x100xf32>
  %left = tensor.extract_slice %filled[0, 1] [4096, 64] [1, 1]
    : tensor<4096x100xf32> to tensor<4096x64xf32>
  %taken = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%rows : tensor<4096xi32>) outs(%left : tensor<4096x64xf32>) {
    ^bb0(%x: i32, %z: f32):
      %i = arith.index_cast %x : i32 to index
      %low = arith.maxsi %i, %c0 : index
      %in = arith.minsi %low, %c999 : index
      %j = linalg.index 1 : index
      %0 = tensor.extract %table[%in, %j] : tensor<1000x64xf32>
      %1 = arith.maximumf %0, %zero : f32
      linalg.yield %1 : f32
  } -> tensor<4096x64xf32>
  %first = tensor.insert_slice %taken into %filled[0, 1] [4096, 64] [1, 1]
    : tensor<4096x64xf32> into tensor<4096x100xf32>
  %right = tensor.extract_slice %first[0, 65] [4096, 32] [1, 1]
    : tensor<4096x100xf32> to tensor<4096x32xf32>
  %copied = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<4096x32xf32>) outs(%right : tensor<4096x32xf32>) {
    ^bb0(%x: f32, %z: f32):
      %1 = arith.maximumf %x, %zero : f32
      linalg.yield %1 : f32
  } -> tensor<4096x32xf32>
  %r = tensor.insert_slice %copied into %first[0, 65] [4096, 32] [1, 1]
    : tensor<4096x32xf32> into tensor<4096x100xf32>
  return %r : tensor<4096x100xf32>
}
