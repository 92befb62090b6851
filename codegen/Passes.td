// SPDX-License-Identifier: Apache-2.0
// The manual of the passes of code generation. Pipeline.cpp orders them; those before them are in
// passes/Passes.td.

#ifndef HLOC_CODEGEN_PASSES
#define HLOC_CODEGEN_PASSES

include "mlir/Pass/PassBase.td"

// Code is generated for one of the module's `hlo.targets`.
class HLO_CodePass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  list<Option> targetOption = [
    Option<"targetNumber", "target", "int64_t", "0", "Which of the module's targets">];
  let options = targetOption;
}

def EmitKernels : HLO_CodePass<"emit-kernels"> {
  let summary = "Turn kernels into functions of loops and vectors";
  let description = [{
    Every `hlo.kernel_function` becomes an `llvm.func` of the same name, whose body consists of the
    `scf`, `arith`, `math` and `vector` dialects and of LLVM's loads and stores. Its arguments are a
    pointer for each input, a pointer for each output, a pointer to scratch memory, and the range
    [begin, end) of units to compute. The units of a phase are independent of each other. What a unit is (a row, a
    tile, a block of elements) depends only on the kernel, never on the number of threads, so results
    do not depend on that number either. The kernel's `schedules` prescribe the code for each target.

    The attribute `hlo.launch` of the function says how a launch runs it:

    - `units`, the number of units;
    - `phases`, if there are several, the number of phases, each of as many units: those of a phase
      begin when all units before them are complete;
    - `tasks`, if the units of a phase can be divided, the number of tasks that they form then, and
      `time`, the nanoseconds that a launch is predicted to take on one core;
    - `accessed`, the bytes that a launch accesses of each input and then of each output;
    - `scratch`, the bytes of scratch memory that it needs;
    - `unrolled`, if it is straight-line code;
    - `matrices`, if it uses matrix registers, which the system must have permitted;
    - `tiles`, the parts of its arrays that each unit accesses, for groups that run tile by tile;
    - `operations`, the number of operations that it was made of, and `small`, if its code is to be
      kept in the program's object: these decide how functions are distributed over objects.

    Code that a kernel would repeat is a function before it, marked `hlo.kernel_part`. The
    computations that kernels named are removed.

    ```mlir
    hlo.kernel_function @k <loop> attributes {reuse = array<i64: -1>} {
    ^bb0(%x: tensor<1000xf32>):
      %0 = hlo.add %x, %x : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32>
      hlo.return %0 : tensor<1000xf32>
    }
    ```
    becomes
    ```mlir
    llvm.func @k(%x: !llvm.ptr {llvm.noalias}, %y: !llvm.ptr {llvm.noalias}, %scratch: ..., %begin: i64, %end: i64)
        attributes {hlo.launch = {accessed = array<i64: 4000, 4000>, units = 1 : i64}, ...} {
      scf.for %i = %c0 to %c992 step %c16 {
        %0 = llvm.getelementptr %x[...]
        %1 = llvm.load %0 : !llvm.ptr -> vector<16xf32>
        %2 = arith.addf %1, %1 : vector<16xf32>
        ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def PlaceWeights : Pass<"place-weights", "::mlir::ModuleOp"> {
  let summary = "Move constants to a file of weights";
  let description = [{
    Constants of 256 bytes and more get an offset in a file next to the object, in the format of
    `runtime/WeightsFormat.h`: `hlo.weights_offset` of the `memref.global`. `hlo.weights` of the module
    has the file's name, length and hash. The code that `emit-program` makes then reads the constants
    there, and its entry function has the runtime map the file before the first run.

    ```mlir
    memref.global "private" constant @constant.0 : memref<64x64xf32> = dense<...>
    ```
    becomes
    ```mlir
    memref.global "private" constant @constant.0 : memref<64x64xf32> = dense<...> {hlo.weights_offset = 4096 : i64}
    ```
  }];
  let options = [Option<"file", "file", "std::string", "\"weights\"", "The file's name, without a folder">];
}

def DivideLaunches : HLO_CodePass<"divide-launches"> {
  let summary = "Choose which launches are divided among threads";
  let description = [{
    Launches of `hlo.launch` and copies that are worth it get the attribute `hlo.divided`. By itself, a
    kernel is worth it if half of its time is more than what it costs to hand work to another thread.
    But what one core wrote is slow to read for others. So a short launch between divided ones, such as
    in the body of a loop, is divided too if that saves the transfer of its arrays from core to core, and
    a longer one between launches that cannot be divided is not. The choice is the one with the least
    predicted time on two cores: a minimum cut.

    In `hlo.launch`, functions of kernels of which no launch is divided lose the entry `tasks`; `time`
    becomes that of the longest launch: between runs that access much, arrays leave the caches.

    ```mlir
    hlo.launch @long(%x) -> (%y) : ...
    hlo.launch @short(%y) -> (%x) : ...
    ```
    becomes
    ```mlir
    hlo.launch @long(%x) -> (%y) {hlo.divided} : ...
    hlo.launch @short(%y) -> (%x) {hlo.divided} : ...
    ```
  }];
}

def EmitProgram : HLO_CodePass<"emit-program"> {
  let summary = "Turn the program on memory into the entry function that hosts call";
  let description = [{
    `func.func @main` becomes `NAME_run`, with the signature that the runtime's interface defines, and
    a function for its body. An asynchronous computation becomes a function that a thread runs.
    Control flow and integer arithmetic are kept. A launch becomes a call, or, if it is divided, a
    parallel loop of the runtime over its tasks; the launches of a group become one loop over tiles.
    `hlo.runtime_call` becomes a call of the runtime; calls that can fail are marked `hlo.checked`, for
    `lower-to-llvm`. Constants become globals, whose attribute `hlo.value` has the elements.

    The module gets `hlo.memory`: `arena`, the bytes that a call needs, and `async`, those of them that
    are for functions that run concurrently with main.

    ```mlir
    func.func @main(%x: memref<1000xf32>, %y: memref<1000xf32>, %arena: memref<0xi8>) {
      hlo.launch @k(%x) -> (%y) : ...
      return
    ```
    becomes
    ```mlir
    llvm.func internal @NAME.program.body(%context: !llvm.ptr, %x: !llvm.ptr, %y: !llvm.ptr, ...) -> i32 {
      llvm.call @NAME.k(%x, %y, %null, %c0, %c1)
      ...
    llvm.func @NAME_run(...) -> i32
    ```
  }];
  let options = targetOption # [
    Option<"moduleName", "name", "std::string", "",
           "Prefix of symbols, and name of the module in messages (default: the module's name)">,
    Option<"prefix", "prefix", "std::string", "",
           "Prefix of all symbols except those of constants, if several programs share an object">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::scf::SCFDialect"];
}

def AddLineTables : Pass<"add-line-tables", "::mlir::ModuleOp"> {
  let summary = "Give every operation a location in the .hlo file, for line tables";
  let description = [{
    Locations become plain file locations with absolute paths. Operations without a location get that
    of their function, or the file's first line. Debuggers and profilers show them (`hloc -g`).
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def LowerToLLVM : HLO_CodePass<"lower-to-llvm"> {
  let summary = "Convert everything to the llvm dialect";
  let description = [{
    Operations for which the target has no instruction are expanded first: fused multiply-add,
    conversions of f16, rounding to integers, minimum and maximum that distinguish zeros. Loops become
    branches with the condition at the end of an iteration, as LLVM's loop rotation would do it. If a
    call that is marked `hlo.checked` fails, its function returns the call's error code, after waiting
    for everything that it has started.
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect", "::mlir::LLVM::LLVMDialect"];
}

#endif
