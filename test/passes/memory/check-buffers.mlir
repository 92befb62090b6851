// RUN: hlo-opt --check-buffers --split-input-file --verify-diagnostics %s

// The second kernel overwrites an operand of the third one.
hlo.kernel_function @negate <loop> attributes {reuse = array<i64: -1>} {
^bb0(%0: tensor<100xf32>):
  %1 = hlo.negate %0 : (tensor<100xf32>) -> tensor<100xf32>
  hlo.return %1 : tensor<100xf32>
}
func.func @main(%x: memref<100xf32> {hlo.value = 0 : i64}, %y: memref<100xf32>, %arena: memref<512xi8>) attributes {hlo.results = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = memref.view %arena[%c0][] : memref<512xi8> to memref<100xf32>
  %b = memref.view %arena[%c64][] : memref<512xi8> to memref<100xf32>
  hlo.launch @negate(%x) -> (%a) {hlo.reads = array<i64: 0>, hlo.writes = array<i64: 1>} : (memref<100xf32>) -> memref<100xf32>
  hlo.launch @negate(%x) -> (%b) {hlo.reads = array<i64: 0>, hlo.writes = array<i64: 2>} : (memref<100xf32>) -> memref<100xf32>
  // expected-error @+1 {{reads memory that does not hold value 1}}
  hlo.launch @negate(%a) -> (%y) {hlo.reads = array<i64: 1>, hlo.writes = array<i64: 3>} : (memref<100xf32>) -> memref<100xf32>
  return {hlo.reads = array<i64: 3>}
}

// -----

// The kernel does not allow its output to lie in its input.
hlo.kernel_function @reverse <loop> attributes {reuse = array<i64: -1>} {
^bb0(%0: tensor<100xf32>):
  %1 = hlo.reverse %0 {dimensions = array<i64: 0>} : (tensor<100xf32>) -> tensor<100xf32>
  hlo.return %1 : tensor<100xf32>
}
func.func @main(%x: memref<100xf32> {hlo.value = 0 : i64}, %y: memref<100xf32>, %arena: memref<0xi8>) attributes {hlo.results = 1 : i64} {
  hlo.launch @reverse(%x) -> (%y) {hlo.reads = array<i64: 0>, hlo.writes = array<i64: 1>} : (memref<100xf32>) -> memref<100xf32>
  // expected-error @+1 {{output 0 overlaps input 0}}
  hlo.launch @reverse(%y) -> (%y) {hlo.reads = array<i64: 1>, hlo.writes = array<i64: 2>} : (memref<100xf32>) -> memref<100xf32>
  return {hlo.reads = array<i64: 2>}
}

// -----

// The host may give one memory for the argument and the result, which is written before the argument
// is read for the last time.
module attributes {hlo.aliases = [array<i64: 0, 0>]} {
hlo.kernel_function @reverse <loop> attributes {reuse = array<i64: -1>} {
^bb0(%0: tensor<100xf32>):
  %1 = hlo.reverse %0 {dimensions = array<i64: 0>} : (tensor<100xf32>) -> tensor<100xf32>
  hlo.return %1 : tensor<100xf32>
}
hlo.kernel_function @to_integers <loop> attributes {reuse = array<i64: -1>} {
^bb0(%0: tensor<100xf32>):
  %1 = hlo.convert %0 : (tensor<100xf32>) -> tensor<100xi32>
  hlo.return %1 : tensor<100xi32>
}
func.func @main(%x: memref<100xf32> {hlo.value = 0 : i64}, %y: memref<100xf32> {hlo.value = 1 : i64}, %i: memref<100xi32>, %r: memref<100xf32>, %arena: memref<0xi8>) attributes {hlo.results = 2 : i64} {
  hlo.launch @to_integers(%y) -> (%i) {hlo.reads = array<i64: 1>, hlo.writes = array<i64: 2>} : (memref<100xf32>) -> memref<100xi32>
  // expected-error @+1 {{reads memory that does not hold value 0}}
  hlo.launch @reverse(%x) -> (%r) {hlo.reads = array<i64: 0>, hlo.writes = array<i64: 3>} : (memref<100xf32>) -> memref<100xf32>
  return {hlo.reads = array<i64: 2, 3>}
}
}

// -----

// The kernel overwrites what an asynchronous computation reads, before its end.
hlo.kernel_function @negate <loop> attributes {reuse = array<i64: -1>} {
^bb0(%0: tensor<100xf32>):
  %1 = hlo.negate %0 : (tensor<100xf32>) -> tensor<100xf32>
  hlo.return %1 : tensor<100xf32>
}
func.func @main(%x: memref<100xf32> {hlo.value = 0 : i64}, %y: memref<100xf32>, %arena: memref<512xi8>) attributes {hlo.results = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.view %arena[%c0][] : memref<512xi8> to memref<100xf32>
  %ticket = memref.alloca() : memref<1xi64>
  hlo.launch @negate(%x) -> (%a) {hlo.reads = array<i64: 0>, hlo.writes = array<i64: 1>} : (memref<100xf32>) -> memref<100xf32>
  hlo.runtime_call "async_launch"(%a) -> (%ticket, %y) {callee = @side, thread = "side"} {hlo.reads = array<i64: 1>, hlo.writes = array<i64: 2, 3>} : (memref<100xf32>) -> (memref<1xi64>, memref<100xf32>)
  hlo.launch @negate(%x) -> (%a) {hlo.reads = array<i64: 0>, hlo.writes = array<i64: 4>} : (memref<100xf32>) -> memref<100xf32>
  // expected-error @+1 {{reads memory that does not hold value 1}}
  hlo.runtime_call "async_wait"(%ticket, %y, %a) -> () {} {hlo.reads = array<i64: 2, 3, 1>} : (memref<1xi64>, memref<100xf32>, memref<100xf32>) -> ()
  return {hlo.reads = array<i64: 3>}
}

// -----

// An asynchronous computation is a function of its own, checked as main is.
hlo.kernel_function @reverse <loop> attributes {reuse = array<i64: -1>} {
^bb0(%0: tensor<100xf32>):
  %1 = hlo.reverse %0 {dimensions = array<i64: 0>} : (tensor<100xf32>) -> tensor<100xf32>
  hlo.return %1 : tensor<100xf32>
}
func.func private @side(%x: memref<100xf32> {hlo.value = 0 : i64}, %y: memref<100xf32>, %arena: memref<512xi8>) attributes {hlo.results = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.view %arena[%c0][] : memref<512xi8> to memref<100xf32>
  // expected-error @+1 {{reads memory that does not hold value 1}}
  hlo.launch @reverse(%a) -> (%y) {hlo.reads = array<i64: 1>, hlo.writes = array<i64: 2>} : (memref<100xf32>) -> memref<100xf32>
  return {hlo.reads = array<i64: 2>}
}

// -----

// The second kernel's schedule asks for more scratch memory than it is given.
hlo.kernel_function @sort <sort> attributes {reuse = array<i64: -1>, schedules = [#hlo.schedule<"sort.merge" block = [64] lanes = 8 units = 1 scratch = 512>]} {
^bb0(%0: tensor<100xf32>):
  hlo.return %0 : tensor<100xf32>
}
func.func @main(%x: memref<100xf32> {hlo.value = 0 : i64}, %y: memref<100xf32>, %arena: memref<1024xi8>) attributes {hlo.results = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.view %arena[%c0][] : memref<1024xi8> to memref<64xi64>
  %b = memref.view %arena[%c0][] : memref<1024xi8> to memref<63xi64>
  hlo.launch @sort(%x) -> (%y) scratch(%a : memref<64xi64>) {hlo.reads = array<i64: 0>, hlo.writes = array<i64: 1>} : (memref<100xf32>) -> memref<100xf32>
  // expected-error @+1 {{needs 512 bytes of scratch memory}}
  hlo.launch @sort(%x) -> (%y) scratch(%b : memref<63xi64>) {hlo.reads = array<i64: 0>, hlo.writes = array<i64: 1>} : (memref<100xf32>) -> memref<100xf32>
  return {hlo.reads = array<i64: 1>}
}

// -----

hlo.kernel_function @sort <sort> attributes {reuse = array<i64: -1>, schedules = [#hlo.schedule<"sort.merge" block = [64] lanes = 8 units = 1 scratch = 512>]} {
^bb0(%0: tensor<100xf32>):
  hlo.return %0 : tensor<100xf32>
}
func.func @main(%x: memref<100xf32> {hlo.value = 0 : i64}, %y: memref<100xf32>, %arena: memref<1024xi8>) attributes {hlo.results = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c384 = arith.constant 384 : index
  %a = memref.view %arena[%c0][] : memref<1024xi8> to memref<100xf32>
  %s = memref.view %arena[%c384][] : memref<1024xi8> to memref<64xi64>
  // expected-error @+1 {{scratch memory overlaps an input or output}}
  hlo.launch @sort(%x) -> (%a) scratch(%s : memref<64xi64>) {hlo.reads = array<i64: 0>, hlo.writes = array<i64: 1>} : (memref<100xf32>) -> memref<100xf32>
  memref.copy %a, %y {hlo.reads = array<i64: 1>, hlo.writes = array<i64: 1>} : memref<100xf32> to memref<100xf32>
  return {hlo.reads = array<i64: 1>}
}

// -----

// What was in memory that a kernel takes as scratch is lost.
hlo.kernel_function @sort <sort> attributes {reuse = array<i64: -1>, schedules = [#hlo.schedule<"sort.merge" block = [64] lanes = 8 units = 1 scratch = 512>]} {
^bb0(%0: tensor<100xf32>):
  hlo.return %0 : tensor<100xf32>
}
hlo.kernel_function @negate <loop> attributes {reuse = array<i64: -1>} {
^bb0(%0: tensor<100xf32>):
  %1 = hlo.negate %0 : (tensor<100xf32>) -> tensor<100xf32>
  hlo.return %1 : tensor<100xf32>
}
func.func @main(%x: memref<100xf32> {hlo.value = 0 : i64}, %y: memref<100xf32>, %z: memref<100xf32>, %arena: memref<1024xi8>) attributes {hlo.results = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c384 = arith.constant 384 : index
  %a = memref.view %arena[%c0][] : memref<1024xi8> to memref<100xf32>
  %s = memref.view %arena[%c384][] : memref<1024xi8> to memref<64xi64>
  hlo.launch @negate(%x) -> (%a) {hlo.reads = array<i64: 0>, hlo.writes = array<i64: 1>} : (memref<100xf32>) -> memref<100xf32>
  hlo.launch @sort(%x) -> (%y) scratch(%s : memref<64xi64>) {hlo.reads = array<i64: 0>, hlo.writes = array<i64: 2>} : (memref<100xf32>) -> memref<100xf32>
  // expected-error @+1 {{reads memory that does not hold value 1}}
  hlo.launch @negate(%a) -> (%z) {hlo.reads = array<i64: 1>, hlo.writes = array<i64: 3>} : (memref<100xf32>) -> memref<100xf32>
  return {hlo.reads = array<i64: 2, 3>}
}
