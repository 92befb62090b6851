// SPDX-License-Identifier: Apache-2.0
// Transforms, linear algebra and random numbers.
#include "compiler/hlo/infer/Rules.h"

using namespace mlir;

namespace hloc::hlo {

FailureOr<Type> infer(FftOp::Adaptor op, const Rule &rule) {
  auto operand = expectArray(rule, op.getOperand().getType(), "the operand");
  if (failed(operand))
    return failure();
  Sizes length = op.getFftLength();
  int64_t rank = length.size();
  FftType type = op.getFftType();
  if (failed(expectRange(rule, rank, 1, 3, "the number of entries of fft_length"))) // C1
    return failure();
  for (int64_t size : length) // C2
    if (failed(expectRange(rule, size, 0, std::numeric_limits<int64_t>::max(), "fft_length")))
      return failure();
  Type element = operand->getElementType();
  bool wanted = type == FftType::RFFT ? element.isF32() || element.isF64() : isComplex(element);
  if (!wanted) // C3
    return rule.fail(Error::ElementType)
           << "expected " << (type == FftType::RFFT ? "f32 or f64" : "complex numbers") << " for "
           << stringifyFftType(type) << " but got " << toText(Type(*operand));
  if (operand->getRank() < rank) // C4
    return rule.fail(Error::Rank) << "expected the operand to have at least " << rank
                                  << " dimensions but got " << toText(Type(*operand));
  Shape shape(*operand);
  int64_t first = shape.getRank() - rank;
  // C5: the dimensions have the size of fft_length, the last of IRFFT half of it.
  for (int64_t i = 0; i < rank && type != FftType::FFT && type != FftType::IFFT; ++i) {
    int64_t size = shape.sizes[first + i], wantedSize = length[i];
    if (type == FftType::IRFFT && i == rank - 1)
      wantedSize = wantedSize == 0 && size == 0 ? 0 : wantedSize / 2 + 1;
    if (!sizesAgree(size, wantedSize))
      return rule.fail(Error::SizesDiffer)
             << "expected dimension " << first + i << " to have size " << wantedSize << " for "
             << stringifyFftType(type) << " of length " << toText(length) << " but got "
             << toText(Type(*operand));
  }
  if (type == FftType::RFFT) {
    shape.element = ComplexType::get(element);
    if (length.back() != 0)
      shape.sizes.back() = length.back() / 2 + 1;
  } else if (type == FftType::IRFFT) {
    shape.element = cast<ComplexType>(element).getElementType();
    shape.sizes.back() = length.back();
    shape.dynamic.back() = false;
  } else {
    return Type(*operand);
  }
  return Type(shape.getType());
}

/// C1: floats or complex numbers; C2: square matrices in the last two dimensions.
static FailureOr<RankedTensorType> expectSquare(const Rule &rule, Type type, const Twine &what) {
  auto array = expectArray(rule, type, what);
  if (failed(array))
    return failure();
  if (!isFloat(array->getElementType()) && !isComplex(array->getElementType()))
    return rule.fail(Error::ElementType)
           << "expected " << what << " to have floats or complex numbers but got " << toText(type);
  SmallVector<int64_t, 6> sizes = getBounds(*array);
  size_t rank = sizes.size();
  if (rank < 2 || !sizesAgree(sizes[rank - 2], sizes[rank - 1]))
    return rule.fail(Error::SizesDiffer)
           << "expected " << what << " to be square in its last two dimensions but got "
           << toText(type);
  return array;
}

FailureOr<Type> infer(CholeskyOp::Adaptor op, const Rule &rule) {
  auto array = expectSquare(rule, op.getOperand().getType(), "the operand");
  if (failed(array))
    return failure();
  return Type(*array);
}

FailureOr<Type> infer(TriangularSolveOp::Adaptor op, const Rule &rule) {
  auto a = expectSquare(rule, op.getA().getType(), "a");
  auto b = expectArray(rule, op.getB().getType(), "b");
  if (failed(a) || failed(b) ||
      failed(expectSameElement(rule, a->getElementType(), b->getElementType(), "b")) ||
      failed(expectRank(rule, *b, a->getRank(), "b")))
    return failure();
  SmallVector<int64_t, 6> left = getBounds(*a), right = getBounds(*b);
  size_t rank = left.size();
  if (!sizesAgree(left[rank - 1], right[rank - (op.getLeftSide() ? 2 : 1)])) // C3
    return rule.fail(Error::SizesDiffer)
           << "expected " << (op.getLeftSide() ? "rows" : "columns") << " of b to match a, "
           << toText(Type(*a)) << ", but got " << toText(Type(*b));
  if (!sizesAgree(Sizes(left).drop_back(2), Sizes(right).drop_back(2))) // C4
    return rule.fail(Error::SizesDiffer)
           << "expected the leading dimensions of b to be those of a, " << toText(Type(*a))
           << ", but got " << toText(Type(*b));
  return Type(*b);
}

FailureOr<Type> infer(RngOp::Adaptor op, const Rule &rule) {
  auto declared = expectDeclaredArray(rule);
  if (failed(declared) || failed(expectScalar(rule, op.getA().getType(), "a")) || // C1
      failed(expectScalar(rule, op.getB().getType(), "b")))
    return failure();
  Type element = getElementTypeOrSelf(op.getA());
  if (failed(expectSameElement(rule, element, getElementTypeOrSelf(op.getB()), "b")) || // C2
      failed(expectSameElement(rule, element, declared->getElementType(), "the result")))
    return failure();
  bool admitted =
      isFloat(element) || (op.getDistribution() == Distribution::Uniform && !isComplex(element));
  if (!admitted) // C3
    return rule.fail(Error::ElementType)
           << "distribution " << stringifyDistribution(op.getDistribution()) << " does not give "
           << elementToText(element);
  return Type(*declared);
}

FailureOr<Type> infer(RngBitGeneratorOp::Adaptor op, const Rule &rule) {
  auto state = expectArray(rule, op.getState().getType(), "state");
  if (failed(state))
    return failure();
  TypeRange results = rule.getDeclaredTypes();
  auto tuple = results.size() == 1 ? dyn_cast<TupleType>(results[0]) : TupleType();
  if (tuple)
    results = tuple.getTypes();
  // C1: the new state and the bits; the bits alone if the text states an array.
  bool bitsAlone = results.size() == 1 && isa<RankedTensorType>(results[0]) && !tuple;
  if (!bitsAlone && (results.size() != 2 || !isa<RankedTensorType>(results[1])))
    return rule.fail(Error::ResultShape)
           << "expected a result of the new state and the bits but got " << toText(results);
  bool mayHaveThree = op.getAlgorithm() != RngAlgorithm::ThreeFry;
  SmallVector<int64_t, 6> words = getBounds(*state);
  bool isState = words.size() == 1 && (words[0] == 2 || (mayHaveThree && words[0] == 3)) &&
                 state->getElementType().isUnsignedInteger(64);
  if (!isState) // C2
    return rule.fail(Error::OperandKind)
           << "expected a state of type u64[2]" << (mayHaveThree ? " or u64[3]" : "") << " but got "
           << toText(Type(*state));
  Type element = getElementTypeOrSelf(results.back());
  if (!isInteger(element) && !isFloat(element)) // C3
    return rule.fail(Error::ElementType)
           << "expected bits of integers or floats but got " << toText(results.back());
  if (bitsAlone)
    return results[0];
  return Type(TupleType::get(state->getContext(), {*state, results[1]}));
}

FailureOr<Type> infer(RngGetAndUpdateStateOp::Adaptor op, const Rule &rule) {
  MLIRContext *context = op.getDeltaAttr().getContext();
  return Type(RankedTensorType::get({2}, IntegerType::get(context, 64, IntegerType::Unsigned)));
}

} // namespace hloc::hlo
