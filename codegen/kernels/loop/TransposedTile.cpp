// SPDX-License-Identifier: Apache-2.0
#include "codegen/kernels/loop/TransposedTile.h"
#include "codegen/emit/MovedIndex.h"
#include "codegen/emit/RegisterTile.h"

using namespace mlir;

namespace hloc {

SmallVector<int64_t> TransposedSpace::getOuterSizes() const {
  SmallVector<int64_t> sizes(shape.drop_back());
  sizes.erase(sizes.begin() + across);
  return sizes;
}

ElementIndex TransposedSpace::getPosition(VectorIndex row, VectorIndex column) const {
  ElementIndex at(outerAt);
  at.insert(at.begin() + across, row);
  at.push_back(column);
  return at;
}

/// Vectors of i1 are transposed as bytes, because they have no registers of their own.
static SmallVector<Value> transposeParts(ImplicitLocOpBuilder &b, SmallVector<Value> lines) {
  Type type = lines[0].getType();
  if (!getElementTypeOrSelf(type).isInteger(1))
    return transposeSquare(b, lines);
  Type bytes = shapedLike(lines[0], b.getI8Type());
  for (Value &line : lines)
    line = arith::ExtUIOp::create(b, bytes, line);
  lines = transposeSquare(b, lines);
  for (Value &line : lines)
    line = arith::TruncIOp::create(b, type, line);
  return lines;
}

SmallVector<VectorValue> transposeTile(ImplicitLocOpBuilder &b, ArrayRef<VectorValue> lines) {
  SmallVector<Value> re, im;
  for (VectorValue line : lines) {
    re.push_back(line.re);
    if (line.im)
      im.push_back(line.im);
  }
  re = transposeParts(b, re);
  if (!im.empty())
    im = transposeParts(b, im);
  SmallVector<VectorValue> transposed;
  for (auto [i, part] : llvm::enumerate(re))
    transposed.push_back({part, im.empty() ? Value() : im[i]});
  return transposed;
}

void bindTransposed(KernelContext &context, hlo::TransposeOp op, const ElementIndex &place,
                    Mask placeMask, VectorValue value) {
  context.emitter.bind(
      op, [&context, op, place, placeMask, value](ArrayRef<VectorIndex> at, Mask mask) mutable {
        if (at == ArrayRef<VectorIndex>(place) && mask == placeMask)
          return value;
        return context.emitter.emit(op.getOperand(),
                                    mapIndex(context.index, hlo::getIndexMap(op), at), mask);
      });
}

} // namespace hloc
