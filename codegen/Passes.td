// SPDX-License-Identifier: Apache-2.0
// The manual of the passes of code generation. Pipeline.cpp orders them; those before them are in
// passes/Passes.td.

#ifndef HLOC_CODEGEN_PASSES
#define HLOC_CODEGEN_PASSES

include "mlir/Pass/PassBase.td"

// What code is made for is one of the module's `hlo.targets`.
class HLO_CodePass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  list<Option> targetOption = [
    Option<"targetNumber", "target", "int64_t", "0", "Which of the module's targets">];
  let options = targetOption;
}

def EmitKernels : HLO_CodePass<"emit-kernels"> {
  let summary = "Turn kernels into functions of loops and vectors";
  let description = [{
    Every `hlo.kernel_function` becomes an `llvm.func` of the same name, whose body is made of the
    `scf`, `arith`, `math` and `vector` dialects and of LLVM's loads and stores. Its arguments: a
    pointer an input, a pointer an output, a pointer to scratch memory, and the range of units
    [begin, end) to do. Units are independent of each other; what one is (a row, a tile, a block of
    elements) depends on the kernel alone, never on the number of threads, so that results do not
    either. How the work is done is what `schedules` of the kernel says of the target.

    The attribute `hlo.launch` of the function says how a launch runs it: `units`; `grain`, units
    worth a task of their own; `scratch`, bytes that it needs; `unrolled`, if it is straight-line code; `tiles`,
    which parts of its arrays units go through, for groups that run tile by tile; and, so that
    functions can be spread over objects, `operations` that it was made of and whether it is `small`,
    so that it belongs beside the program. Code that stands in several places of a kernel is a
    function before it, marked `hlo.kernel_part`. Computations that kernels named are gone.

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
        attributes {hlo.launch = {grain = 1 : i64, units = 1 : i64}, ...} {
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
  let summary = "Give constants places in a file of weights";
  let description = [{
    Constants of 256 bytes and more get places in a file beside the object, whose layout is that of
    `runtime/WeightsFormat.h`: `hlo.weights_offset` of the `memref.global`. `hlo.weights` of the module
    says which file, how long it is and what its hash is. `emit-program` then reads them there, and its
    entry function asks the runtime for the file before the first run.

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

def EmitProgram : HLO_CodePass<"emit-program"> {
  let summary = "Turn the program on memory into the function that hosts call";
  let description = [{
    `func.func @main` becomes `NAME_run`, as the runtime's interface has it, and the function of its
    body; an asynchronous computation becomes a function that a thread runs. Control flow and integer
    arithmetic stay what they are. A launch becomes a call, or a parallel loop of the runtime over
    tasks of `grain` units; launches of a group become one loop over tiles. `hlo.runtime_call`
    becomes a call of the runtime; whatever fails is marked `hlo.checked`, for `lower-to-llvm`.
    Constants become globals, whose attribute `hlo.value` has the elements.

    The module gets `hlo.memory`: bytes that a call needs, `arena`, and those among them that are for
    functions beside main, `async`.

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
           "What symbols begin with, and what messages call the module (default: its name)">,
    Option<"prefix", "prefix", "std::string", "",
           "What symbols but those of constants begin with, if several programs share an object">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::scf::SCFDialect"];
}

def AddLineTables : Pass<"add-line-tables", "::mlir::ModuleOp"> {
  let summary = "Give every operation a place in the .hlo file, for line tables";
  let description = [{
    Locations become plain places with absolute paths. What has no place of its own gets that of its
    function, or the file's first line. Debuggers and profilers show them (`hloc -g`).
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def LowerToLLVM : HLO_CodePass<"lower-to-llvm"> {
  let summary = "Convert everything to the llvm dialect";
  let description = [{
    What the target has no instruction for is expanded first: fused multiply-add, conversions of f16,
    roundings to integers, minima and maxima that tell zeros apart. Loops become branches with the
    condition at the end of a round, as LLVM's passes would turn them. Where a call that is marked
    `hlo.checked` fails, its function returns what the call gave, after it has waited for all that it
    has under way.
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect", "::mlir::LLVM::LLVMDialect"];
}

#endif
