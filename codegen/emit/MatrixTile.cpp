// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/MatrixTile.h"
#include "codegen/emit/Memory.h"

using namespace mlir;

namespace hloc {

static constexpr int64_t kRows = Target::kMatrixRows, kRowBytes = Target::kMatrixRowBytes,
                         kColumns = Target::kMatrixColumns;

namespace {

/// Registers, and what they hold, along one side of a tile.
struct Part {
  int64_t begin, size;
};

class MatrixTileEmitter {
public:
  explicit MatrixTileEmitter(KernelContext &context)
      : context(context), b(context.b), matrix(LLVM::LLVMX86AMXType::get(context.b.getContext())) {}

  Value zero(int64_t rows, int64_t bytes) {
    return call("llvm.x86.tilezero.internal", {shape(rows), shape(bytes)});
  }
  Value load(int64_t rows, int64_t bytes, MatrixMemory from, Value offset) {
    return call("llvm.x86.tileloadd64.internal",
                {shape(rows), shape(bytes), move(from.pointer, offset), number(from.rowBytes)});
  }
  void store(int64_t rows, int64_t bytes, MatrixMemory to, Value offset, Value value) {
    LLVM::CallIntrinsicOp::create(b, b.getStringAttr("llvm.x86.tilestored64.internal"),
                                  ValueRange{shape(rows), shape(bytes), move(to.pointer, offset),
                                             number(to.rowBytes), value});
  }
  Value multiplyAdd(MatrixProduct product, Part rows, Part columns, Value sum, Value left,
                    Value right) {
    StringRef name = product == MatrixProduct::Bf16          ? "llvm.x86.tdpbf16ps.internal"
                     : product == MatrixProduct::SignedBytes ? "llvm.x86.tdpbssd.internal"
                                                             : "llvm.x86.tdpbusd.internal";
    return call(name,
                {shape(rows.size), shape(4 * columns.size), shape(kRowBytes), sum, left, right});
  }

private:
  Value call(StringRef name, ValueRange operands) {
    return LLVM::CallIntrinsicOp::create(b, matrix, b.getStringAttr(name), operands).getResult(0);
  }
  Value shape(int64_t size) {
    return LLVM::ConstantOp::create(b, b.getI16Type(), b.getI16IntegerAttr(int16_t(size)));
  }
  Value number(int64_t value) {
    return LLVM::ConstantOp::create(b, b.getI64Type(), b.getI64IntegerAttr(value));
  }
  Value move(Value pointer, Value bytes) { return movePointer(context.index, pointer, bytes); }

  KernelContext &context;
  ImplicitLocOpBuilder &b;
  Type matrix;
};

} // namespace

static SmallVector<Part> divide(int64_t size, int64_t most) {
  SmallVector<Part> parts;
  for (int64_t begin = 0; begin < size; begin += most)
    parts.push_back({begin, std::min(most, size - begin)});
  return parts;
}

void emitMatrixTile(KernelContext &context, MatrixProduct product, int64_t rows, int64_t columns,
                    Value steps, MatrixMemory left, MatrixMemory right, MatrixMemory sums,
                    bool adds) {
  auto &b = context.b;
  IndexBuilder &index = context.index;
  MatrixTileEmitter emitter(context);
  SmallVector<Part> rowParts = divide(rows, kRows), columnParts = divide(columns, kColumns);
  auto sumAt = [&](Part row, Part column) {
    return index.constant(row.begin * sums.rowBytes + 4 * column.begin);
  };
  SmallVector<Value> initial;
  for (Part row : rowParts)
    for (Part column : columnParts)
      initial.push_back(adds ? emitter.load(row.size, 4 * column.size, sums, sumAt(row, column))
                             : emitter.zero(row.size, 4 * column.size));
  auto offset = [&](Value step, int64_t stepBytes, int64_t bytes) {
    Value start = b.createOrFold<arith::MulIOp>(step, index.constant(stepBytes));
    return b.createOrFold<arith::AddIOp>(start, index.constant(bytes));
  };
  auto addProducts = [&](Value step, ValueRange now) {
    SmallVector<Value> lefts, rights, next;
    for (Part row : rowParts)
      lefts.push_back(emitter.load(row.size, kRowBytes, left,
                                   offset(step, kRowBytes, row.begin * left.rowBytes)));
    for (Part column : columnParts)
      rights.push_back(emitter.load(kColumns, 4 * column.size, right,
                                    offset(step, kColumns * right.rowBytes, 4 * column.begin)));
    for (auto [r, row] : llvm::enumerate(rowParts))
      for (auto [c, column] : llvm::enumerate(columnParts))
        next.push_back(emitter.multiplyAdd(product, row, column, now[r * columnParts.size() + c],
                                           lefts[r], rights[c]));
    return next;
  };
  // Copies of the body would need more registers than there are.
  Value end = getConstant(steps) ? hideConstant(b, steps) : steps;
  SmallVector<Value> totals =
      buildFor(context, index.constant(0), end, 1, initial, addProducts, Rounds::Some);
  for (auto [r, row] : llvm::enumerate(rowParts))
    for (auto [c, column] : llvm::enumerate(columnParts))
      emitter.store(row.size, 4 * column.size, sums, sumAt(row, column),
                    totals[r * columnParts.size() + c]);
}

} // namespace hloc
