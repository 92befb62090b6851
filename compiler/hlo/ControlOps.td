// SPDX-License-Identifier: Apache-2.0
// Computations and the operations that run them; transfers with the host; order of side effects.

include "compiler/hlo/HloBase.td"

def HLO_ComputationOp : HLO_Op<"computation", [FunctionOpInterface, IsolatedFromAbove, Symbol,
                                               SingleBlock, HasParent<"::mlir::ModuleOp">]> {
  let summary = "a computation of the module; its block arguments are the parameters";
  let description = [{
    The parameter instructions are the block arguments: their names and metadata are the arguments'
    locations, their other attributes (`hlo.sharding` ...) the argument attributes. `entry` marks the
    entry computation. Ends in `hlo.return` of one value; computations made by passes may return
    several. `short_form` records that the text gave no signature.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       UnitAttr:$entry, Opt<StrAttr>:$execution_thread, Opt<StrAttr>:$sym_visibility,
                       Opt<DictArrayAttr>:$arg_attrs, Opt<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let assemblyFormat = ?;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type)>];
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

def HLO_ReturnOp : HLO_Op<"return", [Pure, Terminator, ReturnLike]> {
  let summary = "the result of a computation or kernel";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

class HLO_CallingOp<string mnemonic> : HLO_InferredSymbolOp<mnemonic> {
  let results = (outs Variadic<HLO_Value>:$results);
}

def HLO_CallOp : HLO_CallingOp<"call"> {
  let summary = "result of a computation";
  let constraints = [{
    - C1: `to_apply` takes the operands.
    - C2: `is_composite` requires frontend_attributes with a composite.name; composite.version, if
      present, is a number.
  }];
  let arguments = (ins Variadic<HLO_Value>:$inputs, FlatSymbolRefAttr:$to_apply,
                       Flag<"false">:$is_composite);
}

def HLO_FusionOp : HLO_SymbolOp<"fusion"> {
  let summary = "result of a computation that XLA has chosen to compile as one kernel";
  let constraints = [{
    - C1: `calls` takes the operands.
    - C2: Aliases name parts of the result and of operands, of one shape.
  }];
  let arguments = (ins Variadic<HLO_Value>:$inputs, HLO_FusionKindAttr:$kind, FlatSymbolRefAttr:$calls,
                       Opt<ArrayAttr>:$output_to_operand_aliasing);
  let results = (outs Variadic<HLO_Value>:$results);
}

def HLO_MapOp : HLO_InferredSymbolOp<"map", [Pure]> {
  let summary = "a scalar computation applied to each element";
  let constraints = [{
    - C1: There is at least one operand.
    - C2: Operands have one shape.
    - C3: `dimensions` lists all their dimensions.
    - C4: `to_apply` takes one scalar of each
    - C5: and returns a scalar.
  }];
  let arguments = (ins Variadic<HLO_Array>:$inputs, Opt<I64Array>:$dimensions, FlatSymbolRefAttr:$to_apply);
  let results = (outs HLO_Array:$result);
}

def HLO_WhileOp : HLO_CallingOp<"while"> {
  let summary = "body applied to the state as long as condition holds";
  let constraints = [{
    - C1: `condition` takes the state
    - C2: and returns pred[].
    - C3: `body` takes the state
    - C4: and returns the next one.
  }];
  let arguments = (ins Variadic<HLO_Value>:$state, FlatSymbolRefAttr:$condition, FlatSymbolRefAttr:$body);
}

def HLO_ConditionalOp : HLO_CallingOp<"conditional"> {
  let summary = "the branch that the index selects; pred: branch 0 is taken if true";
  let description = "An s32 index out of range selects the last branch. There is one operand per branch.";
  let constraints = [{
    - C1: `branch_index` is a scalar,
    - C2: pred or s32.
    - C3: There are two branches for pred, at least one for s32,
    - C4: with one operand each,
    - C5: which the branch takes.
    - C6: All return one shape.
  }];
  let arguments = (ins HLO_Array:$branch_index, Variadic<HLO_Value>:$branch_operands,
                       TypedArrayAttrBase<FlatSymbolRefAttr, "computations">:$branch_computations);
}

def HLO_CustomCallOp : HLO_SymbolOp<"custom_call", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "call of a function of the host or of a library";
  let constraints = [{
    - C1: `operand_layout_constraints` has one entry per operand,
    - C2: of its shape.
    - C3: As C2 of `fusion`.
    - C4: `called_computations` exist.
  }];
  let arguments = (ins Variadic<HLO_Value>:$inputs, StrAttr:$custom_call_target,
                       Opt<HLO_CustomCallApiAttr>:$api_version,
                       Flag<"false">:$custom_call_has_side_effect,
                       Opt<TypeArrayAttr>:$operand_layout_constraints,
                       Opt<TypedArrayAttrBase<FlatSymbolRefAttr, "computations">>:$called_computations,
                       Opt<ArrayAttr>:$output_to_operand_aliasing, OptionalAttr<AnyAttr>:$literal,
                       Opt<HLO_WindowAttr>:$window, Opt<HLO_ConvDimensionsAttr>:$dim_labels,
                       Count<"1">:$feature_group_count, Count<"1">:$batch_group_count,
                       Opt<HLO_PaddingTypeAttr>:$padding_type, Opt<HLO_PrecisionArray>:$operand_precision,
                       Opt<HLO_CustomCallScheduleAttr>:$schedule);
  let results = (outs Variadic<HLO_Value>:$results);
}

//===- Asynchronous operations ---------------------------------------------===//

def HLO_AsyncStartOp : HLO_SymbolOp<"async_start"> {
  let summary = "start of a computation whose result async_done waits for";
  let constraints = [{
    - C1: The result is ((operands...), result, context...).
    - C2: `calls` takes these operands
    - C3: and returns this result.
    - C4: The operands are those in the result; some may be bound later.
  }];
  let arguments = (ins Variadic<HLO_Value>:$inputs, FlatSymbolRefAttr:$calls,
                       Opt<StrAttr>:$async_execution_thread, Opt<ArrayAttr>:$output_to_operand_aliasing);
  let results = (outs HLO_Value:$result);
}

class HLO_AsyncNextOp<string mnemonic> : HLO_SymbolOp<mnemonic> {
  let arguments = (ins Variadic<HLO_Value>:$inputs, OptionalAttr<FlatSymbolRefAttr>:$calls,
                       Opt<StrAttr>:$async_execution_thread, Opt<ArrayAttr>:$output_to_operand_aliasing);
  let results = (outs HLO_Value:$result);
}
def HLO_AsyncUpdateOp : HLO_AsyncNextOp<"async_update"> {
  let summary = "a later state of an asynchronous operation";
  let constraints = [{
    - C1: The operand is a state (`async_start` C1).
    - C2: As C2
    - C3: and C3 of `async_start`.
    - C4: There is an operand.
  }];
}
def HLO_AsyncDoneOp : HLO_AsyncNextOp<"async_done"> {
  let summary = "result of an asynchronous operation";
  let constraints = [{
    - C1: The operand is a state (`async_start` C1).
    - C2: As C2
    - C3: and C3 of `async_start`.
    - C4: There is an operand.
  }];
}

def HLO_CopyStartOp : HLO_CheckedOp<"copy_start", [Pure]> {
  let summary = "start of an asynchronous copy: (destination, source, context)";
  let arguments = (ins HLO_Value:$operand, Opt<I64Attr>:$cross_program_prefetch_index);
  let results = (outs HLO_Value:$result);
}

def HLO_CopyDoneOp : HLO_CheckedOp<"copy_done", [Pure]> {
  let summary = "result of an asynchronous copy";
  let constraints = [{
    - C1: The operand is (destination, source, context),
    - C2: destination and source of one shape.
  }];
  let arguments = (ins HLO_Value:$operand);
  let results = (outs HLO_Value:$result);
}

//===- Order and bookkeeping -----------------------------------------------===//

def HLO_AfterAllOp : HLO_InferredOp<"after_all", [Pure]> {
  let summary = "token that follows all the operands";
  let arguments = (ins Variadic<HLO_Value>:$inputs);
  let results = (outs HLO_Token:$result);
}

def HLO_AddDependencyOp : HLO_InferredOp<"add_dependency", [Pure]> {
  let summary = "the operand, ordered after the token";
  let arguments = (ins HLO_Value:$operand, HLO_Token:$token);
  let results = (outs HLO_Value:$result);
}

def HLO_OptBarrierOp : HLO_InferredOp<"opt_barrier"> {
  let summary = "the operand; optimizations do not cross it";
  let arguments = (ins Variadic<HLO_Value>:$inputs);
  let results = (outs Variadic<HLO_Value>:$results);
}

def HLO_DomainOp : HLO_InferredOp<"domain", [Pure]> {
  let summary = "the operand, at the boundary of two sharding domains";
  let arguments = (ins HLO_Value:$operand, StrAttr:$domain);
  let results = (outs HLO_Value:$result);
}

//===- The host ------------------------------------------------------------===//

def HLO_InfeedOp : HLO_CheckedOp<"infeed"> {
  let summary = "data from the host: (data, token)";
  let constraints = [{
    - C1: The result is (data, token).
  }];
  let arguments = (ins HLO_Token:$token, Opt<StrAttr>:$infeed_config);
  let results = (outs Variadic<HLO_Value>:$results);
}

def HLO_OutfeedOp : HLO_CheckedOp<"outfeed"> {
  let summary = "data for the host";
  let constraints = [{
    - C1: `outfeed_shape` is the shape of the operand.
  }];
  let arguments = (ins Variadic<HLO_Value>:$inputs, HLO_Token:$token, Opt<StrAttr>:$outfeed_config,
                       Opt<TypeAttr>:$outfeed_shape);
  let results = (outs HLO_Token:$result);
}

class HLO_TransferOp<string mnemonic, dag operands> : HLO_CheckedOp<mnemonic> {
  let arguments = !con(operands, (ins Opt<I64Attr>:$channel_id, Flag<"false">:$is_host_transfer));
  let results = (outs Variadic<HLO_Value>:$results);
}
def HLO_SendOp : HLO_TransferOp<"send", (ins HLO_Value:$operand, HLO_Token:$token)> {
  let summary = "start of sending on a channel";
}
def HLO_SendDoneOp : HLO_TransferOp<"send_done", (ins HLO_Value:$operand)> {
  let summary = "end of sending";
  let constraints = [{
    - C1: The operand is (data, context, token).
  }];
}
def HLO_RecvOp : HLO_TransferOp<"recv", (ins HLO_Token:$token)> {
  let summary = "start of receiving on a channel";
  let constraints = [{
    - C1: The result is (data, u32[], token).
  }];
}
def HLO_RecvDoneOp : HLO_TransferOp<"recv_done", (ins HLO_Value:$operand)> {
  let summary = "end of receiving: (data, token)";
  let constraints = [{
    - C1: The operand is (data, context, token).
  }];
}

def HLO_PartitionIdOp : HLO_InferredOp<"partition_id", [Pure]> {
  let summary = "number of this partition";
  let results = (outs HLO_Array:$result);
}

def HLO_ReplicaIdOp : HLO_InferredOp<"replica_id", [Pure]> {
  let summary = "number of this replica";
  let results = (outs HLO_Array:$result);
}
