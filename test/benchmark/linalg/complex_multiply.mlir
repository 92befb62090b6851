// SPDX-License-Identifier: Apache-2.0
// Schedule: none.mlir
// The vectorizer has no vectors of complex elements ("Attempted to vectorize, but failed").
#map = affine_map<(i, j) -> (i, j)>
func.func private @kernel(
    %a: tensor<256x256xcomplex<f32>> {bufferization.writable = false, llvm.noalias},
    %b: tensor<256x256xcomplex<f32>> {bufferization.writable = false, llvm.noalias},
    %c: tensor<256x256xcomplex<f32>> {bufferization.writable = true, llvm.noalias})
    -> tensor<256x256xcomplex<f32>> {
  %r = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<256x256xcomplex<f32>>, tensor<256x256xcomplex<f32>>)
      outs(%c : tensor<256x256xcomplex<f32>>) {
    ^bb0(%x: complex<f32>, %y: complex<f32>, %z: complex<f32>):
      %0 = complex.mul %x, %y : complex<f32>
      linalg.yield %0 : complex<f32>
  } -> tensor<256x256xcomplex<f32>>
  return %r : tensor<256x256xcomplex<f32>>
}
