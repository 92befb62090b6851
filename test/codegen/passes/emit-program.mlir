// The program becomes the entry function and a function for its body; kernels get its prefix and become private.
// RUN: hlo-opt %s --emit-kernels --divide-launches --emit-program=name=net | FileCheck %s --implicit-check-not=func.func --implicit-check-not='hlo.launch @'
// RUN: hlo-opt %s --emit-kernels --divide-launches --emit-program="name=net prefix=net.v3" | FileCheck %s --check-prefix=PREFIX
// RUN: hlo-opt %s --code | FileCheck %s --check-prefix=LOWERED --implicit-check-not=scf. --implicit-check-not='= arith.' --implicit-check-not='= vector.'

// CHECK: module @model attributes {hlo.memory = {arena = 4096 : i64, async = 0 : i64},
// CHECK: llvm.mlir.global external hidden constant @net.table() {{.*}}hlo.value = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// PREFIX-DAG: @net.table()
// PREFIX-DAG: llvm.func internal @net.v3.twice(
// PREFIX-DAG: llvm.func hidden @net.v3_run(
// LOWERED: llvm.func internal @model.program.body(
// LOWERED: llvm.func internal @model.twice(
// LOWERED: llvm.func @model_run(
module @model attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu", optimization = 3 : i64}]} {
memref.global "private" constant @table : memref<2xf32> = dense<[1.0, 2.0]>

// CHECK: llvm.func internal @net.program.body(%[[CONTEXT:[^:]*]]: !llvm.ptr, %[[X:[^:]*]]: !llvm.ptr
// CHECK-SAME: ) -> i32
// The arena's part at byte 64.
// CHECK: %[[PLACE:.*]] = llvm.getelementptr {{.*}}[64]
// CHECK: llvm.call @net.twice(%[[X]], %[[PLACE]],
// A loop of the program stays a loop.
// CHECK: scf.for
// CHECK: llvm.call @net.twice(
// What the second kernel does is worth a loop on several threads.
// CHECK: llvm.mlir.addressof @net.sines.tasks
// CHECK: llvm.call @hlort_parallel_for(
// CHECK: llvm.return {{.*}} : i32

// CHECK: llvm.func internal @net.twice(
// CHECK: llvm.func internal @net.sines(
// CHECK: llvm.func internal @net.sines.tasks(
// CHECK: llvm.call @net.sines(
// CHECK: llvm.func @net_run(
// CHECK: llvm.call @net.program.body(
hlo.kernel_function @twice <loop> attributes {reuse = array<i64: -1>} {
^bb0(%x: tensor<1000xf32>):
  %0 = hlo.add %x, %x : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32>
  hlo.return %0 : tensor<1000xf32>
}
hlo.kernel_function @sines <loop> attributes {reuse = array<i64: -1>} {
^bb0(%x: tensor<1024x4096xf32>):
  %0 = hlo.sine %x : (tensor<1024x4096xf32>) -> tensor<1024x4096xf32>
  hlo.return %0 : tensor<1024x4096xf32>
}
func.func @main(%x: memref<1000xf32>, %a: memref<1024x4096xf32>, %y: memref<1000xf32>, %b: memref<1024x4096xf32>, %arena: memref<4096xi8>) attributes {hlo.results = 2 : i64} {
  %place = arith.constant 64 : index
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %3 = arith.constant 3 : index
  %t = memref.view %arena[%place][] : memref<4096xi8> to memref<1000xf32>
  hlo.launch @twice(%x) -> (%t) : (memref<1000xf32>) -> memref<1000xf32>
  scf.for %i = %0 to %3 step %1 {
    hlo.launch @twice(%t) -> (%y) : (memref<1000xf32>) -> memref<1000xf32>
  }
  hlo.launch @sines(%a) -> (%b) : (memref<1024x4096xf32>) -> memref<1024x4096xf32>
  return
}
}
