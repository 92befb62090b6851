// RUN: hlo-opt --normalize-layouts %s | FileCheck %s

// Column-major in, column-major out; an explicit row-major layout is removed.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<3x2xf32> {hlo.layout = #hlo.layout<[0, 1]>, hlo.name = "x"}, %{{.*}}: tensor<2x3xf32> {hlo.name = "y"})
// CHECK-SAME: -> (tensor<3x2xf32> {hlo.layout = #hlo.layout<[0, 1]>})
// CHECK: %[[T:.*]] = hlo.transpose %[[X]] {dimensions = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
// CHECK: %[[A:.*]] = hlo.add %[[T]],
// CHECK: %[[R:.*]] = hlo.transpose %[[A]] {dimensions = array<i64: 1, 0>}
// CHECK: return %[[R]]
#columns = #hlo.layout<[0, 1]>
#rows = #hlo.layout<[1, 0]>
func.func @main(%x: tensor<2x3xf32> {hlo.layout = #columns, hlo.name = "x"},
                %y: tensor<2x3xf32> {hlo.layout = #rows, hlo.name = "y"})
    -> (tensor<2x3xf32> {hlo.layout = #columns}) {
  %0 = hlo.add %x, %y : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
