// RUN: hlo-opt --split-preparation --split-input-file %s | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK-LABEL: func.func @main.prepare(%arg0: tensor<4xf32>, %arg1: tensor<4xf32> {hlo.name = "w"}) {
// CHECK-NEXT: return
func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32> {hlo.name = "w", hlo.prepare}) -> tensor<4xf32> {
  %r = hlo.add %x, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// No parameter stays the same.
// CHECK-LABEL: func.func @main(
// CHECK-NOT: main.prepare
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
