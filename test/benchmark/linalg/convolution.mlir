// SPDX-License-Identifier: Apache-2.0
// Schedule: convolution.mlir
func.func private @kernel(
    %a: tensor<1x58x58x64xf32> {bufferization.writable = false, llvm.noalias},
    %b: tensor<3x3x64x64xf32> {bufferization.writable = false, llvm.noalias},
    %c: tensor<1x56x56x64xf32> {bufferization.writable = true, llvm.noalias})
    -> tensor<1x56x56x64xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = linalg.fill ins(%zero : f32) outs(%c : tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32>
  %r = linalg.conv_2d_nhwc_hwcf
      ins(%a, %b : tensor<1x58x58x64xf32>, tensor<3x3x64x64xf32>)
      outs(%c0 : tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32>
  return %r : tensor<1x56x56x64xf32>
}
