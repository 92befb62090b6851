// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/ErrorRules.h"
#include "compiler/hlo/infer/Shape.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc {

/// The error of values that are moved or selected.
Known passOn(ArrayRef<Leaves> operands) {
  Known result;
  for (const Leaves &leaves : operands)
    for (const Known &leaf : leaves) {
      if (leaf.error.absolute > result.error.absolute)
        result.error.reason = leaf.error.reason;
      result.error.absolute = std::max(result.error.absolute, leaf.error.absolute);
      result.error.relative = std::max(result.error.relative, leaf.error.relative);
      result.unrounded |= leaf.unrounded;
    }
  return result;
}

/// Tightens each of the two bounds by the other one and by the magnitude.
void settle(Known &known, const Magnitude &size) {
  known.size = size;
  ErrorBound &error = known.error;
  error.isRelative =
      std::isfinite(error.relative) && error.relative * size.largest <= error.absolute;
  error.absolute = std::min(error.absolute, error.relative * size.largest);
  if (error.absolute == 0)
    error.relative = 0;
  else if (size.smallest > 0 && std::isfinite(size.smallest))
    error.relative = std::min(error.relative, error.absolute / size.smallest);
  if (std::isnan(error.absolute) || std::isnan(error.relative)) // 0 * infinity
    error.absolute = error.relative = INFINITY;
}

bool onlyMoves(Operation *op) {
  if (auto bitcast = dyn_cast<BitcastOp>(op))
    return getElementTypeOrSelf(bitcast.getOperand()) == getElementTypeOrSelf(bitcast.getResult());
  return isa<BroadcastOp, ConstantOp, CopyOp, GetTupleElementOp, IotaOp, ReshapeOp, ReverseOp,
             SliceOp, TransposeOp, TupleOp>(op);
}

void addRounding(Known &known, Type element) {
  // Both parts of a complex number are rounded.
  double unit = getUlp(element) / (isa<ComplexType>(element) ? 1 : 2);
  ErrorBound &error = known.error;
  if (unit > 0 && error.isExact())
    error = {unit, unit * known.size.largest, true, error.reason};
  else if (unit > 0) {
    error.relative += unit;
    error.absolute += unit * known.size.largest;
  }
}

namespace {

/// The error in ulp of a function of complex numbers, and of a function of a narrow type, which is
/// computed in f32.
constexpr double kComplexUlps = 16, kNarrowUlps = 1;
/// The number of roundings that follow each other in a sum, and the margin over likely errors.
constexpr double kSumBlock = 512, kLikely = 4;

/// A function's own error in ulp, and its condition: the greatest slope if that is a number, or a
/// rule for relative errors.
struct Function {
  StringRef name;
  double ulps;
  enum Slope { AtMostOne, OwnValue, OfLogarithm, Root, Unknown } slope;
};
/// Functions with rules of their own.
constexpr Function kFunctions[] = {
    {"hlo.asinh", 4, Function::AtMostOne},
    {"hlo.atan2", 4, Function::Unknown},
    {"hlo.cbrt", 2, Function::Root},
    {"hlo.cosh", 4, Function::OwnValue},
    {"hlo.cosine", 2, Function::AtMostOne},
    {"hlo.erf", 4, Function::AtMostOne},
    {"hlo.exponential", 4, Function::OwnValue},
    {"hlo.exponential_minus_one", 4, Function::OwnValue},
    {"hlo.log", 4, Function::OfLogarithm},
    {"hlo.log_plus_one", 4, Function::OfLogarithm},
    {"hlo.logistic", 4, Function::AtMostOne},
    {"hlo.power", 4, Function::Unknown},
    {"hlo.rsqrt", 2, Function::Root},
    {"hlo.sine", 2, Function::AtMostOne},
    {"hlo.sinh", 4, Function::OwnValue},
    {"hlo.sqrt", 0, Function::Root},
    {"hlo.tanh", 4, Function::AtMostOne},
};

/// True if it is computed to some accuracy, which the text may specify.
bool isFunction(Operation *op) {
  return llvm::any_of(op->getName().getAttributeNames(),
                      [](StringAttr name) { return name == "result_accuracy"; });
}

Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }

/// Ulp of the type in which sums of an element type are kept.
double sumUlp(Type element) { return std::min(getUlp(element), std::ldexp(1.0, -23)); }

/// The error of a sum of `terms` numbers of at most `largest`, whose roundings go in random
/// directions.
double errorOfSum(double terms, double largest, double ulp) {
  return terms < 2 ? 0
                   : kLikely * std::sqrt(terms * std::min(terms, kSumBlock)) * largest * ulp / 2;
}

/// The error of a sum of equal terms, which is at most `sum`: all roundings may go in the same
/// direction, each by half a unit of the partial sum. Products and elements of windows are summed
/// in blocks; in f64 the evaluator sums all terms in sequence; other sums have many partial sums.
double errorOfEqualTerms(Operation *op, Type element, double terms, double sum) {
  if (terms < 2)
    return 0;
  bool hasBlocks = isa<DotOp, RaggedDotOp, ScaledDotOp, ConvolutionOp, ReduceWindowOp>(op);
  bool isDouble = getUlp(element) > 0 && getUlp(element) < std::ldexp(1.0, -24);
  double inOrder = isDouble ? terms : hasBlocks ? std::min(terms, kSumBlock) : 0;
  return inOrder / 4 * sum * sumUlp(element);
}

std::string nameOf(Operation *op) {
  std::string name = op->getName().stripDialect().str();
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

} // namespace

Known boundSum(Operation *op, Type element, double terms, double largest, double carried,
               const Magnitude &size) {
  Known result;
  result.error.absolute = carried + std::max(errorOfSum(terms, largest, sumUlp(element)),
                                             errorOfEqualTerms(op, element, terms, size.largest));
  if (result.error.absolute > 0)
    result.error.absolute += getUlp(element) * size.largest;
  result.error.relative = INFINITY;
  result.error.reason = nameOf(op) + " of " + std::to_string(int64_t(terms));
  settle(result, size);
  return result;
}

double countTerms(Operation *op) {
  auto product = [](ArrayRef<int64_t> sizes) {
    double result = 1;
    for (int64_t size : sizes)
      result *= double(std::max<int64_t>(size, 1));
    return result;
  };
  auto sizesOf = [](Value value) { return getBounds(cast<RankedTensorType>(value.getType())); };
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case([&](ReduceOp reduce) {
        double terms = 1;
        for (int64_t dimension : reduce.getDimensions())
          terms *= double(std::max<int64_t>(sizesOf(op->getOperand(0))[dimension], 1));
        return terms + 1;
      })
      .Case<ReduceWindowOp, SelectAndScatterOp>(
          [&](auto window) { return product(window.getWindow().getSizes()) + 1; })
      .Case([&](ScatterOp scatter) { return product(sizesOf(scatter->getOperands().back())) + 1; })
      .Case<DotOp, RaggedDotOp, ScaledDotOp>([&](auto dot) {
        // Each part of a complex product is a sum of two.
        double terms = isa<ComplexType>(elementOf(dot.getResult())) ? 2 : 1;
        for (int64_t dimension : dot.getLhsContractingDims())
          terms *= double(std::max<int64_t>(sizesOf(dot.getLhs())[dimension], 1));
        return terms;
      })
      .Case([&](ConvolutionOp convolution) {
        auto kernel = sizesOf(convolution.getRhs());
        int64_t out = kernel[convolution.getDimLabels().getKernelOutputFeature()];
        return product(kernel) / double(std::max<int64_t>(out, 1));
      })
      .Default([&](Operation *) { return product(sizesOf(op->getOperand(0))); });
}

namespace {

Known boundFunction(Operation *op, const Function &function, ArrayRef<Leaves> operands,
                    const Magnitude &size) {
  Type element = elementOf(op->getResult(0));
  double ulp = getUlp(element);
  double own = function.ulps * ulp;
  if (isa<ComplexType>(element))
    own = kComplexUlps * ulp;
  else if (own > 0 && ulp > std::ldexp(1.0, -23))
    own = kNarrowUlps * ulp;
  Known x = operands.empty() || operands[0].empty() ? Known() : operands[0][0], result;
  bool exact = llvm::all_of(operands, [](const Leaves &leaves) {
    return llvm::all_of(leaves, [](const Known &leaf) { return leaf.error.isExact(); });
  });
  double relative = x.error.relative, absolute = x.error.absolute;
  result.error = {own, INFINITY, false, nameOf(op)};
  if (!exact) {
    own += ulp; // the exact value may be near the middle
    switch (function.slope) {
    case Function::AtMostOne:
      result.error = {INFINITY, absolute + own * size.largest, false, nameOf(op)};
      break;
    case Function::OwnValue:
      result.error.relative = own + absolute;
      break;
    case Function::OfLogarithm:
      result.error = {INFINITY, relative + own * size.largest, false, nameOf(op)};
      break;
    case Function::Root:
      result.error.relative = own + relative;
      break;
    case Function::Unknown: // of a function that is assumed not to be steep
      result.error = {INFINITY, 16 * (relative + absolute) + own * size.largest, false, nameOf(op)};
      break;
    }
  }
  if (isa<ComplexType>(element)) // one part may be much smaller than the other
    result.error = {INFINITY, std::min(result.error.absolute, result.error.relative * size.largest),
                    false, nameOf(op)};
  settle(result, size);
  return result;
}

/// Sums, products, quotients.
Known boundArithmetic(Operation *op, const Known &a, const Known &b, const Magnitude &size) {
  Type element = elementOf(op->getResult(0));
  double ulp = getUlp(element);
  bool exact = a.error.isExact() && b.error.isExact(), isComplex = isa<ComplexType>(element);
  double rounding = exact ? 0 : ulp;
  Known result;
  result.error.reason = a.error.absolute > b.error.absolute ? a.error.reason : b.error.reason;
  if (isa<AddOp, SubtractOp>(op)) {
    double unrounded = (a.unrounded ? a.size.largest : 0) + (b.unrounded ? b.size.largest : 0);
    if (unrounded > 0) // an unrounded operand changes the sum that is rounded
      rounding = ulp;
    result.error.absolute =
        a.error.absolute + b.error.absolute + rounding * size.largest + ulp * unrounded;
    result.error.relative = INFINITY;
    if (exact && unrounded > 0)
      result.error.reason = nameOf(op) + " of a product";
  } else {
    double own = rounding + (isComplex ? (isa<MultiplyOp>(op) ? 4 : kComplexUlps) * ulp : 0);
    result.error.relative = a.error.relative + b.error.relative + own;
    result.error.absolute = isComplex ? result.error.relative * size.largest : INFINITY;
    if (isa<MultiplyOp>(op))
      result.error.absolute = std::min(result.error.absolute,
                                       a.error.absolute * b.size.largest +
                                           b.error.absolute * a.size.largest + own * size.largest);
    if (isComplex) {
      result.error.relative = INFINITY;
      result.error.reason = nameOf(op);
    }
    result.unrounded = isa<MultiplyOp>(op) && ulp > 0;
  }
  settle(result, size);
  return result;
}

} // namespace

Known boundArray(Operation *op, Type element, ArrayRef<Leaves> operands, const Magnitude &size) {
  auto first = [&](unsigned i) {
    return i < operands.size() && !operands[i].empty() ? operands[i][0] : Known();
  };
  for (const Function &function : kFunctions)
    if (op->getName().getStringRef() == function.name)
      return boundFunction(op, function, operands, size);
  if (isFunction(op))
    return boundFunction(op, {op->getName().getStringRef(), 4, Function::Unknown}, operands, size);
  if (isa<AbsOp, SignOp>(op) && isa<ComplexType>(elementOf(op->getOperand(0)))) {
    auto slope = isa<AbsOp>(op) ? Function::AtMostOne : Function::Unknown;
    return boundFunction(op, {op->getName().getStringRef(), 4, slope}, operands, size);
  }
  if (isa<AddOp, SubtractOp, MultiplyOp, DivideOp>(op))
    return boundArithmetic(op, first(0), first(1), size);
  if (isa<DotOp, RaggedDotOp, ScaledDotOp, ConvolutionOp>(op) && getUlp(element) > 0) {
    Known a = first(0), b = first(1);
    double terms = countTerms(op), scale = 1;
    if (isa<ScaledDotOp>(op))
      scale = std::max(first(2).size.largest, 1.0) * std::max(first(3).size.largest, 1.0);
    double carried =
        terms * scale * (a.error.absolute * b.size.largest + b.error.absolute * a.size.largest);
    return boundSum(op, element, terms, scale * a.size.largest * b.size.largest, carried, size);
  }
  if (isa<FftOp, CholeskyOp, TriangularSolveOp, BatchNormTrainingOp, BatchNormInferenceOp,
          BatchNormGradOp, CustomCallOp, AllReduceOp, ReduceScatterOp>(op)) {
    Known all = passOn(operands);
    Magnitude given = size;
    for (const Leaves &leaves : operands)
      for (const Known &leaf : leaves)
        given.add(leaf.size);
    double terms = countTerms(op);
    return boundSum(op, element, std::max(terms, 16.0), given.largest, terms * all.error.absolute,
                    size);
  }
  Known result = passOn(operands);
  if (isa<ComplexOp>(op)) // the errors of the parts are independent
    result.error.absolute = std::hypot(first(0).error.absolute, first(1).error.absolute);
  if (isa<RngOp>(op))
    result.error = {INFINITY, INFINITY, false, "random numbers"};
  if (isa<ConvertOp, ReducePrecisionOp, StochasticConvertOp, RemainderOp>(op) &&
      !result.error.isExact()) { // the exact value may be near the middle
    double unit = getUlp(element);
    result.error.relative += unit;
    result.error.absolute += unit > 0 ? unit * size.largest : 1;
  }
  if (isa<CompareOp, IsFiniteOp>(op))
    result = Known();
  result.unrounded &= isa<ReshapeOp, BroadcastOp, TransposeOp, NegateOp, SliceOp, CopyOp>(op);
  settle(result, size);
  return result;
}

} // namespace hloc
