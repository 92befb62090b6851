// Which launches and copies are divided among threads: those whose work is worth it by itself, and
// others where that saves transfers from core to core.
// RUN: hlo-opt %s --divide-launches | FileCheck %s
// RUN: hlo-opt %s --divide-launches | FileCheck %s --check-prefix=KERNELS

module @model attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu", optimization = 3 : i64}]} {

// Kernels of 10, 5, 3 and 80 microseconds, and two that cannot be divided.
llvm.func @ten(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64) attributes {hlo.launch = {accessed = array<i64: 160000, 160000>, tasks = 2 : i64, time = 10000 : i64, units = 200 : i64}}
// That of the longest launch.
// KERNELS: llvm.func @five(
// KERNELS-SAME: time = {{[1-9][0-9][0-9][0-9][0-9]}} : i64
llvm.func @five(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64) attributes {hlo.launch = {accessed = array<i64: 160000, 160000>, tasks = 2 : i64, time = 5000 : i64, units = 200 : i64}}
// A kernel that no launch divides has no tasks.
// KERNELS: llvm.func @three(
// KERNELS-SAME: hlo.launch = {accessed = array<i64: 160000, 160000>, time = 3000 : i64, units = 200 : i64}
llvm.func @three(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64) attributes {hlo.launch = {accessed = array<i64: 160000, 160000>, tasks = 2 : i64, time = 3000 : i64, units = 200 : i64}}
// KERNELS: llvm.func @eighty(
// KERNELS-SAME: tasks = 16 : i64
llvm.func @eighty(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64) attributes {hlo.launch = {accessed = array<i64: 160000, 160000>, tasks = 16 : i64, time = 80000 : i64, units = 200 : i64}}
llvm.func @row(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64) attributes {hlo.launch = {accessed = array<i64: 160000, 160000>, units = 1 : i64}}
// Reads one row of 800 bytes.
llvm.func @take(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64) attributes {hlo.launch = {accessed = array<i64: 800, 800>, units = 1 : i64}}

// Writes one row of 800 bytes into its second operand.
llvm.func @put(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64) attributes {hlo.launch = {accessed = array<i64: 800, 0, 800>, units = 1 : i64}}
// Reads a large array.
llvm.func @whole(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64) attributes {hlo.launch = {accessed = array<i64: 16000000, 160000>, tasks = 64 : i64, time = 900000 : i64, units = 400 : i64}}

// What the host passes may be in any core's cache.
// CHECK-LABEL: @alone
// CHECK: @ten{{.*}} {hlo.divided}
// CHECK: @five
// CHECK-NOT: hlo.divided
// CHECK: return
func.func @alone(%a: memref<200x200xf32>, %b: memref<200x200xf32>, %c: memref<200x200xf32>) {
  hlo.launch @ten(%a) -> (%b) : (memref<200x200xf32>) -> memref<200x200xf32>
  hlo.launch @five(%a) -> (%c) : (memref<200x200xf32>) -> memref<200x200xf32>
  return
}

// In a loop, each reads what the other wrote.
// CHECK-LABEL: @loop
// CHECK: @eighty{{.*}} {hlo.divided}
// CHECK: @five{{.*}} {hlo.divided}
func.func @loop(%a: memref<200x200xf32>, %b: memref<200x200xf32>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %9 = arith.constant 9 : index
  scf.for %i = %0 to %9 step %1 {
    hlo.launch @eighty(%a) -> (%b) : (memref<200x200xf32>) -> memref<200x200xf32>
    hlo.launch @five(%b) -> (%a) : (memref<200x200xf32>) -> memref<200x200xf32>
  }
  return
}

// Only the next iteration reads what the second one writes, in memory that another view names.
// CHECK-LABEL: @next
// CHECK: @row
// CHECK: @ten
// CHECK-NOT: hlo.divided
// CHECK: return
func.func @next(%a: memref<200x200xf32>, %arena: memref<160000xi8>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %9 = arith.constant 9 : index
  %x = memref.view %arena[%0][] : memref<160000xi8> to memref<200x200xf32>
  %y = memref.view %arena[%0][] : memref<160000xi8> to memref<40000xf32>
  scf.for %i = %0 to %9 step %1 {
    hlo.launch @row(%y) -> (%a) : (memref<40000xf32>) -> memref<200x200xf32>
    hlo.launch @ten(%a) -> (%x) : (memref<200x200xf32>) -> memref<200x200xf32>
  }
  return
}

// Long work is divided even if it costs transfers.
// CHECK-LABEL: @between
// CHECK: @row
// CHECK: @eighty{{.*}} {hlo.divided}
// CHECK: @row
// CHECK-NOT: hlo.divided
// CHECK: return
func.func @between(%a: memref<200x200xf32>, %b: memref<200x200xf32>) {
  hlo.launch @row(%a) -> (%b) : (memref<200x200xf32>) -> memref<200x200xf32>
  hlo.launch @eighty(%b) -> (%a) : (memref<200x200xf32>) -> memref<200x200xf32>
  hlo.launch @row(%a) -> (%b) : (memref<200x200xf32>) -> memref<200x200xf32>
  return
}

// A loop that takes one row at a time reads half of the array from the other core, in the end.
// CHECK-LABEL: @parts
// CHECK: @ten
// CHECK-NOT: hlo.divided
// CHECK: return
func.func @parts(%a: memref<200x200xf32>, %b: memref<200x200xf32>, %c: memref<200xf32>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %200 = arith.constant 200 : index
  hlo.launch @ten(%a) -> (%b) : (memref<200x200xf32>) -> memref<200x200xf32>
  scf.for %i = %0 to %200 step %1 {
    hlo.launch @take(%b) -> (%c) : (memref<200x200xf32>) -> memref<200xf32>
  }
  return
}

// In between, each iteration reads so much that what it reads has left L2, and takes longer than predicted.
// CHECK-LABEL: @cold
// CHECK: @five{{.*}} {hlo.divided}
func.func @cold(%a: memref<200x200xf32>, %b: memref<200x200xf32>, %large: memref<4000x1000xf32>, %c: memref<200x200xf32>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %9 = arith.constant 9 : index
  scf.for %i = %0 to %9 step %1 {
    hlo.launch @five(%a) -> (%b) : (memref<200x200xf32>) -> memref<200x200xf32>
    hlo.launch @whole(%large) -> (%c) : (memref<4000x1000xf32>) -> memref<200x200xf32>
  }
  return
}

// CHECK-LABEL: @large_copy
// CHECK: memref.copy {{.*}} {hlo.divided}
func.func @large_copy(%a: memref<1000x1000xf32>, %b: memref<1000x1000xf32>) {
  memref.copy %a, %b : memref<1000x1000xf32> to memref<1000x1000xf32>
  return
}

// A small copy, and one that brings an array to where it is divided.
// CHECK-LABEL: @copies
// CHECK: memref.copy {{.*}} : memref<100x100xf32>
// CHECK-NEXT: @eighty{{.*}} {hlo.divided}
// CHECK-NEXT: memref.copy {{.*}} {hlo.divided} : memref<200x200xf32>
// CHECK-NEXT: @eighty{{.*}} {hlo.divided}
func.func @copies(%a: memref<100x100xf32>, %b: memref<100x100xf32>, %c: memref<200x200xf32>, %d: memref<200x200xf32>) {
  memref.copy %a, %b : memref<100x100xf32> to memref<100x100xf32>
  hlo.launch @eighty(%c) -> (%d) : (memref<200x200xf32>) -> memref<200x200xf32>
  memref.copy %d, %c : memref<200x200xf32> to memref<200x200xf32>
  hlo.launch @eighty(%c) -> (%d) : (memref<200x200xf32>) -> memref<200x200xf32>
  return
}

// The second launch, which runs whole, writes a row of the array: that row is all that is transferred.
// CHECK-LABEL: @row_of_divided
// CHECK: @eighty{{.*}} {hlo.divided}
// CHECK-NEXT: @put
// CHECK-NOT: hlo.divided
// CHECK: return
func.func @row_of_divided(%a: memref<200x200xf32>, %b: memref<200x200xf32>, %c: memref<200xf32>) {
  hlo.launch @eighty(%a) -> (%b) : (memref<200x200xf32>) -> memref<200x200xf32>
  hlo.launch @put(%c, %b) -> (%b) : (memref<200xf32>, memref<200x200xf32>) -> memref<200x200xf32>
  return
}

// Of two readers of an array, the one that runs whole reads a row of it: that row is all that is transferred.
// CHECK-LABEL: @readers
// CHECK: @ten{{.*}} {hlo.divided}
// CHECK-NEXT: @take
// CHECK-NEXT: @ten{{.*}} {hlo.divided}
func.func @readers(%a: memref<200x200xf32>, %b: memref<200x200xf32>, %c: memref<200xf32>) {
  hlo.launch @ten(%a) -> (%b) : (memref<200x200xf32>) -> memref<200x200xf32>
  hlo.launch @take(%b) -> (%c) : (memref<200x200xf32>) -> memref<200xf32>
  hlo.launch @ten(%b) -> (%a) : (memref<200x200xf32>) -> memref<200x200xf32>
  return
}
}
