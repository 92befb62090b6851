// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/IndexBuilder.h"
#include "mlir/IR/Matchers.h"
#include <numeric>

using namespace mlir;

namespace hloc {

Type shapedLike(Value value, Type element) {
  auto vector = dyn_cast<VectorType>(value.getType());
  return vector ? Type(VectorType::get(vector.getShape(), element)) : element;
}

std::optional<int64_t> getConstant(Value index) {
  APInt value;
  if (index && matchPattern(index, m_ConstantInt(&value)))
    return value.getSExtValue();
  return std::nullopt;
}

bool VectorIndex::operator==(const VectorIndex &other) const {
  if (stride != other.stride || lanes != other.lanes)
    return false;
  if (base == other.base)
    return true;
  std::optional<int64_t> known = getConstant(base);
  return known && known == getConstant(other.base);
}

SmallVector<int64_t> getRowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t i = int64_t(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

VectorType IndexBuilder::getLaneVectorType() const { return VectorType::get({lanes}, laneType); }

Value IndexBuilder::constant(int64_t value) { return arith::ConstantIndexOp::create(b, value); }

VectorIndex IndexBuilder::uniform(int64_t index) {
  // Zero is a multiple of everything; 2^30 stands for that.
  return {constant(index), 0, index == 0 ? int64_t(1) << 30 : std::abs(index), {}};
}

Value IndexBuilder::splat(Value scalar) {
  return vector::BroadcastOp::create(b, VectorType::get({lanes}, scalar.getType()), scalar);
}

Value IndexBuilder::asVector(VectorIndex x) {
  if (x.lanes)
    return x.lanes;
  Value base = splat(b.createOrFold<arith::IndexCastOp>(laneType, x.base));
  if (x.stride == 0)
    return base;
  SmallVector<Attribute> steps;
  for (int64_t lane = 0; lane < lanes; ++lane)
    steps.push_back(b.getIntegerAttr(laneType, lane * x.stride));
  Value offsets = arith::ConstantOp::create(b, DenseElementsAttr::get(getLaneVectorType(), steps));
  return b.createOrFold<arith::AddIOp>(base, offsets);
}

VectorIndex IndexBuilder::fromInteger(Value x, bool isSigned) {
  Type type = x.getType();
  if (!isa<VectorType>(type)) {
    Value index = isSigned ? b.createOrFold<arith::IndexCastOp>(b.getIndexType(), x)
                           : b.createOrFold<arith::IndexCastUIOp>(b.getIndexType(), x);
    return uniform(index);
  }
  unsigned from = cast<VectorType>(type).getElementTypeBitWidth(),
           to = laneType.getIntOrFloatBitWidth();
  if (from < to)
    x = isSigned ? Value(arith::ExtSIOp::create(b, getLaneVectorType(), x))
                 : Value(arith::ExtUIOp::create(b, getLaneVectorType(), x));
  else if (from > to)
    x = arith::TruncIOp::create(b, getLaneVectorType(), x);
  return {{}, 0, 1, x};
}

SplitIndex splitConstant(Value index) {
  if (std::optional<int64_t> constant = getConstant(index))
    return {{}, *constant};
  if (auto add = index.getDefiningOp<arith::AddIOp>())
    if (std::optional<int64_t> constant = getConstant(add.getRhs())) {
      SplitIndex inner = splitConstant(add.getLhs());
      return {inner.variable, inner.constant + *constant};
    }
  return {index, 0};
}

Value IndexBuilder::join(SplitIndex parts) {
  if (!parts.variable)
    return constant(parts.constant);
  return parts.constant == 0 ? parts.variable
                             : arith::AddIOp::create(b, parts.variable, constant(parts.constant));
}

VectorIndex IndexBuilder::add(VectorIndex x, VectorIndex y) {
  if (x.isUniform() && getConstant(x.base) == 0)
    return y;
  if (y.isUniform() && getConstant(y.base) == 0)
    return x;
  if (x.base && y.base) {
    // Constants stay outermost, so that accesses that differ by constants share one address.
    SplitIndex p = splitConstant(x.base), q = splitConstant(y.base);
    Value variable = p.variable && q.variable
                         ? b.createOrFold<arith::AddIOp>(p.variable, q.variable)
                         : (p.variable ? p.variable : q.variable);
    return {join({variable, p.constant + q.constant}),
            x.stride + y.stride,
            std::gcd(x.multiple, y.multiple),
            {}};
  }
  return {{}, 0, 1, b.createOrFold<arith::AddIOp>(asVector(x), asVector(y))};
}

VectorIndex IndexBuilder::add(VectorIndex x, int64_t value) {
  return value == 0 ? x : add(x, uniform(value));
}

VectorIndex IndexBuilder::multiply(VectorIndex x, int64_t factor) {
  if (factor == 1)
    return x;
  if (factor == 0)
    return uniform(0);
  if (x.base) {
    SplitIndex parts = splitConstant(x.base);
    Value variable =
        parts.variable ? b.createOrFold<arith::MulIOp>(parts.variable, constant(factor)) : Value();
    return {join({variable, parts.constant * factor}),
            x.stride * factor,
            std::min<int64_t>(x.multiple * std::abs(factor), int64_t(1) << 30),
            {}};
  }
  Value by = splat(arith::ConstantOp::create(b, b.getIntegerAttr(laneType, factor)));
  return {{}, 0, 1, b.createOrFold<arith::MulIOp>(x.lanes, by)};
}

std::pair<VectorIndex, VectorIndex> IndexBuilder::divideWithRemainder(VectorIndex x, int64_t size) {
  if (size == 1)
    return {uniform(0), x};
  if (x.base) {
    int64_t span = std::abs(x.stride) * lanes;
    // All lanes are in one run of `size` if the size and the base are multiples of the span.
    bool oneRun = x.stride == 0 || (x.stride > 0 && size % span == 0 && x.multiple % span == 0);
    if (oneRun) {
      Value by = constant(size);
      VectorIndex low{
          b.createOrFold<arith::RemUIOp>(x.base, by), x.stride, std::gcd(x.multiple, size), {}};
      VectorIndex high{b.createOrFold<arith::DivUIOp>(x.base, by),
                       0,
                       x.multiple % size == 0 ? x.multiple / size : 1,
                       {}};
      return {low, high};
    }
  }
  Value lanesOf = asVector(x);
  Value by = splat(arith::ConstantOp::create(b, b.getIntegerAttr(laneType, size)));
  Value quotient = b.createOrFold<arith::DivUIOp>(lanesOf, by);
  Value remainder =
      b.createOrFold<arith::SubIOp>(lanesOf, b.createOrFold<arith::MulIOp>(quotient, by));
  parts[remainder] = {x, size, quotient};
  return {{{}, 0, 1, remainder}, {{}, 0, 1, quotient}};
}

std::optional<VectorIndex> IndexBuilder::rejoin(VectorIndex high, VectorIndex low, int64_t size) {
  if (!high.lanes || !low.lanes)
    return std::nullopt;
  auto part = parts.find(low.lanes);
  if (part == parts.end() || part->second.size != size || part->second.quotient != high.lanes)
    return std::nullopt;
  return part->second.whole;
}

VectorIndex IndexBuilder::clamp(VectorIndex x, int64_t limit) {
  if (x.isUniform()) {
    Value value = b.createOrFold<arith::MaxSIOp>(x.base, constant(0));
    return uniform(b.createOrFold<arith::MinSIOp>(value, constant(limit)));
  }
  Value vector = asVector(x);
  Value zero = splat(arith::ConstantOp::create(b, b.getIntegerAttr(laneType, 0)));
  Value top = splat(arith::ConstantOp::create(b, b.getIntegerAttr(laneType, limit)));
  vector = b.createOrFold<arith::MinSIOp>(b.createOrFold<arith::MaxSIOp>(vector, zero), top);
  return {{}, 0, 1, vector};
}

static Value andOf(ImplicitLocOpBuilder &b, Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return b.createOrFold<arith::AndIOp>(x, y);
}

Mask IndexBuilder::both(Mask x, Mask y) {
  return {andOf(b, x.uniform, y.uniform), andOf(b, x.lanes, y.lanes)};
}

/// The fewest lanes whose indices would take several registers.
static constexpr int64_t kManyLanes = 32;

/// The lanes of consecutive indices that are within bounds. As lane numbers are small, the smallest
/// integers suffice for the comparison.
Value IndexBuilder::compareLanes(VectorIndex x, int64_t lower, int64_t upper) {
  Type narrow = b.getIntegerType(lanes < 128 ? 8 : 16);
  auto type = VectorType::get({lanes}, narrow);
  SmallVector<Attribute> numbers;
  for (int64_t lane = 0; lane < lanes; ++lane)
    numbers.push_back(b.getIntegerAttr(narrow, lane));
  Value number = arith::ConstantOp::create(b, DenseElementsAttr::get(type, numbers));
  auto compare = [&](arith::CmpIPredicate predicate, int64_t limit) -> Value {
    Value first = b.createOrFold<arith::SubIOp>(constant(limit), x.base);
    first = b.createOrFold<arith::MinSIOp>(b.createOrFold<arith::MaxSIOp>(first, constant(0)),
                                           constant(lanes));
    return b.createOrFold<arith::CmpIOp>(predicate, number,
                                         splat(b.createOrFold<arith::IndexCastOp>(narrow, first)));
  };
  Value mask;
  if (lower != INT64_MIN)
    mask = compare(arith::CmpIPredicate::sge, lower);
  if (upper != INT64_MAX)
    mask = andOf(b, mask, compare(arith::CmpIPredicate::slt, upper));
  return mask;
}

Mask IndexBuilder::inRange(VectorIndex x, int64_t lower, int64_t upper) {
  if (x.base && x.stride == 1 && lanes >= kManyLanes && (lower != INT64_MIN || upper != INT64_MAX))
    return {{}, compareLanes(x, lower, upper)};
  auto compare = [&](arith::CmpIPredicate predicate, int64_t limit) -> Value {
    if (x.isUniform())
      return b.createOrFold<arith::CmpIOp>(predicate, x.base, constant(limit));
    Value by = splat(arith::ConstantOp::create(b, b.getIntegerAttr(laneType, limit)));
    return b.createOrFold<arith::CmpIOp>(predicate, asVector(x), by);
  };
  Value mask;
  if (lower != INT64_MIN)
    mask = compare(arith::CmpIPredicate::sge, lower);
  if (upper != INT64_MAX)
    mask = andOf(b, mask, compare(arith::CmpIPredicate::slt, upper));
  if (!mask)
    return {};
  if (!x.isUniform())
    return {{}, mask};
  std::optional<int64_t> known = getConstant(mask);
  return known && *known != 0 ? Mask{} : Mask{mask, {}};
}

Value IndexBuilder::anyLane(Mask mask) {
  if (!mask.lanes || matchPattern(mask.lanes, m_Constant()))
    return mask.uniform;
  Value any = vector::ReductionOp::create(b, vector::CombiningKind::OR, mask.lanes);
  return andOf(b, mask.uniform, any);
}

Value IndexBuilder::asVector(Mask mask) {
  if (!mask.uniform)
    return mask.lanes;
  return andOf(b, mask.lanes, splat(mask.uniform));
}

VectorIndex IndexBuilder::orZero(VectorIndex x, Mask mask) {
  if (!mask)
    return x;
  if (x.isUniform()) {
    Value any = anyLane(mask);
    return any ? uniform(b.createOrFold<arith::SelectOp>(any, x.base, constant(0))) : x;
  }
  Value zero = splat(arith::ConstantOp::create(b, b.getIntegerAttr(laneType, 0)));
  return {{}, 0, 1, b.createOrFold<arith::SelectOp>(asVector(mask), asVector(x), zero)};
}

} // namespace hloc
