// Large constants get offsets in a file, after its table and at multiples of 64; code reads them
// there, and the entry function requests the file.
// RUN: hlo-opt %s --place-weights=file=net.weights | FileCheck %s
// RUN: hlo-opt %s --place-weights --emit-kernels --emit-program=name=net | FileCheck %s --check-prefix=PROGRAM --implicit-check-not=@net.large

// CHECK: hlo.weights = {bytes = 8192 : i64, file = "net.weights", hash = {{-?[0-9]+}} : i64}
// CHECK: @small : memref<63xf32>
// CHECK-NOT: hlo.weights_offset
// CHECK: @large : memref<65xf32> = {{.*}} {hlo.weights_offset = 4096 : i64}
// CHECK: @packed : memref<512xi4> = {{.*}} {hlo.weights_offset = 4416 : i64}
// PROGRAM-DAG: llvm.mlir.global external hidden constant @net.small()
// PROGRAM-DAG: llvm.mlir.global external hidden @net.weights.mapped() {{.*}} : !llvm.struct<(ptr, ptr, ptr, ptr, i64, i64)>
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu", optimization = 3 : i64}]} {
memref.global "private" constant @small : memref<63xf32> = dense<1.0>
memref.global "private" constant @large : memref<65xf32> = dense<2.0>
memref.global "private" constant @packed : memref<512xi4> = dense<3>

// PROGRAM: llvm.func internal @net.program.body(
// PROGRAM: %[[RECORD:.*]] = llvm.mlir.addressof @net.weights
// PROGRAM: %[[DATA:.*]] = llvm.load %[[RECORD]] : !llvm.ptr -> !llvm.ptr
// PROGRAM: %[[LARGE:.*]] = llvm.getelementptr %[[DATA]][4096]
// PROGRAM: llvm.call @net.twice(%[[LARGE]],
// PROGRAM: llvm.func @net_run(
// PROGRAM: %[[RECORD:.*]] = llvm.mlir.addressof @net.weights
// PROGRAM: llvm.load %[[RECORD]] atomic acquire
// PROGRAM: llvm.call @hlort_weights_load(%[[RECORD]],
// PROGRAM: llvm.return
hlo.kernel_function @twice <loop> attributes {reuse = array<i64: -1>} {
^bb0(%x: tensor<65xf32>):
  %0 = hlo.add %x, %x : (tensor<65xf32>, tensor<65xf32>) -> tensor<65xf32>
  hlo.return %0 : tensor<65xf32>
}
func.func @main(%y: memref<65xf32>, %arena: memref<0xi8>) attributes {hlo.results = 1 : i64} {
  %large = memref.get_global @large : memref<65xf32>
  hlo.launch @twice(%large) -> (%y) : (memref<65xf32>) -> memref<65xf32>
  return
}
}
