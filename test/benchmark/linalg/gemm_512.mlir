// SPDX-License-Identifier: Apache-2.0
// Schedule: gemm.mlir
func.func private @kernel(%a: tensor<512x512xf32> {bufferization.writable = false, llvm.noalias},
                  %b: tensor<512x512xf32> {bufferization.writable = false, llvm.noalias},
                  %c: tensor<512x512xf32> {bufferization.writable = true, llvm.noalias})
    -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = linalg.fill ins(%zero : f32) outs(%c : tensor<512x512xf32>) -> tensor<512x512xf32>
  %d = linalg.matmul ins(%a, %b : tensor<512x512xf32>, tensor<512x512xf32>)
                     outs(%empty : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %d : tensor<512x512xf32>
}
