// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/Pieces.h"
#include "passes/Build.h"
#include <set>

using namespace mlir;

namespace hloc {

/// The most pieces: each has code of its own.
static constexpr size_t kMostPieces = 128;

namespace {

/// A concatenation whose index along its dimension is that along a dimension of the results, plus
/// an offset.
struct Concatenation {
  hlo::ConcatenateOp op;
  int64_t dimension, offset;

  /// The number of the operand of the element at index `i` in the results, if there is one.
  unsigned findOperand(int64_t i) {
    int64_t rest = i + offset;
    for (auto [number, input] : llvm::enumerate(op->getOperands())) {
      rest -= arrayType(input).getDimSize(op.getDimension());
      if (rest < 0)
        return number;
    }
    return 0;
  }
};

} // namespace

/// Returns nothing if `op` is requested at indices of another form.
static std::optional<Concatenation> analyze(hlo::ConcatenateOp op, ArrayRef<Place> places) {
  if (places.empty())
    return std::nullopt;
  Coordinate x = places[0][op.getDimension()];
  bool isOne =
      llvm::all_of(places, [&](const Place &place) { return place[op.getDimension()] == x; });
  if (!isOne || !x.isKnown || x.stride != 1)
    return std::nullopt;
  return Concatenation{op, x.dimension, x.offset};
}

Pieces::Pieces(Block &body) {
  Places places(body);
  SmallVector<Concatenation> found;
  for (Operation &op : llvm::reverse(body.without_terminator())) {
    if (auto concatenate = dyn_cast<hlo::ConcatenateOp>(op))
      if (auto next = analyze(concatenate, places.at(concatenate))) {
        dimension = std::max(dimension, next->dimension);
        found.push_back(*next);
      }
    places.pass(op);
  }
  llvm::erase_if(found, [&](const Concatenation &next) { return next.dimension != dimension; });
  if (found.empty())
    return;
  int64_t size = arrayType(body.getTerminator()->getOperand(0)).getDimSize(dimension);
  std::set<int64_t> begins{0};
  for (Concatenation &next : found) {
    int64_t begin = -next.offset;
    for (Value input : next.op->getOperands()) {
      if (begin > 0 && begin < size)
        begins.insert(begin);
      begin += arrayType(input).getDimSize(next.op.getDimension());
    }
  }
  if (begins.size() < 2 || begins.size() > kMostPieces)
    return;
  for (int64_t begin : begins) {
    if (!list.empty())
      list.back().range.upper = begin;
    Piece &piece = list.emplace_back();
    piece.range = {begin, size};
    for (Concatenation &next : found)
      piece.sources.insert({next.op, next.findOperand(begin)});
  }
}

} // namespace hloc
