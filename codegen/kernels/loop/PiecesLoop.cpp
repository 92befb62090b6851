// SPDX-License-Identifier: Apache-2.0
// Loop kernels with a loop for each piece of a concatenation (passes/schedule/Pieces.h), inside
// those for the dimensions before the one that is divided. A unit is either one index in these
// dimensions, with all pieces, or a block of one piece. Test: test/codegen/pieces.hlo.
#include "codegen/KernelEmission.h"
#include "passes/schedule/LoopProblem.h"
#include "passes/schedule/Pieces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

namespace {

class PiecesLoop {
public:
  explicit PiecesLoop(KernelContext &context)
      : context(context), b(context.b), index(context.index), pieces(context.getBody()),
        shape(LoopProblem(context.getBody()).shape), block(context.chosen.getBlock()[0]),
        isAlongLanes(pieces.dimension + 1 == int64_t(shape.size())) {}

  void emit() {
    index.setLanes(context.chosen.getTile()[1] * context.chosen.getLanes());
    ArrayRef<int64_t> outer = shape.take_front(pieces.dimension);
    int64_t count = ShapedType::getNumElements(outer);
    if (block < shape[pieces.dimension])
      return emitBlocks(outer, count);
    context.setUnits(count);
    Value begin = count == 1 ? index.constant(0) : context.getBegin(),
          end = count == 1 ? index.constant(1) : context.getEnd();
    buildFor(context, begin, end, 1, [&](Value unit) {
      ElementIndex row = reshapeIndex(index, count, outer, index.uniform(unit));
      for (const Piece &piece : pieces.list)
        emitPiece(row, piece, index.constant(0), index.constant(piece.range.getSize()));
    });
  }

private:
  /// Blocks of all pieces are units, for each of the `count` indices in the dimensions `outer`.
  void emitBlocks(ArrayRef<int64_t> outer, int64_t count) {
    SmallVector<int64_t> firsts;
    int64_t round = 0;
    for (const Piece &piece : pieces.list) {
      firsts.push_back(round);
      round += llvm::divideCeil(piece.range.getSize(), block);
    }
    context.setUnits(count * round);
    Value begin = context.getBegin(), end = context.getEnd(), one = index.constant(round);
    auto emitRound = [&](ArrayRef<VectorIndex> row, Value from, Value to) {
      for (auto [first, piece] : llvm::zip(firsts, pieces.list)) {
        int64_t blocks = llvm::divideCeil(piece.range.getSize(), block);
        emitPiece(row, piece, getStart(clamp(from, first, blocks), piece),
                  getStart(clamp(to, first, blocks), piece));
      }
    };
    if (count == 1)
      return emitRound(ElementIndex(outer.size(), index.uniform(0)), begin, end);
    Value first = b.createOrFold<arith::DivUIOp>(begin, one),
          behind = b.createOrFold<arith::AddIOp>(end, index.constant(round - 1)),
          last = b.createOrFold<arith::DivUIOp>(behind, one);
    buildFor(context, first, last, 1, [&](Value i) {
      Value before = b.createOrFold<arith::MulIOp>(i, one);
      auto within = [&](Value unit) {
        Value from = b.createOrFold<arith::MaxSIOp>(unit, before);
        return b.createOrFold<arith::MinSIOp>(b.createOrFold<arith::SubIOp>(from, before), one);
      };
      emitRound(reshapeIndex(index, count, outer, index.uniform(i)), within(begin), within(end));
    });
  }

  /// The number of the `blocks` from unit `first` on that are before `unit`.
  Value clamp(Value unit, int64_t first, int64_t blocks) {
    Value above = b.createOrFold<arith::MaxSIOp>(unit, index.constant(first));
    Value number = b.createOrFold<arith::SubIOp>(above, index.constant(first));
    return b.createOrFold<arith::MinSIOp>(number, index.constant(blocks));
  }

  /// Where a block begins in its piece; the end of the piece if there is no such block.
  Value getStart(Value number, const Piece &piece) {
    Value start = b.createOrFold<arith::MulIOp>(number, index.constant(block));
    return b.createOrFold<arith::MinSIOp>(start, index.constant(piece.range.getSize()));
  }

  /// The elements of `piece` from `lower` to `upper`, counted from its beginning.
  void emitPiece(ArrayRef<VectorIndex> row, const Piece &piece, Value lower, Value upper) {
    ElementEmitter::WithKnownSources known(context.emitter, piece.sources);
    ElementEmitter::Scope scope(context.emitter);
    if (isAlongLanes)
      return emitVectors(row, piece.range, lower, upper);
    buildFor(context, lower, upper, 1, [&](Value i) {
      ElementIndex outer(row);
      outer.push_back(index.add(index.uniform(i), piece.range.lower));
      buildNest(context, shape.drop_front(pieces.dimension + 1).drop_back(), {},
                [&](ArrayRef<VectorIndex> inner, ValueRange) {
                  ElementIndex at(outer);
                  at.append(inner.begin(), inner.end());
                  emitVectors(at, {0, shape.back()}, index.constant(0),
                              index.constant(shape.back()));
                  return SmallVector<Value>();
                });
    });
  }

  /// The elements of `range`, along the minor dimension, from `lower` to `upper`. Only the end of
  /// the range may be no multiple of the lanes.
  void emitVectors(ArrayRef<VectorIndex> row, IndexRange range, Value lower, Value upper) {
    int64_t size = range.getSize(), whole = llvm::alignDown(size, index.getLanes());
    auto storeAt = [&](VectorIndex x, Mask mask) {
      ElementIndex at(row);
      at.push_back(index.add(x, range.lower));
      context.storeResults(shape, at, mask);
    };
    buildVectors(context, lower, b.createOrFold<arith::MinSIOp>(upper, index.constant(whole)),
                 [&](VectorIndex x) { storeAt(x, {}); });
    if (whole == size)
      return;
    Value isLast = b.createOrFold<arith::AndIOp>(
        b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, upper, index.constant(size)),
        b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, lower, upper));
    auto storeRest = [&] {
      storeAt(index.consecutive(index.constant(whole), index.getLanes()),
              firstLanes(index, size - whole));
    };
    if (std::optional<int64_t> isKnown = getConstant(isLast)) {
      if (*isKnown)
        storeRest();
      return;
    }
    auto branch = scf::IfOp::create(b, isLast, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    ElementEmitter::Scope scope(context.emitter);
    b.setInsertionPointToStart(branch.thenBlock());
    storeRest();
  }

  KernelContext &context;
  ImplicitLocOpBuilder &b;
  IndexBuilder &index;
  Pieces pieces;
  ArrayRef<int64_t> shape;
  int64_t block;
  bool isAlongLanes;
};

} // namespace

void emitPiecesLoop(KernelContext &context) { PiecesLoop(context).emit(); }

} // namespace hloc
