// Kernels become functions with loops: an attribute says how they are launched, the functions that
// they call precede them, and computations are removed.
// RUN: hlo-opt %s --no-verify --emit-kernels | FileCheck %s --implicit-check-not=hlo.kernel_function --implicit-check-not=hlo.computation
// RUN: hlo-opt %s --no-verify --emit-kernels=target=1 | FileCheck %s --check-prefix=SECOND
// RUN: not hlo-opt %s --no-verify --emit-kernels=target=2 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: expected a target from 0 to 1 but got 2

module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu", optimization = 3 : i64},
                                  {cpu = "x86-64-v4", triple = "x86_64-linux-gnu", optimization = 3 : i64}]} {

// Whole vectors in a loop, then what is left with a mask.
// CHECK-LABEL: llvm.func @scale(
// CHECK-SAME: %[[X:[^:]*]]: !llvm.ptr {llvm.noalias}, %[[Y:[^:]*]]: !llvm.ptr {llvm.noalias}, %{{[^:]*}}: !llvm.ptr {llvm.noalias}, %{{[^:]*}}: i64, %{{[^:]*}}: i64)
// CHECK-SAME: hlo.launch = {accessed = array<i64: 4012, 4012>, operations = 2 : i64, units = 1 : i64}
// CHECK: scf.for
// CHECK: %[[VALUE:.*]] = llvm.load {{.*}} -> vector<{{[0-9]+}}xf32>
// CHECK: arith.addf %[[VALUE]], %[[VALUE]]
// CHECK: llvm.store {{.*}} : vector<{{[0-9]+}}xf32>, !llvm.ptr
// CHECK: llvm.intr.masked.load
// CHECK: llvm.intr.masked.store
// CHECK: llvm.return
// SECOND-LABEL: llvm.func @scale(
// SECOND: vector<{{(16|32|64)}}xf32>
hlo.kernel_function @scale <loop> attributes {reuse = array<i64: -1>} {
^bb0(%x: tensor<1003xf32>):
  %0 = hlo.add %x, %x : (tensor<1003xf32>, tensor<1003xf32>) -> tensor<1003xf32>
  hlo.return %0 : tensor<1003xf32>
}

// So little that it has no loop and is inlined where it is launched; with the input's memory, arguments may overlap.
// CHECK-LABEL: llvm.func @few(
// CHECK-SAME: always_inline
// CHECK-SAME: hlo.launch = {accessed = array<i64: 16, 16>, operations = 2 : i64, small, units = 1 : i64, unrolled}
// CHECK-NOT: scf.for
// CHECK: llvm.return
hlo.kernel_function @few <loop> attributes {reuse = array<i64: 0>} {
^bb0(%x: tensor<4xf32>):
  %0 = hlo.negate %x : (tensor<4xf32>) -> tensor<4xf32>
  hlo.return %0 : tensor<4xf32>
}

hlo.computation private @add(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %s = hlo.add %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  hlo.return %s : tensor<f32>
}

// A unit a row.
// CHECK-LABEL: llvm.func @sum(
// CHECK-SAME: hlo.launch = {accessed = array<i64: 8388608, {{.*}}tasks = {{[1-9][0-9]+}} : i64, tiles = {{{.*}}}, time = {{[0-9]+}} : i64, units = 512 : i64}
// CHECK: scf.for
// CHECK: scf.for {{.*}} iter_args
// CHECK: arith.addf
hlo.kernel_function @sum <reduce> attributes {reuse = array<i64: -1>} {
^bb0(%x: tensor<512x4096xf32>, %zero: tensor<f32>):
  %0 = hlo.reduce %x, %zero {dimensions = array<i64: 1>, to_apply = @add} : (tensor<512x4096xf32>, tensor<f32>) -> tensor<512xf32>
  hlo.return %0 : tensor<512xf32>
}
}
