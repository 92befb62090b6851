// SPDX-License-Identifier: Apache-2.0
// Operations that compute each element of the result from the same element of the operands.

include "compiler/hlo/HloBase.td"
include "llvm/TableGen/SearchableTable.td"

// Marks the elementwise operations for passes and codegen.
def HLO_Elementwise : NativeOpTrait<"Elementwise"> {
  let cppNamespace = "::hloc::hlo";
}

// The element types that an operation accepts, in words and as Kinds (infer/Rules.h).
class HLO_Kinds<string inWords, string inCpp> {
  string words = inWords;
  string cpp = inCpp;
}
def HLO_AnyKind : HLO_Kinds<"any elements", "Kinds::Any">;
def HLO_Bits : HLO_Kinds<"pred or integers", "Kinds::Bits">;
def HLO_Integers : HLO_Kinds<"integers", "Kinds::Integers">;
def HLO_Floats : HLO_Kinds<"floats", "Kinds::Float">;
def HLO_FloatsOrComplex : HLO_Kinds<"floats or complex numbers", "Kinds::Float | Kinds::Complex">;
def HLO_IntegersOrFloats : HLO_Kinds<"integers or floats", "Kinds::Real">;
def HLO_Numbers : HLO_Kinds<"integers, floats or complex numbers", "Kinds::Numbers">;
def HLO_SignedNumbers : HLO_Kinds<"signed integers, floats or complex numbers",
                                  "Kinds::Signed | Kinds::Float | Kinds::Complex">;

// Operations whose only rule is that operands and result have the same type, of these kinds. Others
// have separate rules (infer/Elementwise.cpp).
class HLO_OneTypeOp<string mnemonic, HLO_Kinds admitted, list<Trait> traits>
    : HLO_InferredOp<mnemonic, traits> {
  string admittedKinds = admitted.cpp;
}
// The table of these rules, which infer/Elementwise.cpp includes.
def OneTypeRules : GenericTable {
  let FilterClass = "HLO_OneTypeOp";
  let CppTypeName = "OneTypeRule";
  let Fields = ["opName", "admittedKinds"];
  string TypeOf_admittedKinds = "code";
}

class HLO_UnaryRuleOp<string mnemonic, HLO_Kinds kinds, string cost = "Simple">
    : HLO_InferredOp<mnemonic, [Pure, HLO_Elementwise, HLO_Costs<cost>]> {
  let constraints = "- C1: `operand` has " # kinds.words # ".";
  let arguments = (ins HLO_Array:$operand);
  let results = (outs HLO_Array:$result);
}
class HLO_UnaryOp<string mnemonic, HLO_Kinds kinds, string cost = "Simple">
    : HLO_OneTypeOp<mnemonic, kinds, [Pure, HLO_Elementwise, HLO_Costs<cost>]> {
  let constraints = "- C1: `operand` has " # kinds.words # ".";
  let arguments = (ins HLO_Array:$operand);
  let results = (outs HLO_Array:$result);
}

// A unary operation whose accuracy the text may specify.
class HLO_TranscendentalOp<string mnemonic, string cost, HLO_Kinds kinds = HLO_FloatsOrComplex>
    : HLO_OneTypeOp<mnemonic, kinds, [Pure, HLO_Elementwise, HLO_Costs<cost>]> {
  let constraints = "- C1: `operand` has " # kinds.words # ".";
  let arguments = (ins HLO_Array:$operand, Opt<HLO_ResultAccuracyAttr>:$result_accuracy);
  let results = (outs HLO_Array:$result);
}

class HLO_BinaryConstraints<string admitted> {
  string text = "- C1: `lhs` has " # admitted # ".\n- C2: `rhs` has its element type\n- C3: and shape.";
}
class HLO_BinaryOp<string mnemonic, HLO_Kinds kinds, list<Trait> traits = []>
    : HLO_OneTypeOp<mnemonic, kinds, traits # [Pure, HLO_Elementwise]> {
  let constraints = HLO_BinaryConstraints<kinds.words>.text;
  let arguments = (ins HLO_Array:$lhs, HLO_Array:$rhs);
  let results = (outs HLO_Array:$result);
}

def HLO_AbsOp : HLO_UnaryRuleOp<"abs", HLO_SignedNumbers> {
  let summary = "absolute value; a real number for a complex one";
}
def HLO_CeilOp : HLO_UnaryOp<"ceil", HLO_Floats> {
  let summary = "smallest integer that is not less than the operand";
}
def HLO_CountLeadingZerosOp : HLO_UnaryOp<"count_leading_zeros", HLO_Integers, "Bits"> {
  let summary = "number of zero bits above the highest set bit";
}
def HLO_FloorOp : HLO_UnaryOp<"floor", HLO_Floats> {
  let summary = "largest integer that is not greater than the operand";
}
def HLO_ImagOp : HLO_UnaryRuleOp<"imag", HLO_FloatsOrComplex> {
  let summary = "imaginary part";
}
def HLO_IsFiniteOp : HLO_UnaryRuleOp<"is_finite", HLO_Floats> {
  let summary = "true if the operand is neither infinite nor NaN";
}
def HLO_NegateOp : HLO_UnaryOp<"negate", HLO_Numbers> {
  let summary = "the operand with its sign changed";
}
def HLO_NotOp : HLO_UnaryOp<"not", HLO_Bits> {
  let summary = "bitwise complement; for pred, logical negation";
}
def HLO_PopcntOp : HLO_UnaryOp<"popcnt", HLO_Integers, "Bits"> { let summary = "number of set bits"; }
def HLO_RealOp : HLO_UnaryRuleOp<"real", HLO_FloatsOrComplex> { let summary = "real part"; }
def HLO_RoundNearestAfzOp : HLO_UnaryOp<"round_nearest_afz", HLO_Floats, "Steps"> {
  let summary = "nearest integer, halves away from zero";
}
def HLO_RoundNearestEvenOp : HLO_UnaryOp<"round_nearest_even", HLO_Floats> {
  let summary = "nearest integer, halves to even";
}
def HLO_SignOp : HLO_UnaryOp<"sign", HLO_SignedNumbers, "Steps"> {
  let summary = "-1, 0 or 1; z/|z| of a complex number";
}

def HLO_AcosOp : HLO_TranscendentalOp<"acos", "Inverse"> { let summary = "arc cosine"; }
def HLO_AcoshOp : HLO_TranscendentalOp<"acosh", "Inverse"> { let summary = "inverse hyperbolic cosine"; }
def HLO_AsinOp : HLO_TranscendentalOp<"asin", "Inverse"> { let summary = "arc sine"; }
def HLO_AsinhOp : HLO_TranscendentalOp<"asinh", "Inverse"> { let summary = "inverse hyperbolic sine"; }
def HLO_AtanhOp : HLO_TranscendentalOp<"atanh", "Inverse"> { let summary = "inverse hyperbolic tangent"; }
def HLO_CbrtOp : HLO_TranscendentalOp<"cbrt", "Trigonometric"> { let summary = "cube root"; }
def HLO_CosineOp : HLO_TranscendentalOp<"cosine", "Trigonometric"> { let summary = "cosine"; }
def HLO_CoshOp : HLO_TranscendentalOp<"cosh", "Inverse"> { let summary = "hyperbolic cosine"; }
def HLO_ErfOp : HLO_TranscendentalOp<"erf", "Logarithm", HLO_Floats> { let summary = "error function"; }
def HLO_ExponentialOp : HLO_TranscendentalOp<"exponential", "Exponential"> {
  let summary = "e to the power of the operand";
}
def HLO_ExponentialMinusOneOp : HLO_TranscendentalOp<"exponential_minus_one", "Trigonometric"> {
  let summary = "e^x - 1";
}
def HLO_LogOp : HLO_TranscendentalOp<"log", "Logarithm"> { let summary = "natural logarithm"; }
def HLO_LogPlusOneOp : HLO_TranscendentalOp<"log_plus_one", "Trigonometric"> { let summary = "log(1 + x)"; }
def HLO_LogisticOp : HLO_TranscendentalOp<"logistic", "Logarithm"> { let summary = "1 / (1 + e^-x)"; }
def HLO_RsqrtOp : HLO_TranscendentalOp<"rsqrt", "Root"> { let summary = "1 / square root"; }
def HLO_SineOp : HLO_TranscendentalOp<"sine", "Trigonometric"> { let summary = "sine"; }
def HLO_SinhOp : HLO_TranscendentalOp<"sinh", "Inverse"> { let summary = "hyperbolic sine"; }
def HLO_SqrtOp : HLO_TranscendentalOp<"sqrt", "Root"> { let summary = "square root"; }
def HLO_TanOp : HLO_TranscendentalOp<"tan", "Inverse"> { let summary = "tangent"; }
def HLO_TanhOp : HLO_TranscendentalOp<"tanh", "Exponential"> { let summary = "hyperbolic tangent"; }

def HLO_AddOp : HLO_BinaryOp<"add", HLO_AnyKind, [Commutative]> {
  let summary = "sum; for pred, logical or";
}
def HLO_AndOp : HLO_BinaryOp<"and", HLO_Bits, [Commutative]> {
  let summary = "bitwise and";
}
def HLO_Atan2Op : HLO_BinaryOp<"atan2", HLO_FloatsOrComplex, [HLO_Costs<"Inverse">]> {
  let summary = "angle of the point (rhs, lhs)";
}
def HLO_ComplexOp : HLO_InferredOp<"complex", [Pure, HLO_Elementwise]> {
  let constraints = HLO_BinaryConstraints<"f32 or f64 (C4)">.text;
  let arguments = (ins HLO_Array:$lhs, HLO_Array:$rhs);
  let results = (outs HLO_Array:$result);
  let summary = "complex number from its parts";
}
def HLO_DivideOp : HLO_BinaryOp<"divide", HLO_Numbers, [HLO_Costs<"Divide">]> {
  let summary = "quotient; for integers, truncated";
}
def HLO_MaximumOp : HLO_BinaryOp<"maximum", HLO_AnyKind, [Commutative]> {
  let summary = "greater operand; NaN if either is NaN";
}
def HLO_MinimumOp : HLO_BinaryOp<"minimum", HLO_AnyKind, [Commutative]> {
  let summary = "lesser operand; NaN if either is NaN";
}
def HLO_MulhiOp : HLO_BinaryOp<"mulhi", HLO_Integers, [Commutative]> {
  let summary = "high half of the double-width product";
}
def HLO_MultiplyOp : HLO_BinaryOp<"multiply", HLO_AnyKind, [Commutative]> {
  let summary = "product; for pred, logical and";
}
def HLO_OrOp : HLO_BinaryOp<"or", HLO_Bits, [Commutative]> { let summary = "bitwise or"; }
def HLO_PowerOp : HLO_BinaryOp<"power", HLO_Numbers, [HLO_Costs<"Power">]> {
  let summary = "lhs to the power of rhs";
}
def HLO_RemainderOp : HLO_BinaryOp<"remainder", HLO_IntegersOrFloats, [HLO_Costs<"Remainder">]> {
  let summary = "remainder of truncated division, with the dividend's sign";
}
def HLO_ShiftLeftOp : HLO_BinaryOp<"shift_left", HLO_Integers> {
  let summary = "left shift; 0 if the distance is the width or more";
}
def HLO_ShiftRightArithmeticOp : HLO_BinaryOp<"shift_right_arithmetic", HLO_Integers> {
  let summary = "right shift that copies the sign";
}
def HLO_ShiftRightLogicalOp : HLO_BinaryOp<"shift_right_logical", HLO_Integers> {
  let summary = "right shift that fills with zeros";
}
def HLO_SubtractOp : HLO_BinaryOp<"subtract", HLO_Numbers> {
  let summary = "difference";
}
def HLO_XorOp : HLO_BinaryOp<"xor", HLO_Bits, [Commutative]> {
  let summary = "bitwise exclusive or";
}

def HLO_ClampOp : HLO_InferredOp<"clamp", [Pure, HLO_Elementwise, HLO_Costs<"Steps">]> {
  let summary = "operand limited to [min, max], which may be scalars";
  let constraints = [{
    - C1: `operand` has elements of pred, integers or floats.
    - C2: `min` and `max` are scalars of its element type, or arrays of its type.
  }];
  let arguments = (ins HLO_Array:$min, HLO_Array:$operand, HLO_Array:$max);
  let results = (outs HLO_Array:$result);
}

def HLO_CompareOp : HLO_InferredOp<"compare", [Pure, HLO_Elementwise]> {
  let summary = "comparison, giving pred";
  let constraints = [{
    - C1: `lhs` and `rhs` are arrays of any elements,
    - C2: of one element type
    - C3: and one shape.
    - C4: Complex numbers are compared with EQ and NE only.
    - C5: `type` fits the element type: FLOAT or TOTALORDER for floats, SIGNED or UNSIGNED for
      integers.
  }];
  let arguments = (ins HLO_Array:$lhs, HLO_Array:$rhs, HLO_DirectionAttr:$direction,
                       Opt<HLO_ComparisonTypeAttr>:$type);
  let results = (outs HLO_Array:$result);
}

def HLO_SelectOp : HLO_InferredOp<"select", [Pure, HLO_Elementwise]> {
  let summary = "on_true where pred holds, else on_false; pred may be a scalar";
  let constraints = [{
    - C1: `pred` has elements of pred.
    - C2: `on_true` and `on_false` have one element type
    - C3: and one shape.
    - C4: `pred` is a scalar or has their dimensions.
  }];
  let arguments = (ins HLO_Array:$pred, HLO_Array:$on_true, HLO_Array:$on_false);
  let results = (outs HLO_Array:$result);
}

def HLO_ConvertOp : HLO_CheckedOp<"convert", [Pure, HLO_Elementwise]> {
  let summary = "value converted to another element type: saturating to integers, rounding to floats";
  let constraints = [{
    - C1: The result has the dimensions of `operand`.
  }];
  let arguments = (ins HLO_Array:$operand);
  let results = (outs HLO_Array:$result);
}

def HLO_ReducePrecisionOp : HLO_CheckedOp<"reduce_precision", [Pure, HLO_Elementwise, HLO_Costs<"Bits">]> {
  let summary = "value rounded to fewer exponent and mantissa bits";
  let constraints = [{
    - C1: `operand` has floats.
    - C2: `exponent_bits` is at least 1, `mantissa_bits` at least 0.
  }];
  let arguments = (ins HLO_Array:$operand, I64Attr:$exponent_bits, I64Attr:$mantissa_bits);
  let results = (outs HLO_Array:$result);
}

def HLO_StochasticConvertOp : HLO_CheckedOp<"stochastic_convert", [Pure, HLO_Elementwise, HLO_Costs<"Bits">]> {
  let summary = "conversion rounded up or down at random";
  let constraints = [{
    - C1: `operand` has floats.
    - C2: `random` has unsigned integers of the operand's width
    - C3: and its dimensions.
    - C4: The result has integers (not pred) or floats.
  }];
  let arguments = (ins HLO_Array:$operand, HLO_Array:$random);
  let results = (outs HLO_Array:$result);
}
