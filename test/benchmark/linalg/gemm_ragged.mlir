// SPDX-License-Identifier: Apache-2.0
// Schedule: gemm_ragged.mlir
func.func private @kernel(%a: tensor<255x257xf32> {bufferization.writable = false, llvm.noalias},
                  %b: tensor<257x129xf32> {bufferization.writable = false, llvm.noalias},
                  %c: tensor<255x129xf32> {bufferization.writable = true, llvm.noalias})
    -> tensor<255x129xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = linalg.fill ins(%zero : f32) outs(%c : tensor<255x129xf32>) -> tensor<255x129xf32>
  %d = linalg.matmul ins(%a, %b : tensor<255x257xf32>, tensor<257x129xf32>)
                     outs(%empty : tensor<255x129xf32>) -> tensor<255x129xf32>
  return %d : tensor<255x129xf32>
}
