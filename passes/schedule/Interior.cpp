// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/Interior.h"
#include "compiler/hlo/Movement.h"
#include "passes/Build.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// The most indices at which an operation may be requested: more make the analysis slow.
static constexpr size_t kMostPlaces = 64;

namespace {

/// The index along one dimension of a value: stride * i + offset, where i is the index along
/// `dimension` of the results; or one that is not known.
struct Coordinate {
  int64_t dimension = 0, stride = 0, offset = 0;
  bool isKnown = false;

  bool operator==(const Coordinate &) const = default;
};

/// The index of an element of a value.
using Place = SmallVector<Coordinate, 4>;

Place unknown(Value value) { return Place(arrayType(value).getRank()); }

/// The place of an operand's element, from that of the result.
Place mapPlace(const hlo::IndexMap &map, const Place &place) {
  Place moved;
  for (const hlo::DimensionMap &to : map) {
    Coordinate x = place[to.dimension];
    moved.push_back(
        x.isKnown && to.divisor == 1
            ? Coordinate{x.dimension, x.stride * to.stride, x.offset * to.stride + to.offset, true}
            : Coordinate());
  }
  return moved;
}

/// The place in the operand of a reshape that only adds or drops dimensions of size one.
Place mapUnits(hlo::ReshapeOp reshape, const Place &place) {
  SmallVector<Coordinate> rest;
  for (auto [size, x] : llvm::zip(arrayType(reshape).getShape(), place))
    if (size != 1)
      rest.push_back(x);
  Place moved;
  auto next = rest.begin();
  for (int64_t size : arrayType(reshape.getOperand()).getShape())
    moved.push_back(size == 1 ? Coordinate{0, 0, 0, true} : *next++);
  return moved;
}

class InteriorAnalysis {
public:
  InteriorAnalysis(Interior &interior, Block &body) : interior(interior) {
    for (Value result : body.getTerminator()->getOperands()) {
      Place place;
      for (size_t d = 0; d < interior.shape.size(); ++d)
        place.push_back({int64_t(d), 1, 0, true});
      ask(result, place);
    }
    for (Operation &op : llvm::reverse(body.without_terminator())) {
      if (op.getNumResults() == 1)
        visit(op, places.lookup(op.getResult(0)));
      else
        for (Value operand : op.getOperands())
          ask(operand, unknown(operand));
    }
  }

private:
  using Box = SmallVector<Interior::Range>;

  void ask(Value value, const Place &place) {
    SmallVector<Place> &asked = places[value];
    if (llvm::is_contained(asked, place) || asked.size() > kMostPlaces)
      return;
    // One place too many makes all of them unknown.
    asked.push_back(asked.size() < kMostPlaces ? place : unknown(value));
  }

  /// Passes the places where `op` is requested on to its operands.
  void visit(Operation &op, ArrayRef<Place> asked) {
    if (isa<hlo::PadOp, hlo::ConcatenateOp>(op))
      return visitPieces(op, asked);
    bool isElementwise = op.hasTrait<hlo::Elementwise>() || isa<hlo::CopyOp>(op);
    auto reshape = dyn_cast<hlo::ReshapeOp>(op);
    for (const Place &place : asked)
      for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
        RankedTensorType type = arrayType(operand);
        if (isElementwise && type.getShape() == arrayType(op.getResult(0)).getShape())
          ask(operand, place);
        else if (isa<hlo::MovementInterface>(op))
          ask(operand, mapPlace(hlo::getIndexMap(&op, i), place));
        else if (reshape && hlo::isUnitReshape(reshape))
          ask(operand, mapUnits(reshape, place));
        else
          ask(operand, unknown(operand));
      }
  }

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
          ask(operand, mapPlace(hlo::getIndexMap(&op, i), place));
  }

  static int64_t countElements(const Box &box) {
    int64_t count = 1;
    for (Interior::Range range : box)
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
      Interior::Range &range = box[x.dimension];
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
  llvm::DenseMap<Value, SmallVector<Place>> places;
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
