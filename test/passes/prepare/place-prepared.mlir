// RUN: hlo-opt --split-preparation --hold-prepared --kernels %s | FileCheck %s

// Two arrays are views of one block, after its 64 bytes for the tag: the result of the preparation, and the argument
// of main after the parameters. Runs do not read %w and %b; only runs read %s.
// CHECK: hlo.prepared_block = {bytes = 8512 : i64, tag = {{-?[0-9]+}} : i64, uses = array<i64: 1, 6, 6, 5>}
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %arg4: memref<8512xi8>
// CHECK-DAG: %[[FIRST:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[W:.*]] = memref.view %arg4[%[[FIRST]]][] : memref<8512xi8> to memref<64x64xbf16>
// CHECK-DAG: %[[SECOND:.*]] = arith.constant 8256 : index
// CHECK-DAG: %[[B:.*]] = memref.view %arg4[%[[SECOND]]][] : memref<8512xi8> to memref<64xf32>
// CHECK: hlo.launch @dot(%arg0, %[[W]])
// CHECK: memref.copy %[[B]]
// CHECK-LABEL: func.func @main.prepare(
// CHECK-SAME: %arg4: memref<8512xi8> {{{.*}}}, %arg5: memref<{{[0-9]+}}xi8>)
// CHECK-SAME: hlo.results = 1
// CHECK-DAG: %[[FIRST:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[W:.*]] = memref.view %arg4[%[[FIRST]]][] : memref<8512xi8> to memref<64x64xbf16>
// CHECK: hlo.launch @loop(%arg1) -> (%[[W]])
func.func @main(%x: tensor<32x64xbf16>, %w: tensor<64x64xf32> {hlo.prepare}, %b: tensor<64xf32> {hlo.prepare}, %s: tensor<64xf32> {hlo.prepare}) -> (tensor<32x64xbf16>, tensor<64xf32>, tensor<64xf32>) {
  %c = hlo.convert %w : (tensor<64x64xf32>) -> tensor<64x64xbf16>
  %p = hlo.dot %x, %c {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<32x64xbf16>, tensor<64x64xbf16>) -> tensor<32x64xbf16>
  %n = hlo.exponential %b : (tensor<64xf32>) -> tensor<64xf32>
  return %p, %n, %s : tensor<32x64xbf16>, tensor<64xf32>, tensor<64xf32>
}
