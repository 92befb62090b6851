// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/Interior.h"
#include "passes/Build.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

namespace {

class InteriorAnalysis {
public:
  InteriorAnalysis(Interior &interior, Block &body) : interior(interior), places(body) {
    for (Operation &op : llvm::reverse(body.without_terminator())) {
      if (isa<hlo::PadOp, hlo::ConcatenateOp>(op))
        visitPieces(op, SmallVector<Place>(places.at(op.getResult(0))));
      else
        places.pass(op);
    }
  }

private:
  using Box = SmallVector<IndexRange>;

  void visitPieces(Operation &op, ArrayRef<Place> asked) {
    auto sizeOf = [](Value piece) { return arrayType(piece).getNumElements(); };
    auto pieces = isa<hlo::PadOp>(op) ? op.getOperands().take_front() : op.getOperands();
    unsigned source =
        llvm::max_element(pieces, [&](Value a, Value b) { return sizeOf(a) < sizeOf(b); }) -
        pieces.begin();
    Box box = interior.box;
    bool isKnown = llvm::all_of(asked, [&](const Place &place) {
      return limit(box, op.getOperand(source), arrayType(op.getResult(0)),
                   hlo::getIndexMap(&op, source), place);
    });
    if (isKnown && 2 * countElements(box) >= ShapedType::getNumElements(interior.shape)) {
      interior.box = box;
      interior.sources.insert({&op, source});
    } else {
      isKnown = false;
    }
    for (const Place &place : asked)
      for (auto [i, operand] : llvm::enumerate(op.getOperands()))
        if (!isKnown || i == source)
          places.ask(operand, mapPlace(hlo::getIndexMap(&op, i), place));
  }

  static int64_t countElements(const Box &box) {
    int64_t count = 1;
    for (IndexRange range : box)
      count *= range.getSize();
    return count;
  }

  /// Limits `box` to where elements of `type` at `place` come from `piece`. Returns false if that
  /// is not known.
  static bool limit(Box &box, Value piece, RankedTensorType type, const hlo::IndexMap &map,
                    const Place &place) {
    Place moved = mapPlace(map, place);
    for (auto [d, x] : llvm::enumerate(moved)) {
      int64_t size = arrayType(piece).getDimSize(d), low = -map[d].offset;
      if (map[d].divisor != 1)
        return false;
      if (low <= 0 && type.getDimSize(d) - low <= size)
        continue; // the whole dimension is in the piece
      if (!x.isKnown)
        return false;
      // 0 <= stride * i + offset < size
      IndexRange &range = box[x.dimension];
      if (x.stride == 0) {
        if (x.offset < 0 || x.offset >= size)
          return false;
        continue;
      }
      int64_t step = std::abs(x.stride), first = x.stride > 0 ? -x.offset : x.offset - size + 1,
              last = x.stride > 0 ? size - 1 - x.offset : x.offset;
      range.lower = std::max(range.lower, llvm::divideCeilSigned(first, step));
      range.upper = std::min(range.upper, llvm::divideFloorSigned(last, step) + 1);
    }
    return true;
  }

  Interior &interior;
  Places places;
};

} // namespace

Interior::Interior(Block &body) : shape(arrayType(body.getTerminator()->getOperand(0)).getShape()) {
  for (int64_t size : shape)
    box.push_back({0, size});
  InteriorAnalysis(*this, body);
}

double Interior::getShare(int64_t dimension, int64_t width) const {
  double share = 1;
  for (auto [d, range] : llvm::enumerate(box)) {
    int64_t inside = range.getSize(), all = shape[d];
    if (int64_t(d) == dimension) {
      inside = std::max<int64_t>(0, range.upper / width - llvm::divideCeil(range.lower, width));
      all = llvm::divideCeil(all, width);
    }
    share *= double(inside) / double(std::max<int64_t>(1, all));
  }
  return share;
}

} // namespace hloc
