// Operations without an instruction on the target are expanded, loops have their condition at the
// end of an iteration, and functions return if a call of the runtime fails.
// RUN: hlo-opt %s --split-input-file --lower-to-llvm | FileCheck %s

// CHECK-LABEL: llvm.func @with_fma
// CHECK: llvm.intr.fma
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu", optimization = 3 : i64}]} {
llvm.func @with_fma(%x: vector<8xf32>, %y: vector<8xf32>) -> vector<8xf32> {
  %0 = math.fma %x, %y, %y fastmath<contract> : vector<8xf32>
  llvm.return %0 : vector<8xf32>
}
}

// -----

// CHECK-LABEL: llvm.func @without_fma
// CHECK-NOT: llvm.intr.fma
// CHECK: llvm.fmul
// CHECK: llvm.fadd
module attributes {hlo.targets = [{cpu = "x86-64-v2", triple = "x86_64-linux-gnu", optimization = 3 : i64}]} {
llvm.func @without_fma(%x: vector<4xf32>, %y: vector<4xf32>) -> vector<4xf32> {
  %0 = math.fma %x, %y, %y fastmath<contract> : vector<4xf32>
  llvm.return %0 : vector<4xf32>
}

// Nothing is tested before a loop that is known to have a round, and LLVM knows how many it has.
// CHECK-LABEL: llvm.func @loop
// CHECK: llvm.br ^[[BODY:bb[0-9]+]](
// CHECK: ^[[BODY]](%[[I:.*]]: i64):
// CHECK: llvm.store
// CHECK: %[[NEXT:.*]] = llvm.add %[[I]],
// CHECK: %[[MORE:.*]] = llvm.icmp "slt" %[[NEXT]],
// CHECK: llvm.cond_br %[[MORE]] weights([7, 1]), ^[[BODY]](%[[NEXT]] : i64), ^[[END:bb[0-9]+]]
llvm.func @loop(%at: !llvm.ptr) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %8 = arith.constant 8 : index
  scf.for %i = %0 to %8 step %1 {
    %value = arith.index_cast %i : index to i64
    llvm.store %value, %at : i64, !llvm.ptr
  }
  llvm.return
}

// CHECK-LABEL: llvm.func @program
// CHECK: %[[CODE:.*]] = llvm.call @may_fail()
// CHECK-NOT: hlo.checked
// CHECK: %[[GOOD:.*]] = llvm.icmp "eq" %[[CODE]],
// CHECK: llvm.cond_br %[[GOOD]], ^[[REST:bb[0-9]+]], ^[[LEAVE:bb[0-9]+]]
// CHECK: ^[[REST]]:
// CHECK: ^[[LEAVE]]:
// CHECK: llvm.return %[[CODE]] : i32
llvm.func @may_fail() -> i32
llvm.func @program() -> i32 {
  %0 = llvm.call @may_fail() {hlo.checked} : () -> i32
  %1 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %1 : i32
}
}
