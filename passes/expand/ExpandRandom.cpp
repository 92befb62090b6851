// SPDX-License-Identifier: Apache-2.0
// Random number generators as integer arithmetic on arrays: Threefry-2x32-20 and Philox-4x32-10
// (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011), with XLA's arrangement of
// results. Test: test/passes/expand/expand-random.hlo.
#include "compiler/hlo/ElementType.h"
#include "passes/Build.h"
#include "passes/expand/Expansions.h"
#include "passes/frontend/RandomGenerators.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

using Sizes = SmallVector<int64_t>;

/// Operations on u32 and u64 arrays.
struct Words {
  Build build;
  Type u32, u64;

  explicit Words(Build build)
      : build(build), u32(build.builder.getIntegerType(32, /*isSigned=*/false)),
        u64(build.builder.getIntegerType(64, /*isSigned=*/false)) {}

  Type ofWidth(unsigned bits) { return build.builder.getIntegerType(bits, /*isSigned=*/false); }
  Value constant(uint64_t value, Value like) {
    Type element = arrayType(like).getElementType();
    Value scalar =
        build.scalar(element, APInt(element.getIntOrFloatBitWidth(), value, false, true));
    return build.broadcastLike(scalar, like, {});
  }
  Value add(Value value, uint64_t constantValue) {
    return build.add(value, constant(constantValue, value));
  }
  Value low(Value wide) { return build.convert(wide, u32); }
  Value high(Value wide) { return build.convert(build.shiftRight(wide, 32), u32); }
  Value join(Value lowWord, Value highWord) {
    return build.bitOr(build.convert(lowWord, u64),
                       build.shiftLeft(build.convert(highWord, u64), 32));
  }
  Value rotateLeft(Value value, int64_t bits) {
    return build.bitOr(build.shiftLeft(value, bits), build.shiftRight(value, 32 - bits));
  }
  /// Element i of a vector, as a scalar.
  Value element(Value vector, int64_t i) {
    return build.reshape(build.sliceOf(vector, 0, i, i + 1), {});
  }
};

using Pair = std::pair<Value, Value>;

/// Threefry-2x32-20 on arrays of counters; the key is two arrays of the same shape.
Pair threefry(Words &words, Pair counter, Pair key) {
  static constexpr int64_t rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  Build &build = words.build;
  Value parity = build.bitXor(key.first, key.second);
  Value keys[3] = {key.first, key.second, build.bitXor(parity, words.constant(0x1BD11BDA, parity))};
  Value x = build.add(counter.first, keys[0]), y = build.add(counter.second, keys[1]);
  for (int group = 0; group < 5; ++group) {
    for (int64_t rotation : rotations[group % 2]) {
      x = build.add(x, y);
      y = build.bitXor(x, words.rotateLeft(y, rotation));
    }
    x = build.add(x, keys[(group + 1) % 3]);
    y = build.add(y, words.add(keys[(group + 2) % 3], group + 1));
  }
  return {x, y};
}

/// Two words of random bits for each of `count` counters from `counter` on.
Pair threefryBits(Words &words, Value key, Value counter, ArrayRef<int64_t> shape) {
  Build &build = words.build;
  Value index = build.reshape(build.iota({product(shape)}, words.u64, 0), shape);
  Value counters = build.add(index, build.broadcast(counter, shape, {}));
  auto spread = [&](Value word) { return build.broadcast(word, shape, {}); };
  return threefry(words, {words.low(counters), words.high(counters)},
                  {spread(words.low(key)), spread(words.high(key))});
}

/// u32 bits of `shape`. The dimension that is split in halves gets a new one of size two next to
/// it.
Value threefry32(Words &words, Value key, Value counter, ArrayRef<int64_t> shape,
                 int64_t &countersUsed) {
  Build &build = words.build;
  if (shape.empty()) {
    countersUsed = 1;
    return build.reshape(threefryBits(words, key, counter, {1}).first, {});
  }
  int64_t split = -1;
  for (auto [dimension, size] : llvm::enumerate(shape))
    if (size % 2 == 0) {
      split = dimension;
      break;
    }
  if (split < 0)
    split = std::max_element(shape.begin(), shape.end()) - shape.begin();
  Sizes half(shape), whole(shape);
  half[split] = (shape[split] + 1) / 2;
  whole[split] = 2 * half[split];
  half.insert(half.begin() + split + 1, 1);
  countersUsed = product(half);
  Pair bits = threefryBits(words, key, counter, half);
  Value both = build.concatenate({bits.first, bits.second}, split + 1);
  return build.sliceOf(build.reshape(both, whole), split, 0, shape[split]);
}

/// Philox-4x32-10 on arrays of counters.
SmallVector<Value, 4> philox(Words &words, SmallVector<Value, 4> state, Pair key) {
  Build &build = words.build;
  for (int round = 0; round < 10; ++round) {
    Value a = words.constant(0xD2511F53, state[0]), b = words.constant(0xCD9E8D57, state[2]);
    Value lowA = build.mul(state[0], a), lowB = build.mul(state[2], b);
    Value highA = build.binary<MulhiOp>(state[0], a), highB = build.binary<MulhiOp>(state[2], b);
    state = {build.bitXor(build.bitXor(highB, state[1]), key.first), lowB,
             build.bitXor(build.bitXor(highA, state[3]), key.second), lowA};
    key = {words.add(key.first, 0x9E3779B9), words.add(key.second, 0xBB67AE85)};
  }
  return state;
}

/// Four u32 vectors of `blocks` elements each: word i of every block. `low` and `high` are the
/// 128-bit counter, which is advanced past the blocks.
SmallVector<Value, 4> philoxBits(Words &words, Value key, Value &low, Value &high, int64_t blocks) {
  Build &build = words.build;
  Sizes shape{blocks};
  auto spread = [&](Value word) { return build.broadcast(word, shape, {}); };
  Value index = build.iota(shape, words.u64, 0);
  Value lows = build.add(spread(low), index);
  Value carry = build.convert(build.compare(lows, index, Direction::LT), words.u64);
  Value highs = build.add(spread(high), carry);
  SmallVector<Value, 4> bits =
      philox(words, {words.low(lows), words.high(lows), words.low(highs), words.high(highs)},
             {spread(words.low(key)), spread(words.high(key))});
  Value next = words.add(low, blocks);
  high = build.add(high, build.convert(build.compare(next, low, Direction::LT), words.u64));
  low = next;
  return bits;
}

/// The first elements of interleaved `columns`, as `shape`.
Value sideBySide(Build &build, ArrayRef<Value> columns, ArrayRef<int64_t> shape) {
  SmallVector<Value> parts;
  int64_t rows = arrayType(columns[0]).getDimSize(0);
  for (Value column : columns)
    parts.push_back(build.reshape(column, {rows, 1}));
  Value flat = build.reshape(build.concatenate(parts, 1), {rows * int64_t(columns.size())});
  return build.reshape(build.sliceOf(flat, 0, 0, product(shape)), shape);
}

/// Bits for elements of the unsigned type `element`: words of u32 or u64, or single bytes.
Value philoxArray(Words &words, Value key, Value &low, Value &high, ArrayRef<int64_t> shape,
                  Type element) {
  int64_t count = product(shape), width = element.getIntOrFloatBitWidth();
  if (width == 64) {
    auto bits = philoxBits(words, key, low, high, (count + 1) / 2);
    return sideBySide(words.build, {words.join(bits[0], bits[1]), words.join(bits[2], bits[3])},
                      shape);
  }
  SmallVector<Value, 4> bits = philoxBits(words, key, low, high, (count + 3) / 4);
  if (width == 8 || width == 16) // before they are interleaved
    for (Value &word : bits)
      word = words.build.convert(word, element);
  return sideBySide(words.build, bits, shape);
}

struct ExpandBitGenerator : OpRewritePattern<RngBitGeneratorOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RngBitGeneratorOp op, PatternRewriter &rewriter) const override {
    Build build(rewriter, op.getLoc());
    Words words(build);
    bool givesState = op.getNumResults() == 2;
    auto type = arrayType(op.getResult(givesState));
    auto stateType = arrayType(op.getState());
    Type element = type.getElementType();
    unsigned width = element.getIntOrFloatBitWidth();
    if (type.getNumElements() == 0) { // it does not change the state
      SmallVector<Value> results{op.getState(), build.zero(type)};
      rewriter.replaceOp(op, ArrayRef(results).take_back(op.getNumResults()));
      return success();
    }
    Value key = words.element(op.getState(), 0), low = words.element(op.getState(), 1);
    Value bits;
    SmallVector<Value> newState{key};
    if (op.getAlgorithm() == RngAlgorithm::ThreeFry) {
      int64_t countersUsed = 0;
      if (width == 64) {
        Sizes shape(type.getShape());
        Pair both = threefryBits(words, key, low, shape);
        bits = words.join(both.first, both.second);
        countersUsed = product(shape);
      } else {
        bits = threefry32(words, key, low, type.getShape(), countersUsed);
      }
      newState.push_back(words.add(low, countersUsed));
    } else {
      bool hasHigh = stateType.getDimSize(0) > 2;
      // A state of two words also uses its key as the high half of the counter.
      Value high = hasHigh ? words.element(op.getState(), 2) : key;
      bits = philoxArray(words, key, low, high, type.getShape(), words.ofWidth(width));
      newState.push_back(low);
      if (hasHigh)
        newState.push_back(high);
    }
    for (Value &word : newState)
      word = build.reshape(word, {1});
    // Narrow words are the low bits of wide ones; other types of that width have the same bits.
    bits = build.bitcastConvert(build.convert(bits, words.ofWidth(width)), element);
    if (givesState)
      rewriter.replaceOp(op, {build.concatenate(newState, 0), bits});
    else
      rewriter.replaceOp(op, bits);
    return success();
  }
};

/// rng takes its bits from a generator whose state is kept at run time.
class RandomNumbers {
public:
  RandomNumbers(Build build, RngOp op)
      : build(build), words(build), op(op), shape(arrayType(op.getResult()).getShape()),
        element(arrayType(op.getResult()).getElementType()) {}

  Value draw();

private:
  void readState();
  Value drawBits(Type type) { return philoxArray(words, key, low, high, shape, type); }
  Value toUnit(Value bits, Type type, bool open);
  Value drawInteger();
  Value drawUniform();
  Value drawNormal();
  /// A parameter of the distribution, broadcast to all elements.
  Value spread(Value scalar, Type type) {
    return build.broadcast(build.convert(scalar, type), shape, {});
  }
  /// The type in which floats are computed.
  Type wideFloat() { return element.isF64() ? element : Type(build.builder.getF32Type()); }

  Build build;
  Words words;
  RngOp op;
  ArrayRef<int64_t> shape;
  Type element;
  Value key, low, high;
};

/// Every instruction has a key of its own, so that no two draw the same numbers.
void RandomNumbers::readState() {
  auto state = RngGetAndUpdateStateOp::create(
      build.builder, build.loc, RankedTensorType::get({2}, words.u64), 2 * product(shape));
  uint64_t number = 0;
  if (auto generator = op->getAttrOfType<IntegerAttr>(kGeneratorAttr)) {
    state->setAttr(kGeneratorAttr, generator);
    number = generator.getInt();
  }
  low = words.element(state, 0);
  high = words.element(state, 1);
  key = words.constant((number + 1) * 0x9E3779B97F4A7C15, low);
}

/// Uniform numbers in [0, 1) from the high bits of words, or in (0, 1] if `open`.
Value RandomNumbers::toUnit(Value bits, Type type, bool open) {
  bool isDouble = type.isF64();
  int64_t mantissa = isDouble ? 53 : 24;
  Value number = build.convert(build.shiftRight(bits, (isDouble ? 64 : 32) - mantissa), type);
  if (open)
    number = build.add(number, 1.0);
  return build.mul(number, std::ldexp(1.0, -mantissa));
}

/// a + floor(bits / 2^n * (b - a)), with bits of twice the range's width, so that all values are
/// equally likely to one part in 2^32 or better.
Value RandomNumbers::drawInteger() {
  Value begin = spread(op.getA(), words.u64),
        range = build.sub(spread(op.getB(), words.u64), begin);
  Value bits = drawBits(words.u64);
  Value scaled = build.binary<MulhiOp>(bits, range);
  if (element.getIntOrFloatBitWidth() == 64) {
    Value rest = build.mul(bits, range);
    Value sum = build.add(rest, build.binary<MulhiOp>(drawBits(words.u64), range));
    Value carry = build.convert(build.compare(sum, rest, Direction::LT), words.u64);
    scaled = build.add(scaled, carry);
  }
  Value isAll = build.compare(range, 0.0, Direction::EQ); // all values of 64 bits
  return build.convert(build.add(build.select(isAll, bits, scaled), begin), element);
}

Value RandomNumbers::drawUniform() {
  Type wide = wideFloat();
  Value a = spread(op.getA(), wide), b = spread(op.getB(), wide);
  Value unit = toUnit(drawBits(wide.isF64() ? words.u64 : words.u32), wide, /*open=*/false);
  Value result = build.convert(build.add(build.mul(unit, build.sub(b, a)), a), element);
  // Rounding may give the end, which is not in the interval.
  Value begin = spread(op.getA(), element), end = spread(op.getB(), element);
  Value isPast = build.bitAnd(build.compare(result, end, Direction::GE),
                              build.compare(end, begin, Direction::GT));
  return build.select(isPast, begin, result);
}

/// The Box-Muller transform.
Value RandomNumbers::drawNormal() {
  Type wide = wideFloat(), bits = wide.isF64() ? words.u64 : words.u32;
  Value u = toUnit(drawBits(bits), wide, /*open=*/true);
  Value v = toUnit(drawBits(bits), wide, /*open=*/false);
  Value radius = build.unary<SqrtOp>(build.mul(build.unary<LogOp>(u), -2.0));
  Value normal = build.mul(radius, build.unary<CosineOp>(build.mul(v, 6.283185307179586)));
  Value scaled = build.mul(normal, spread(op.getB(), wide));
  return build.convert(build.add(spread(op.getA(), wide), scaled), element);
}

Value RandomNumbers::draw() {
  if (product(shape) == 0)
    return build.zero(arrayType(op.getResult()));
  readState();
  if (op.getDistribution() == Distribution::Normal)
    return drawNormal();
  if (isa<FloatType>(element))
    return drawUniform();
  if (isPred(element)) // either, equally likely
    return build.convert(build.bitAnd(drawBits(words.u32), 1.0), element);
  return drawInteger();
}

struct ExpandRng : OpRewritePattern<RngOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RngOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, RandomNumbers(Build(rewriter, op.getLoc()), op).draw());
    return success();
  }
};

} // namespace

void hloc::populateRandomExpansions(RewritePatternSet &patterns) {
  patterns.add<ExpandBitGenerator, ExpandRng>(patterns.getContext());
}
