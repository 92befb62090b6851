// A kernel that needs scratch memory is launched with as much as its schedule asks for, or not at all.
// RUN: hlo-opt %s --emit-kernels | FileCheck %s
// RUN: hlo-opt %s --emit-kernels --emit-program --verify-diagnostics
module @model attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu", optimization = 3 : i64}]} {
hlo.computation @less(%a: tensor<f32>, %b: tensor<f32>) -> tensor<i1> {
  %r = hlo.compare %a, %b {direction = #hlo.direction<LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
  hlo.return %r : tensor<i1>
}
// CHECK: llvm.func @sort({{.*}}hlo.launch = {{{.*}}scratch = 320000 : i64
hlo.kernel_function @sort <sort> attributes {reuse = array<i64: -1>, schedules = [#hlo.schedule<"sort.merge" block = [64] lanes = 8 units = 1 scratch = 320000>]} {
^bb0(%x: tensor<20000xf32>):
  %s = hlo.sort %x {dimension = 0 : i64, to_apply = @less} : (tensor<20000xf32>) -> tensor<20000xf32>
  hlo.return %s : tensor<20000xf32>
}
func.func @main(%x: memref<20000xf32>, %y: memref<20000xf32>, %arena: memref<320000xi8>) attributes {hlo.results = 1 : i64} {
  hlo.launch @sort(%x) -> (%y) scratch(%arena : memref<320000xi8>) : (memref<20000xf32>) -> memref<20000xf32>
  // expected-error @+1 {{needs 320000 bytes of scratch memory}}
  hlo.launch @sort(%x) -> (%y) : (memref<20000xf32>) -> memref<20000xf32>
  return
}
}
