// SPDX-License-Identifier: Apache-2.0
// Random numbers: the counter-based generators that HLO specifies bit for bit (Threefry 2x32 and
// Philox 4x32-10: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"), and rng, whose
// generator is unspecified.
#include "compiler/evaluator/core/Interpreter.h"
#include <array>
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::evaluator {

using Words2 = std::array<uint32_t, 2>;
using Words4 = std::array<uint32_t, 4>;

static Words2 split(uint64_t value) { return {uint32_t(value), uint32_t(value >> 32)}; }
static uint64_t join(uint32_t low, uint32_t high) { return low | uint64_t(high) << 32; }

static Words2 threefry(Words2 x, Words2 key) {
  static constexpr int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t keys[3] = {key[0], key[1], 0x1BD11BDA ^ key[0] ^ key[1]};
  x[0] += keys[0];
  x[1] += keys[1];
  for (int group = 0; group < 5; ++group) {
    for (int rotation : rotations[group % 2]) {
      x[0] += x[1];
      x[1] = x[1] << rotation | x[1] >> (32 - rotation);
      x[1] ^= x[0];
    }
    x[0] += keys[(group + 1) % 3];
    x[1] += keys[(group + 2) % 3] + uint32_t(group + 1);
  }
  return x;
}

static Words4 philox(Words4 x, Words2 key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t first = uint64_t(0xD2511F53) * x[0], second = uint64_t(0xCD9E8D57) * x[2];
    x = {uint32_t(second >> 32) ^ x[1] ^ key[0], uint32_t(second),
         uint32_t(first >> 32) ^ x[3] ^ key[1], uint32_t(first)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return x;
}

/// Stores the low bits of a word as an element of any type of that many bits or fewer.
static void storeBits(Array &array, char *data, int64_t index, uint64_t bits) {
  Scalar scalar;
  scalar.u = bits;
  if (!isFloat(array.type)) {
    wrap(array.type, &scalar, 1);
    storeOne(array.type, scalar, data, index);
    return;
  }
  bits &= llvm::maskTrailingOnes<uint64_t>(getBits(array.type));
  std::memcpy(data + index * getBytes(array.type), &bits, getBytes(array.type));
}

/// `counter` is advanced by the number of values drawn.
static Array drawThreefry(ElementType type, ArrayRef<int64_t> shape, uint64_t key,
                          uint64_t &counter) {
  Array result(type, shape);
  char *data = result.mutableData();
  Words2 keys = split(key);
  int64_t count = result.getCount();
  if (getBits(type) == 64) {
    for (int64_t i = 0; i < count; ++i) {
      Words2 words = threefry(split(counter + i), keys);
      storeBits(result, data, i, join(words[0], words[1]));
    }
    counter += count;
    return result;
  }
  // One dimension, the first even one or otherwise the largest, is halved: its elements 2h and 2h +
  // 1 are the two words of element h of the half shape.
  Shape half(shape);
  int64_t d = -1;
  for (int64_t i = 0; i < int64_t(shape.size()) && d < 0; ++i)
    if (shape[i] % 2 == 0)
      d = i;
  if (d < 0)
    for (int64_t i = 0; i < int64_t(shape.size()); ++i)
      if (d < 0 || shape[i] > shape[d])
        d = i;
  if (d >= 0)
    half[d] = (shape[d] + 1) / 2;
  Shape strides = rowMajorStrides(half), index(shape.size(), 0);
  for (int64_t i = 0; i < count; ++i, nextIndex(index, shape)) {
    int64_t at = 0;
    for (int64_t e = 0; e < int64_t(shape.size()); ++e)
      at += (e == d ? index[e] / 2 : index[e]) * strides[e];
    storeBits(result, data, i, threefry(split(counter + at), keys)[d < 0 ? 0 : index[d] % 2]);
  }
  counter += countElements(half);
  return result;
}

/// Four words per block, in row-major order of the elements; 64-bit elements take two, low one
/// first.
static Array drawPhilox(ElementType type, ArrayRef<int64_t> shape, uint64_t key,
                        unsigned __int128 &counter) {
  Array result(type, shape);
  char *data = result.mutableData();
  bool wide = getBits(type) == 64;
  int64_t count = result.getCount(), words = wide ? 2 * count : count;
  for (int64_t block = 0; block * 4 < words; ++block) {
    unsigned __int128 position = counter + (unsigned __int128)(block);
    Words2 low = split(uint64_t(position)), high = split(uint64_t(position >> 64));
    Words4 bits = philox({low[0], low[1], high[0], high[1]}, split(key));
    for (int64_t i = 0; i < (wide ? 2 : 4); ++i)
      if (int64_t at = block * (wide ? 2 : 4) + i; at < count)
        storeBits(result, data, at, wide ? join(bits[2 * i], bits[2 * i + 1]) : bits[i]);
  }
  counter += (unsigned __int128)((words + 3) / 4);
  return result;
}

static FailureOr<Values> rngBitGenerator(Call &call) {
  auto op = cast<RngBitGeneratorOp>(call.op);
  Array state = call.array(0);
  SmallVector<Type> types(op->getResultTypes());
  if (types.size() == 1 && isa<TupleType>(types[0]))
    types.assign(cast<TupleType>(types[0]).begin(), cast<TupleType>(types[0]).end());
  auto type = types.size() == 2 ? getArrayType(types[1]) : std::nullopt;
  if (!type || isComplex(type->first))
    return call.fail("expected the state and an array of bits as results");
  // The state as 64-bit words: key, counter.
  int64_t bytes = state.getByteCount();
  uint64_t words[3] = {0, 0, 0};
  if (bytes % 8 != 0 || bytes < 16 || bytes > 24)
    return call.fail("expected a state of two or three 64-bit words");
  std::memcpy(words, state.data(), bytes);
  Array bits;
  if (op.getAlgorithm() == RngAlgorithm::ThreeFry) {
    bits = drawThreefry(type->first, type->second, words[0], words[1]);
  } else {
    // A state of two words also uses its key as the high half of the counter.
    uint64_t high = bytes > 16 ? words[2] : words[0];
    unsigned __int128 counter = words[1] | (unsigned __int128)(high) << 64;
    bits = drawPhilox(type->first, type->second, words[0], counter);
    words[1] = uint64_t(counter);
    words[2] = uint64_t(counter >> 64);
  }
  std::memcpy(state.mutableData(), words, bytes);
  return Values{state, bits};
}

/// Returns the old state; each instruction has its own, which starts like XLA's, with the seed in
/// its upper half.
static FailureOr<Values> rngGetAndUpdateState(Call &call) {
  auto op = cast<RngGetAndUpdateStateOp>(call.op);
  auto [entry, isNew] = call.interpreter.randomStates.try_emplace(
      op, 0x7012395, call.interpreter.evaluation.options.seed);
  auto &[low, high] = entry->second;
  Array state(ElementType::U64, {2});
  state.set(0, Scalar::ofInt(int64_t(low)));
  state.set(1, Scalar::ofInt(int64_t(high)));
  uint64_t delta = uint64_t(op.getDelta());
  low += delta;
  high += low < delta;
  return Values{state};
}

//===- rng -----------------------------------------------------------------===//

/// A uniform double in [0, 1) of the interpreter's own stream.
static double drawUnit(Interpreter &interpreter) {
  uint64_t counter = interpreter.randomCounter++;
  Words2 words = threefry(split(counter),
                          split(interpreter.evaluation.options.seed + uint64_t(interpreter.id)));
  return double(join(words[0], words[1]) >> 11) * 0x1p-53;
}

/// Uniform in [a, b), or either of both for pred, or normal with mean a and deviation b.
static FailureOr<Values> rng(Call &call) {
  auto op = cast<RngOp>(call.op);
  auto type = getArrayType(op.getType());
  if (!type || isComplex(type->first))
    return call.fail("expected a result of real numbers");
  Array result(type->first, type->second);
  Scalar a = call.array(0).get(0), b = call.array(1).get(0);
  bool isReal = isFloat(type->first), isNormal = op.getDistribution() == Distribution::Normal;
  for (int64_t i = 0, count = result.getCount(); i < count; ++i) {
    double unit = drawUnit(call.interpreter);
    Scalar value;
    if (isReal && isNormal) { // Box and Muller
      double radius = std::sqrt(-2 * std::log1p(-unit));
      value.f = a.f + b.f * radius * std::cos(2 * std::acos(-1.0) * drawUnit(call.interpreter));
    } else if (isReal) {
      value.f = a.f + unit * (b.f - a.f);
    } else if (type->first == ElementType::PRED) {
      value.u = unit < 0.5;
    } else {
      uint64_t range = b.u - a.u; // 64-bit integers if it wraps to 0
      value.u =
          a.u + (range ? uint64_t((unsigned __int128)(uint64_t(unit * 0x1p53)) * range >> 53) : 0);
    }
    wrap(type->first, &value, 1);
    if (isReal && !isNormal && value.f >= b.f && b.f > a.f) // rounded up to the end
      value = a;
    result.set(i, value);
  }
  return Values{result};
}

void addRandomOps(HandlerTable &table) {
  table["hlo.rng_bit_generator"] = rngBitGenerator;
  table["hlo.rng_get_and_update_state"] = rngGetAndUpdateState;
  table["hlo.rng"] = rng;
}

} // namespace hloc::evaluator
