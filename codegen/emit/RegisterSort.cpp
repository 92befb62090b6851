// SPDX-License-Identifier: Apache-2.0
// First each column, that is, each lane across the vectors, is sorted by exchanges between whole
// vectors. Then adjacent runs of columns are merged, twice as many columns at a time. Exchanges
// between lanes of a vector take three or four instructions, so there are as few of them as
// possible. Finally the columns are transposed to rows.
#include "codegen/emit/RegisterSort.h"
#include "codegen/emit/Fence.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

namespace {

class RegisterSort {
public:
  RegisterSort(ImplicitLocOpBuilder &b, MutableArrayRef<Value> rows)
      : b(b), rows(rows), count(rows.size()),
        lanes(cast<VectorType>(rows[0].getType()).getNumElements()) {}

  void sortColumns();
  void mergeColumns(int64_t width);
  void transpose();

private:
  /// A vector whose lane l is lane `pick(l)` of x, or of y for numbers from `lanes` on.
  Value shuffle(Value x, Value y, function_ref<int64_t(int64_t)> pick) {
    SmallVector<int64_t> order;
    for (int64_t lane = 0; lane < lanes; ++lane)
      order.push_back(pick(lane));
    return vector::ShuffleOp::create(b, x, y, order);
  }
  // With fences, because LLVM would derive the bits of each extreme from all those that it comes
  // from. Networks take a tenth less time to compile.
  Value least(Value x, Value y) { return fence(b, arith::MinSIOp::create(b, x, y)); }
  Value greatest(Value x, Value y) { return fence(b, arith::MaxSIOp::create(b, x, y)); }
  void exchange(int64_t low, int64_t high) {
    Value x = rows[low], y = rows[high];
    rows[low] = least(x, y);
    rows[high] = greatest(x, y);
  }

  ImplicitLocOpBuilder &b;
  MutableArrayRef<Value> rows;
  int64_t count, lanes;
};

} // namespace

/// Batcher's odd-even merge sort, beginning with runs of one row.
void RegisterSort::sortColumns() {
  for (int64_t run = 1; run < count; run *= 2)
    for (int64_t distance = run; distance >= 1; distance /= 2)
      for (int64_t first = distance % run; first + distance < count; first += 2 * distance)
        for (int64_t row = first; row < first + distance && row + distance < count; ++row)
          if (row / (2 * run) == (row + distance) / (2 * run))
            exchange(row, row + distance);
}

/// Merges runs of `width` columns with the adjacent ones. This is a bitonic merge in the form where
/// all exchanges have the same direction, because the second run is read in reverse.
void RegisterSort::mergeColumns(int64_t width) {
  auto backwards = [&](int64_t lane) { return lane ^ (2 * width - 1); };
  auto isSecond = [&](int64_t lane) { return (lane & width) != 0; };
  for (int64_t row = 0; row < (count + 1) / 2; ++row) {
    Value &x = rows[row], &y = rows[count - 1 - row];
    Value turned = shuffle(y, y, backwards), low = least(x, turned), high = greatest(x, turned);
    x = shuffle(low, high, [&](int64_t lane) { return lane + (isSecond(lane) ? lanes : 0); });
    if (count > 1)
      y = shuffle(low, high,
                  [&](int64_t lane) { return backwards(lane) + (isSecond(lane) ? lanes : 0); });
  }
  for (int64_t distance = width / 2; distance >= 1; distance /= 2)
    for (Value &row : rows) {
      Value other = shuffle(row, row, [&](int64_t lane) { return lane ^ distance; });
      row = shuffle(least(row, other), greatest(row, other),
                    [&](int64_t lane) { return lane + (lane & distance ? lanes : 0); });
    }
  for (int64_t distance = count / 2; distance >= 1; distance /= 2)
    for (int64_t row = 0; row < count; ++row)
      if (!(row & distance))
        exchange(row, row + distance);
}

/// Transposes from column-major to row-major order. An element's number in column-major order has
/// the bits of its lane above those of its row; they are exchanged pair by pair.
void RegisterSort::transpose() {
  int64_t rowBits = llvm::Log2_64(count), laneBits = llvm::Log2_64(lanes),
          bits = std::min(rowBits, laneBits);
  for (int64_t bit = 0; bit < bits; ++bit) {
    int64_t inRow = int64_t(1) << bit, inLane = int64_t(1) << (laneBits - bits + bit);
    for (int64_t row = 0; row < count; ++row) {
      if (row & inRow)
        continue;
      Value x = rows[row], y = rows[row + inRow];
      rows[row] =
          shuffle(x, y, [&](int64_t lane) { return lane & inLane ? lanes + lane - inLane : lane; });
      rows[row + inRow] =
          shuffle(x, y, [&](int64_t lane) { return lane & inLane ? lanes + lane : lane + inLane; });
    }
  }
  // The remaining bits of the row go below those of the lane, and the remaining bits of the lane
  // above those of the row.
  int64_t laneRest = laneBits - bits, rowRest = rowBits - bits;
  if (laneRest > 0)
    for (Value &row : rows)
      row = shuffle(row, row, [&](int64_t lane) {
        int64_t low = lane & (count - 1), high = lane >> bits;
        return low << laneRest | high;
      });
  if (rowRest > 0) {
    SmallVector<Value> before(rows);
    for (int64_t row = 0; row < count; ++row) {
      int64_t low = row & ((int64_t(1) << rowRest) - 1), high = row >> rowRest;
      rows[row] = before[low << bits | high];
    }
  }
}

void emitRegisterSort(ImplicitLocOpBuilder &b, MutableArrayRef<Value> rows) {
  RegisterSort sort(b, rows);
  sort.sortColumns();
  int64_t lanes = cast<VectorType>(rows[0].getType()).getNumElements();
  for (int64_t width = 1; width < lanes; width *= 2)
    sort.mergeColumns(width);
  sort.transpose();
}

} // namespace hloc
