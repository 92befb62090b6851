// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/Places.h"
#include "passes/Build.h"

using namespace mlir;

namespace hloc {

/// The most indices at which a value may be requested: more make the analysis slow.
static constexpr size_t kMostPlaces = 64;

static Place unknown(Value value) { return Place(arrayType(value).getRank()); }

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
static Place mapUnits(hlo::ReshapeOp reshape, const Place &place) {
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

Places::Places(Block &body) {
  for (Value result : body.getTerminator()->getOperands()) {
    Place place;
    for (int64_t d = 0; d < arrayType(result).getRank(); ++d)
      place.push_back({d, 1, 0, true});
    ask(result, place);
  }
}

ArrayRef<Place> Places::at(Value value) const {
  auto found = asked.find(value);
  return found == asked.end() ? ArrayRef<Place>() : ArrayRef<Place>(found->second);
}

void Places::ask(Value value, const Place &place) {
  SmallVector<Place> &places = asked[value];
  if (llvm::is_contained(places, place) || places.size() > kMostPlaces)
    return;
  // One place too many makes all of them unknown.
  places.push_back(places.size() < kMostPlaces ? place : unknown(value));
}

void Places::pass(Operation &op) {
  if (op.getNumResults() != 1) {
    for (Value operand : op.getOperands())
      ask(operand, unknown(operand));
    return;
  }
  bool isElementwise = op.hasTrait<hlo::Elementwise>() || isa<hlo::CopyOp>(op);
  auto reshape = dyn_cast<hlo::ReshapeOp>(op);
  for (const Place &place : SmallVector<Place>(at(op.getResult(0))))
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

} // namespace hloc
