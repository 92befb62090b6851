// SPDX-License-Identifier: Apache-2.0
// Operations that passes create: kernels, and calls of the runtime. They have no form in HLO text.

include "compiler/hlo/HloBase.td"

def HLO_KernelKind : HLO_Enum<"KernelKind", "the operation that a kernel's loops are built around", [
  HLO_Case<"Loop", 0, "loop">, HLO_Case<"Reduce", 1, "reduce">, HLO_Case<"Dot", 2, "dot">,
  HLO_Case<"Convolution", 3, "convolution">, HLO_Case<"Window", 4, "window">,
  HLO_Case<"Scan", 5, "scan">, HLO_Case<"Sort", 6, "sort">, HLO_Case<"Scatter", 7, "scatter">,
  HLO_Case<"Update", 8, "update">]>;
def HLO_KernelKindAttr : HLO_EnumAttr<HLO_KernelKind, "kernel_kind">;

def HLO_KernelOp : HLO_Op<"kernel", [IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "operations compiled as one loop nest over memory";
  let description = [{
    The block's arguments are the operands, possibly in other shapes of the same memory; it ends in `hlo.return` of the
    results, likewise. `kind` names the operation that the loops are built around; the others are prologue and epilogue:
    - `loop`: elementwise and data movement; all results have the same number of elements.
    - `reduce`: one or more `hlo.reduce` over the same dimensions of arrays of one shape, with
      elementwise code before, between and after (softmax, normalizations).
    - `dot`, `convolution`, `window` (reduce_window), `scan`, `sort`, `scatter`: one such operation.
    - `update`: `dynamic_update_slice` into the buffer of its operand.

    `reuse` lists, for each result, the operand whose memory it may use because every element is
    read before, or at the same time as, it is written; -1 for none. `must_reuse` (update, scatter,
    a dot that writes a slice) means that the kernel writes only part of the buffer.

    `schedules` are its schedules, one for each machine that the program is compiled for.
  }];
  let arguments = (ins Variadic<HLO_Array>:$inputs, HLO_KernelKindAttr:$kind, I64Array:$reuse,
                       UnitAttr:$must_reuse, Opt<HLO_ScheduleArray>:$schedules);
  let results = (outs Variadic<HLO_Array>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $kind ` ` `(` $inputs `)` attr-dict `:` functional-type($inputs, $results) $body
  }];
}

def HLO_KernelFunctionOp : HLO_Op<"kernel_function", [IsolatedFromAbove, Symbol, SingleBlock,
                                                      HasParent<"::mlir::ModuleOp">]> {
  let summary = "a kernel as a symbol, which `hlo.launch` runs on memory";
  let description = [{
    Made from `hlo.kernel` once every value has a buffer; equal kernels become one. The
    block's arguments are the inputs, `hlo.return` returns the outputs. `reuse[i]` is the input that
    has the same memory as output i, -1 for none; all other outputs overlap no input.
    With `must_reuse` the kernel writes only part of that memory.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, HLO_KernelKindAttr:$kind, I64Array:$reuse,
                       UnitAttr:$must_reuse, Opt<HLO_ScheduleArray>:$schedules);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name $kind attr-dict-with-keyword $body";
}

def HLO_LaunchOp : HLO_Op<"launch", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a run of a kernel on buffers";
  let description = [{
    `scratch` is memory whose contents matter only during the run. Its size is the maximum that the
    kernel's schedules ask for.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyMemRef>:$inputs,
                       Variadic<AnyMemRef>:$outputs, Optional<AnyMemRef>:$scratch);
  let hasVerifier = 0;
  let assemblyFormat = [{
    $kernel `(` $inputs `)` `->` `(` $outputs `)` (`scratch` `(` $scratch^ `:` type($scratch) `)`)?
    attr-dict `:` functional-type($inputs, $outputs)
  }];
}

def HLO_RuntimeCallOp : HLO_Op<"runtime_call", [AttrSizedOperandSegments,
                                               MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "an operation that the runtime or the host performs, on buffers";
  let description = [{
    `callee` is the operation's name without the dialect's (`custom_call`, `fft`, ...), `parameters`
    are all its attributes. Inputs and outputs are its arrays in order, without tokens.
  }];
  let arguments = (ins StrAttr:$callee, Variadic<AnyMemRef>:$inputs, Variadic<AnyMemRef>:$outputs,
                       DictionaryAttr:$parameters);
  let assemblyFormat = [{
    $callee `(` $inputs `)` `->` `(` $outputs `)` $parameters attr-dict `:`
    functional-type($inputs, $outputs)
  }];
}

include "compiler/hlo/TransferKind.td"

def HLO_HostTransferOp : HLO_Op<"host_transfer", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "transfer of arrays to or from the host";
  let description = [{
    Infeed, outfeed, and send and recv to the host, without tuples and tokens: transfers keep their
    order, as all effects do. Operands or results are the arrays of the data, row-major in the order
    of the host's memory; `layouts` has for each the `minor_to_major` that the host sees.
  }];
  let arguments = (ins Variadic<HLO_Array>:$inputs, HLO_TransferKindAttr:$kind, I64Attr:$channel,
                       ArrayAttr:$layouts);
  let results = (outs Variadic<HLO_Array>:$results);
  let assemblyFormat = [{
    $kind $channel $layouts `(` $inputs `)` attr-dict `:` functional-type($inputs, $results)
  }];
}
