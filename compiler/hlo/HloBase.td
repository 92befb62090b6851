// SPDX-License-Identifier: Apache-2.0
// The hlo dialect: its types, attributes and the classes from which operations are made.
//
// One definition per opcode of the HLO text format. Opcode `foo-bar` is operation `hlo.foo_bar`;
// attribute `x-y` or `x_y` of the text is the inherent attribute `x_y`. Attributes that every
// instruction may have (sharding, frontend_attributes, ...) are discardable attributes `hlo.*`; names
// and metadata are locations (Location.h).

#ifndef HLOC_COMPILER_HLO_HLOBASE
#define HLOC_COMPILER_HLO_HLOBASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "compiler/hlo/HloInterfaces.td"

def HLO_Dialect : Dialect {
  let name = "hlo";
  let cppNamespace = "::hloc::hlo";
  let summary = "XLA's HLO: every opcode of its text format";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();
    void registerOps();
  }];
}

//===- Types ---------------------------------------------------------------===//

class HLO_Type<string name, string typeMnemonic> : TypeDef<HLO_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def HLO_TokenType : HLO_Type<"Token", "token"> {
  let summary = "orders side effects; contains no data";
}

def HLO_OpaqueType : HLO_Type<"Opaque", "opaque"> {
  let summary = "a value that only the host understands";
}

def HLO_BufferType : HLO_Type<"Buffer", "buffer"> {
  let summary = "a mutable buffer, `b(f32[4])` in the text";
  let parameters = (ins "::mlir::Type":$contents);
  let assemblyFormat = "`<` $contents `>`";
}

def HLO_Array : Type<CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">, "array", "::mlir::RankedTensorType">;
def HLO_Token : Type<CPred<"::llvm::isa<::hloc::hlo::TokenType>($_self)">, "token", "::hloc::hlo::TokenType">;
def HLO_Value : Type<CPred<[{::llvm::isa<::mlir::RankedTensorType, ::mlir::TupleType,
    ::hloc::hlo::TokenType, ::hloc::hlo::OpaqueType, ::hloc::hlo::BufferType>($_self)}]>,
    "array, tuple, token, buffer or opaque">;

//===- Attributes ----------------------------------------------------------===//

class HLO_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<HLO_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def HLO_TileAttr : HLO_Attr<"Tile", "tile"> {
  let summary = "one tile of a tiled layout; -1 stands for `*`, a combined dimension";
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$dimensions);
  let assemblyFormat = "`<` `[` (`]`) : ($dimensions^ `]`)? `>`";
}

def HLO_LayoutAttr : HLO_Attr<"Layout", "layout",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding, ["verifyEncoding"]>]> {
  let summary = "encoding of a tensor: its layout in memory and its dynamic bounds";
  let description = [{
    Absent from a tensor whose layout is the default (descending `minor_to_major`, no tiles,
    memory space 0) and whose dimensions are all static. `bounds` is empty, or has one entry per
    dimension: -1 for a static dimension, N for a bounded dynamic dimension `<=N`. A
    bounded dimension has size `?` in the tensor type. `rest` keeps the properties that matter only
    to other machines (`D(..)`, `#(..)`, `SC(..)`, ...), verbatim and in order.
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"int64_t">:$minor_to_major,
    OptionalArrayRefParameter<"int64_t">:$bounds,
    OptionalArrayRefParameter<"::hloc::hlo::TileAttr">:$tiles,
    DefaultValuedParameter<"int64_t", "0">:$element_bits,
    DefaultValuedParameter<"int64_t", "0">:$memory_space,
    OptionalParameter<"::mlir::StringAttr">:$rest);
  let assemblyFormat = [{
    `<` `[` (`]`) : ($minor_to_major^ `]`)? (`bounds` `=` `[` $bounds^ `]`)?
    (`tiles` `=` `[` $tiles^ `]`)? (`bits` `=` $element_bits^)? (`space` `=` $memory_space^)?
    (`rest` `=` $rest^)? `>`
  }];
}

def HLO_WindowAttr : HLO_Attr<"Window", "window"> {
  let summary = "`window={size=.. stride=.. pad=.. lhs_dilate=.. rhs_dilate=.. rhs_reversal=..}`";
  let description = [{
    One entry per dimension in every list. `base_dilations` is `lhs_dilate` of the text,
    `window_dilations` is `rhs_dilate`.
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"int64_t">:$sizes,
    OptionalArrayRefParameter<"int64_t">:$strides,
    OptionalArrayRefParameter<"int64_t">:$padding_low,
    OptionalArrayRefParameter<"int64_t">:$padding_high,
    OptionalArrayRefParameter<"int64_t">:$base_dilations,
    OptionalArrayRefParameter<"int64_t">:$window_dilations,
    OptionalArrayRefParameter<"bool">:$reversals);
  let assemblyFormat = [{
    `<` `sizes` `=` `[` (`]`) : ($sizes^ `]`)? `strides` `=` `[` (`]`) : ($strides^ `]`)?
    `low` `=` `[` (`]`) : ($padding_low^ `]`)? `high` `=` `[` (`]`) : ($padding_high^ `]`)?
    `base` `=` `[` (`]`) : ($base_dilations^ `]`)? `dilate` `=` `[` (`]`) : ($window_dilations^ `]`)?
    `reverse` `=` `[` (`]`) : ($reversals^ `]`)? `>`
  }];
}

def HLO_ConvDimensionsAttr : HLO_Attr<"ConvDimensions", "conv"> {
  let summary = "`dim_labels=b01f_01io->b01f` of a convolution";
  let parameters = (ins
    "int64_t":$input_batch, "int64_t":$input_feature, OptionalArrayRefParameter<"int64_t">:$input_spatial,
    "int64_t":$kernel_input_feature, "int64_t":$kernel_output_feature,
    OptionalArrayRefParameter<"int64_t">:$kernel_spatial,
    "int64_t":$output_batch, "int64_t":$output_feature, OptionalArrayRefParameter<"int64_t">:$output_spatial);
  let assemblyFormat = [{
    `<` `b` $input_batch `f` $input_feature `[` (`]`) : ($input_spatial^ `]`)? `x`
    `i` $kernel_input_feature `o` $kernel_output_feature `[` (`]`) : ($kernel_spatial^ `]`)? `->`
    `b` $output_batch `f` $output_feature `[` (`]`) : ($output_spatial^ `]`)? `>`
  }];
}

def HLO_SparsityAttr : HLO_Attr<"Sparsity", "sparsity"> {
  let summary = "`rhs={sparsity=1x4 dimension=0 stride=1 idx=2}` of a sparse convolution";
  let description = [{
    Operand `number` (0 or 1) contains `non_zeros` of each block of `block_size` elements along
    `dimension`; elements of a block are `stride` apart (0 means 1). Operand `indices` contains their
    positions, 0 to block_size - 1; -1 if the text names no such operand.
  }];
  let parameters = (ins "int64_t":$number, "int64_t":$non_zeros, "int64_t":$block_size,
                        "int64_t":$dimension, "int64_t":$stride, "int64_t":$indices);
  let assemblyFormat = [{
    `<` $number `:` $non_zeros `of` $block_size `dimension` $dimension `stride` $stride `indices`
    $indices `>`
  }];
}
def HLO_SparsityArray : TypedArrayAttrBase<HLO_SparsityAttr, "sparse operands">;

def HLO_ReplicaGroupsAttr : HLO_Attr<"ReplicaGroups", "replica_groups"> {
  let summary = "groups of participants of a collective";
  let description = [{
    `ids` lists the groups one after the other, `sizes` how many belong to each; both are empty
    for one group of all. `text` is the short form in which the groups were written
    (`[2,4]<=[8]`), null for plain lists.
  }];
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$ids, OptionalArrayRefParameter<"int64_t">:$sizes,
                        OptionalParameter<"::mlir::StringAttr">:$text);
  let assemblyFormat = [{
    `<` `[` (`]`) : ($ids^ `]`)? `of` `[` (`]`) : ($sizes^ `]`)? (`as` $text^)? `>`
  }];
}

def HLO_ResultAccuracyAttr : HLO_Attr<"ResultAccuracy", "result_accuracy"> {
  let summary = "`result_accuracy={mode=highest}` or `{tolerance={atol=..,rtol=..,ulps=..}}`";
  let parameters = (ins StringRefParameter<"default, highest or tolerance">:$mode,
                        "::mlir::FloatAttr":$atol, "::mlir::FloatAttr":$rtol, "int64_t":$ulps);
  let assemblyFormat = "`<` $mode `,` $atol `,` $rtol `,` $ulps `>`";
}

def HLO_BufferAliasAttr : HLO_Attr<"BufferAlias", "alias"> {
  let summary = "part of a result that shares memory with part of an operand or parameter";
  let description = [{
    One entry of `input_output_alias` (of a module) or `output_to_operand_aliasing` (of an
    instruction). `kind` is `may-alias` or `must-alias`, empty where the text has no kind.
  }];
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$output_index, "int64_t":$operand,
                        OptionalArrayRefParameter<"int64_t">:$operand_index,
                        StringRefParameter<"may-alias, must-alias or empty">:$kind);
  let assemblyFormat = [{
    `<` `[` (`]`) : ($output_index^ `]`)? `:` $operand `[` (`]`) : ($operand_index^ `]`)? $kind `>`
  }];
}

def HLO_ScheduleAttr : HLO_Attr<"Schedule", "schedule"> {
  let summary = "how a kernel is executed: what code generation needs in addition to the computation";
  let description = [{
    `strategy` names an entry of the table of strategies (passes/schedule/Strategies.h), which defines
    the details of the other parameters:
    - `tile`: the register tile, in rows and vectors.
    - `block`: the block sizes of the loops that are tiled for the caches, the outermost first.
    - `lanes`: elements of a vector; 0 if code generation chooses what fits the kernel's types.
    - `group`: successive elements of a contracting dimension that one instruction multiplies and
      adds.
    - `units`: number of independent parts of the work, or of each of its phases; `grain`: units per task. 0 if code generation
      computes them.
    - `scratch`: bytes of memory that a launch needs in addition to its operands.
    - `with`: names of options of the strategy that are on.
  }];
  let parameters = (ins StringRefParameter<"an entry of the table of strategies">:$strategy,
                        OptionalArrayRefParameter<"int64_t">:$tile,
                        OptionalArrayRefParameter<"int64_t">:$block,
                        DefaultValuedParameter<"int64_t", "0">:$lanes,
                        DefaultValuedParameter<"int64_t", "1">:$group,
                        DefaultValuedParameter<"int64_t", "0">:$units,
                        DefaultValuedParameter<"int64_t", "0">:$grain,
                        DefaultValuedParameter<"int64_t", "0">:$scratch,
                        OptionalArrayRefParameter<"::mlir::StringAttr">:$with);
  let assemblyFormat = [{
    `<` $strategy (`tile` `=` `[` $tile^ `]`)? (`block` `=` `[` $block^ `]`)?
    (`lanes` `=` $lanes^)? (`group` `=` $group^)? (`units` `=` $units^)? (`grain` `=` $grain^)?
    (`scratch` `=` $scratch^)? (`with` `=` `[` $with^ `]`)? `>`
  }];
  let extraClassDeclaration = [{
    bool has(::llvm::StringRef name) const {
      return ::llvm::any_of(getWith(), [&](::mlir::StringAttr one) { return one == name; });
    }
  }];
}
def HLO_ScheduleArray : TypedArrayAttrBase<HLO_ScheduleAttr, "one schedule per target">;

class HLO_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::hloc::hlo";
  let genSpecializedAttr = 0;
}
class HLO_EnumAttr<HLO_Enum enum, string mnemonic> : EnumAttr<HLO_Dialect, enum, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}
class HLO_Case<string symbol, int value, string text = symbol> : I32EnumAttrCase<symbol, value, text>;

def HLO_CostClass : HLO_Enum<"CostClass", "cost class of one element of a result", [
  HLO_Case<"Free", 0, "free">, HLO_Case<"Simple", 1, "simple">, HLO_Case<"Steps", 2, "steps">,
  HLO_Case<"Bits", 3, "bits">, HLO_Case<"Divide", 4, "divide">,
  HLO_Case<"Remainder", 5, "remainder">, HLO_Case<"Root", 6, "root">,
  HLO_Case<"Exponential", 7, "exponential">, HLO_Case<"Logarithm", 8, "logarithm">,
  HLO_Case<"Trigonometric", 9, "trigonometric">, HLO_Case<"Inverse", 10, "inverse">,
  HLO_Case<"Power", 11, "power">, HLO_Case<"Gather", 12, "gather">]>;

def HLO_Direction : HLO_Enum<"Direction", "compare's direction", [
  HLO_Case<"EQ", 0>, HLO_Case<"NE", 1>, HLO_Case<"GE", 2>, HLO_Case<"GT", 3>, HLO_Case<"LE", 4>,
  HLO_Case<"LT", 5>]>;
def HLO_DirectionAttr : HLO_EnumAttr<HLO_Direction, "direction">;

def HLO_ComparisonType : HLO_Enum<"ComparisonType", "compare's order", [
  HLO_Case<"FLOAT", 0>, HLO_Case<"TOTALORDER", 1>, HLO_Case<"SIGNED", 2>, HLO_Case<"UNSIGNED", 3>]>;
def HLO_ComparisonTypeAttr : HLO_EnumAttr<HLO_ComparisonType, "comparison">;

def HLO_FftType : HLO_Enum<"FftType", "kind of Fourier transform", [
  HLO_Case<"FFT", 0>, HLO_Case<"IFFT", 1>, HLO_Case<"RFFT", 2>, HLO_Case<"IRFFT", 3>]>;
def HLO_FftTypeAttr : HLO_EnumAttr<HLO_FftType, "fft_type">;

def HLO_Distribution : HLO_Enum<"Distribution", "rng's distribution", [
  HLO_Case<"Uniform", 0, "rng_uniform">, HLO_Case<"Normal", 1, "rng_normal">]>;
def HLO_DistributionAttr : HLO_EnumAttr<HLO_Distribution, "distribution">;

def HLO_RngAlgorithm : HLO_Enum<"RngAlgorithm", "rng-bit-generator's algorithm", [
  HLO_Case<"Default", 0, "rng_default">, HLO_Case<"ThreeFry", 1, "rng_three_fry">,
  HLO_Case<"Philox", 2, "rng_philox">]>;
def HLO_RngAlgorithmAttr : HLO_EnumAttr<HLO_RngAlgorithm, "rng_algorithm">;

def HLO_Transpose : HLO_Enum<"Transpose", "triangular-solve's transposition", [
  HLO_Case<"NoTranspose", 0, "NO_TRANSPOSE">, HLO_Case<"Transposed", 1, "TRANSPOSE">,
  HLO_Case<"Adjoint", 2, "ADJOINT">]>;
def HLO_TransposeAttr : HLO_EnumAttr<HLO_Transpose, "transpose_a">;

def HLO_FusionKind : HLO_Enum<"FusionKind", "kind of a fusion instruction", [
  HLO_Case<"kLoop", 0>, HLO_Case<"kInput", 1>, HLO_Case<"kOutput", 2>, HLO_Case<"kCustom", 3>]>;
def HLO_FusionKindAttr : HLO_EnumAttr<HLO_FusionKind, "fusion_kind">;

def HLO_Precision : HLO_Enum<"Precision", "precision of an operand", [
  HLO_Case<"Default", 0, "default">, HLO_Case<"High", 1, "high">, HLO_Case<"Highest", 2, "highest">]>;
def HLO_PrecisionAttr : HLO_EnumAttr<HLO_Precision, "precision">;
def HLO_PrecisionArray : TypedArrayAttrBase<HLO_PrecisionAttr, "one precision per operand">;

def HLO_CollectiveMode : HLO_Enum<"CollectiveMode", "how a collective numbers its participants", [
  HLO_Case<"CrossReplica", 0, "cross_replica">, HLO_Case<"CrossPartition", 1, "cross_partition">,
  HLO_Case<"CrossReplicaAndPartition", 2, "cross_replica_and_partition">,
  HLO_Case<"FlattenedId", 3, "flattened_id">]>;
def HLO_CollectiveModeAttr : HLO_EnumAttr<HLO_CollectiveMode, "mode">;

def HLO_DotAlgorithm : HLO_Enum<"DotAlgorithm", "how a dot multiplies and accumulates", [
  HLO_Case<"Unset", 0, "unset">,
  HLO_Case<"AnyF8AnyF8F32", 1, "dot_any_f8_any_f8_f32">,
  HLO_Case<"AnyF8AnyF8F32FastAccum", 2, "dot_any_f8_any_f8_f32_fast_accum">,
  HLO_Case<"F16F16F16", 3, "dot_f16_f16_f16">, HLO_Case<"F16F16F32", 4, "dot_f16_f16_f32">,
  HLO_Case<"BF16BF16BF16", 5, "dot_bf16_bf16_bf16">, HLO_Case<"BF16BF16F32", 6, "dot_bf16_bf16_f32">,
  HLO_Case<"BF16BF16F32X3", 7, "dot_bf16_bf16_f32_x3">,
  HLO_Case<"BF16BF16F32X6", 8, "dot_bf16_bf16_f32_x6">,
  HLO_Case<"BF16BF16F32X9", 9, "dot_bf16_bf16_f32_x9">,
  HLO_Case<"TF32TF32F32", 10, "dot_tf32_tf32_f32">,
  HLO_Case<"TF32TF32F32X3", 11, "dot_tf32_tf32_f32_x3">,
  HLO_Case<"F32F32F32", 12, "dot_f32_f32_f32">, HLO_Case<"F64F64F64", 13, "dot_f64_f64_f64">]>;
def HLO_DotAlgorithmAttr : HLO_EnumAttr<HLO_DotAlgorithm, "dot_algorithm">;

def HLO_ConvolutionKind : HLO_Enum<"ConvolutionKind", "role of a convolution in training", [
  HLO_Case<"Unset", 0, "unset">, HLO_Case<"Fprop", 1, "fprop">, HLO_Case<"Wgrad", 2, "wgrad">,
  HLO_Case<"Dgrad", 3, "dgrad">]>;
def HLO_ConvolutionKindAttr : HLO_EnumAttr<HLO_ConvolutionKind, "convolution_kind">;

def HLO_CustomCallApi : HLO_Enum<"CustomCallApi", "calling convention of a custom call", [
  HLO_Case<"Original", 0, "API_VERSION_ORIGINAL">,
  HLO_Case<"StatusReturning", 1, "API_VERSION_STATUS_RETURNING">,
  HLO_Case<"StatusReturningUnified", 2, "API_VERSION_STATUS_RETURNING_UNIFIED">,
  HLO_Case<"TypedFfi", 3, "API_VERSION_TYPED_FFI">]>;
def HLO_CustomCallApiAttr : HLO_EnumAttr<HLO_CustomCallApi, "api_version">;

def HLO_CustomCallSchedule : HLO_Enum<"CustomCallSchedule", "when to schedule a custom call", [
  HLO_Case<"None", 0, "SCHEDULE_NONE">, HLO_Case<"Latest", 1, "SCHEDULE_LATEST">,
  HLO_Case<"Earliest", 2, "SCHEDULE_EARLIEST">]>;
def HLO_CustomCallScheduleAttr
    : HLO_EnumAttr<HLO_CustomCallSchedule, "custom_call_schedule">;

def HLO_PaddingType : HLO_Enum<"PaddingType", "named padding of a custom call", [
  HLO_Case<"Invalid", 0, "PADDING_INVALID">, HLO_Case<"Valid", 1, "PADDING_VALID">,
  HLO_Case<"Same", 2, "PADDING_SAME">]>;
def HLO_PaddingTypeAttr : HLO_EnumAttr<HLO_PaddingType, "padding_type">;

//===- Operations ----------------------------------------------------------===//

// Every operation. Unless it is Pure, all passes keep it, in order.
class HLO_Op<string mnemonic, list<Trait> traits = []> : Op<HLO_Dialect, mnemonic, traits> {
  // What the verifier checks, numbered: the same numbers are next to the checks (infer/) and in the
  // names of the negative tests (test/hlo/errors/). Part of docs/operations.md.
  string constraints = "";
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

class HLO_CostsAs<string costClass>
    : ParamNativeOpTrait<"CostsAs", "::hloc::hlo::CostClass::" # costClass> {
  let cppNamespace = "::hloc::hlo";
}
// The cost class of an operation (compiler/target/Cost.h); Simple if none is given.
class HLO_Costs<string costClass>
    : TraitList<[HLO_CostInterface, HLO_CostsAs<costClass>]>;

// An operation with a rule (infer/Rules.h) that checks it and determines its result. Operations with
// variadic results have two forms: in HLO text one result, possibly a tuple; in programs without
// tuples one result for each leaf of it.
class HLO_CheckedOp<string mnemonic, list<Trait> traits = []> : HLO_Op<mnemonic, traits> {
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() { return ::hloc::hlo::verifyRule(*this); }
  }];
}

// Result types that follow from operands and attributes.
def HLO_InfersTrait : NativeOpTrait<"Infers", [], [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange a, ::mlir::TypeRange b);
  }], [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location> location,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
        ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::hloc::hlo::inferByRule<$cppClass>(
          context, location, {operands, attributes, properties, regions}, types);
    }
    ::llvm::LogicalResult $cppClass::refineReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location>, ::mlir::ValueRange,
        ::mlir::DictionaryAttr, ::mlir::OpaqueProperties, ::mlir::RegionRange,
        ::llvm::SmallVectorImpl<::mlir::Type> &) {
      return ::llvm::success(); // the verifier compares
    }
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange a, ::mlir::TypeRange b) {
      return ::hloc::hlo::typesAgree(a, b);
    }
  }]> {
  let cppNamespace = "::hloc::hlo";
}
def HLO_Infers : TraitList<[
  DeclareOpInterfaceMethods<InferTypeOpInterface, ["refineReturnTypes"]>,
  HLO_InfersTrait]>;


// An operation whose result type may be left out.
class HLO_InferredOp<string mnemonic, list<Trait> traits = []>
    : HLO_CheckedOp<mnemonic, traits # [HLO_Infers]>;

// An operation that calls computations: its rule needs their signatures, so it runs once the
// module's symbols are known.
class HLO_SymbolOp<string mnemonic, list<Trait> traits = []>
    : HLO_Op<mnemonic, traits # [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verifySymbolUses(::mlir::SymbolTableCollection &tables) {
      return ::hloc::hlo::verifyRule(*this, tables);
    }
  }];
}
class HLO_InferredSymbolOp<string mnemonic, list<Trait> traits = []>
    : HLO_SymbolOp<mnemonic, traits # [HLO_Infers]>;

defvar I64Array = DenseI64ArrayAttr;
class Opt<Attr attr> : OptionalAttr<attr>;
class Flag<string default> : DefaultValuedAttr<BoolAttr, default>;
class Count<string default> : DefaultValuedAttr<I64Attr, default>;

#endif
