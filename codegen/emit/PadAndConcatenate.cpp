// SPDX-License-Identifier: Apache-2.0
// Operations whose elements come from one of several sources: pads and concatenations.
#include "codegen/emit/ElementEmitter.h"
#include "codegen/emit/MovedIndex.h"
#include "codegen/emit/UnitAccess.h"
#include "passes/Build.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// The value of `inside` if `condition` holds, else that of `otherwise`; zeros if that is null.
VectorValue ElementEmitter::emitBranch(Value condition, function_ref<VectorValue()> inside,
                                       function_ref<VectorValue()> otherwise) {
  auto &b = index.b;
  // The result types are known only once the code of a branch exists, so build that in a separate
  // block.
  auto emitApart = [&](Block &block, function_ref<VectorValue()> emitLanes) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&block);
    Scope scope(*this);
    return emitLanes();
  };
  auto valuesOf = [](VectorValue lanes) {
    return lanes.im ? SmallVector<Value>{lanes.re, lanes.im} : SmallVector<Value>{lanes.re};
  };
  Block first, second;
  VectorValue one = emitApart(first, inside),
              other = otherwise ? emitApart(second, otherwise) : VectorValue();
  if (!one.re || (otherwise && !other.re))
    return {};
  // If one branch is uniform and the other is not, broadcast the uniform one.
  if (otherwise && one.isUniform() != other.isUniform()) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(one.isUniform() ? &first : &second);
    (one.isUniform() ? one : other) = broadcastLanes(index, one.isUniform() ? one : other);
  }
  auto branch = scf::IfOp::create(b, ValueRange(valuesOf(one)).getTypes(), condition, true, true);
  OpBuilder::InsertionGuard guard(b);
  auto finish = [&](Block *to, Block &from, ValueRange values) {
    to->getOperations().splice(to->begin(), from.getOperations());
    b.setInsertionPointToEnd(to);
    scf::YieldOp::create(b, values);
  };
  finish(branch.thenBlock(), first, valuesOf(one));
  if (!otherwise) {
    b.setInsertionPointToEnd(&second);
    for (Value value : valuesOf(one))
      (other.re ? other.im : other.re) =
          arith::ConstantOp::create(b, b.getZeroAttr(value.getType()));
  }
  finish(branch.elseBlock(), second, valuesOf(other));
  return {branch.getResult(0), one.im ? branch.getResult(1) : Value()};
}

VectorValue ElementEmitter::emitWhere(Value value, ArrayRef<VectorIndex> at, Mask mask) {
  bool known = mask.uniform && getConstant(mask.uniform);
  bool isLoad = memory.count(value) || producers.count(value);
  // Use a branch unless the value is a load, which masks guard anyway.
  if (!mask.uniform || known || isLoad || value.getDefiningOp<hlo::ConstantOp>())
    return emit(value, at, mask);
  return emitBranch(mask.uniform, [&] { return emit(value, at, {{}, mask.lanes}); }, nullptr);
}

/// True if each vector of lanes along `x` has multiples of `step` in the same lanes.
static bool repeats(IndexBuilder &index, const VectorIndex &x, int64_t step) {
  return x.base && x.stride == 1 && x.multiple % step == 0 && index.getLanes() % step == 0;
}

namespace {

/// Elements of an array that are `step` positions apart, the first one at `low`.
struct Dilation {
  int64_t step, low;

  /// For a vector that begins at a multiple of `step`: the element at a lane, or the one before it,
  /// counted from that of lane 0.
  int64_t elementAt(int64_t lane) const {
    return llvm::divideFloorSigned(lane - low, step) - llvm::divideFloorSigned(-low, step);
  }
  bool hasElement(int64_t lane) const { return (lane - low) % step == 0; }
};

} // namespace

/// The lanes that hold an element of `dilation`.
static Mask elementLanes(IndexBuilder &index, const Dilation &dilation) {
  SmallVector<bool> bits;
  for (int64_t lane = 0; lane < index.getLanes(); ++lane)
    bits.push_back(dilation.hasElement(lane));
  auto type = VectorType::get({index.getLanes()}, index.b.getI1Type());
  return {{}, arith::ConstantOp::create(index.b, DenseElementsAttr::get(type, bits))};
}

/// Spreads consecutive elements to the lanes where `dilation` has them.
static VectorValue spread(IndexBuilder &index, const Dilation &dilation, VectorValue value) {
  auto move = [&](Value part) -> Value {
    if (!part || !isa<VectorType>(part.getType()))
      return part;
    SmallVector<int64_t> order;
    for (int64_t lane = 0; lane < index.getLanes(); ++lane)
      order.push_back(dilation.elementAt(lane));
    return vector::ShuffleOp::create(index.b, part, part, order);
  };
  return {move(value.re), move(value.im)};
}

VectorValue ElementEmitter::emitPad(hlo::PadOp op, ArrayRef<VectorIndex> at, Mask mask) {
  if (findSource(op))
    return emit(op.getOperand(), mapIndex(index, hlo::getIndexMap(op), at), mask);
  auto shape = arrayType(op.getOperand()).getShape();
  ElementIndex source;
  Mask inside, sourceMask = mask;
  std::optional<Dilation> dilation;
  for (auto [d, map] : llvm::enumerate(hlo::getIndexMap(op))) {
    int64_t low = -map.offset, high = op.getHigh()[d], step = map.divisor;
    VectorIndex x = index.add(at[d], map.offset);
    int64_t extent = shape[d] > 0 ? (shape[d] - 1) * step + 1 : 0;
    inside = index.both(inside,
                        index.inRange(x, low > 0 ? 0 : INT64_MIN, high > 0 ? extent : INT64_MAX));
    if (step > 1 && repeats(index, at[d], step)) {
      // Elements are loaded contiguously and then spread. The load covers at least twice as many
      // elements as are needed, so all of its bounds must be checked.
      dilation = Dilation{step, low};
      inside = index.both(inside, elementLanes(index, *dilation));
      // The vector may begin below 0, in lanes that `mask` excludes.
      Value first = index.b.createOrFold<arith::DivSIOp>(at[d].base, index.constant(step));
      x = index.add(index.consecutive(first), llvm::divideFloorSigned(-low, step));
      sourceMask = index.both({mask.uniform, {}}, index.inRange(x, 0, shape[d]));
    } else if (step > 1) {
      x = index.orZero(x, inside);
      auto [low, quotient] = index.divideWithRemainder(x, step);
      inside = index.both(inside, index.inRange(low, INT64_MIN, 1));
      x = quotient;
    }
    source.push_back(x);
  }
  if (!inside)
    return emit(op.getOperand(), source, mask);
  if (inside.uniform) // then no lane is in the operand
    if (std::optional<int64_t> known = getConstant(inside.uniform); known && *known == 0)
      return emit(op.getPaddingValue(), {}, mask);
  VectorValue padding = emit(op.getPaddingValue(), {}, mask);
  sourceMask = index.both(sourceMask, dilation ? Mask{inside.uniform, {}} : inside);
  VectorValue value = emitWhere(op.getOperand(), source, sourceMask);
  if (!padding.re || !value.re)
    return {};
  if (dilation)
    value = spread(index, *dilation, value);
  if (inside.lanes)
    value = emitSelect(index, inside.lanes, value, padding);
  if (inside.uniform)
    value = emitSelect(index, inside.uniform, value, padding);
  return value;
}

/// The fewest vectors of an operand for which code of its own is worth it, for vectors that are
/// entirely within it: if loads of its elements have masks, and if they do not.
static constexpr int64_t kVectorsOfPiece = 8, kVectorsOfPieceWithoutMasks = 2;

VectorValue ElementEmitter::emitConcatenate(hlo::ConcatenateOp op, ArrayRef<VectorIndex> at,
                                            Mask mask) {
  if (std::optional<unsigned> piece = findSource(op))
    return emit(op.getInputs()[*piece], mapIndex(index, hlo::getIndexMap(op, *piece), at), mask);
  auto &b = index.b;
  VectorIndex x = at[op.getDimension()];
  auto getSize = [&](Value input) { return arrayType(input).getDimSize(op.getDimension()); };
  auto isCheap = [&](Value input) {
    return memory.count(input) || producers.count(input) ||
           input.getDefiningOp<hlo::ConstantOp>() || getSize(input) == 0;
  };
  Value most =
      *llvm::max_element(op.getInputs(), [&](Value a, Value b) { return getSize(a) < getSize(b); });
  bool othersAreCheap =
      llvm::all_of(op.getInputs(), [&](Value input) { return input == most || isCheap(input); });
  int64_t bits = getStorageBits(arrayType(op.getResult()).getElementType());
  bool hasMasks = memory.empty() || bits >= getNarrowestMaskedBits(memory.begin()->second.pointer);
  int64_t fewest = hasMasks ? kVectorsOfPiece : kVectorsOfPieceWithoutMasks;
  if (!x.base || x.stride != 1 || getSize(most) < fewest * index.getLanes() ||
      (othersAreCheap && hasMasks))
    return emitPieces(op, at, mask);
  // Thus borders that mirror or repeat elements around an image cost most vectors nothing.
  hlo::IndexMap map =
      hlo::getIndexMap(op, llvm::find(op.getInputs(), most) - op.getInputs().begin());
  int64_t start = -map[op.getDimension()].offset;
  ElementIndex source = mapIndex(index, map, at);
  Value begins =
      b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sge, x.base, index.constant(start));
  Value ends = b.createOrFold<arith::CmpIOp>(
      arith::CmpIPredicate::sle, x.base, index.constant(start + getSize(most) - index.getLanes()));
  return emitBranch(
      b.createOrFold<arith::AndIOp>(begins, ends), [&] { return emit(most, source, mask); },
      [&] { return emitPieces(op, at, mask); });
}

/// Elements of a concatenation's operands, each evaluated and then selected by the index. Zero
/// where the index is known to be out of bounds, which happens only in inactive lanes.
VectorValue ElementEmitter::emitPieces(hlo::ConcatenateOp op, ArrayRef<VectorIndex> at, Mask mask) {
  int64_t dimension = op.getDimension();
  VectorIndex x = at[dimension];
  std::optional<int64_t> known = x.isUniform() ? getConstant(x.base) : std::nullopt;
  VectorValue result;
  int64_t total = arrayType(op.getResult()).getDimSize(dimension);
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    hlo::IndexMap map = hlo::getIndexMap(op, i);
    int64_t size = arrayType(input).getDimSize(dimension), start = -map[dimension].offset,
            limit = start + size;
    if (size == 0)
      continue;
    ElementIndex source = mapIndex(index, map, at);
    if (known) {
      if (*known < limit && *known >= start)
        return emit(input, source, mask);
    } else {
      Mask inside =
          index.inRange(x, start > 0 ? start : INT64_MIN, limit < total ? limit : INT64_MAX);
      VectorValue value = emitWhere(input, source, index.both(mask, inside));
      if (!value.re)
        return {};
      if (result.re && inside)
        value = emitSelect(index, inside.uniform ? inside.uniform : inside.lanes, value, result);
      result = value;
    }
  }
  return result.re ? result : zeroOf(arrayType(op.getResult()).getElementType());
}

} // namespace hloc
