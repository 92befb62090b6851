// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/Compress.h"

using namespace mlir;

namespace hloc {

// An entry of the table has, in four bits each, the numbers of the 32-bit parts that move to the
// front. It is computed from a smaller mask: the parts of the lowest lane, followed by the entry of
// the other lanes.

Compress::Compress(KernelContext &context, IntegerType element)
    : b(context.b), type(VectorType::get({context.target.getLanes(element.getWidth())}, element)) {
  if (context.target.hasMaskRegisters)
    return;
  table = context.allocateOnStack((int64_t(1) << type.getNumElements()) * 4);
  fillTable();
}

Value Compress::entryAt(Value mask) {
  return LLVM::GEPOp::create(b, table.getType(), b.getI32Type(), table,
                             ArrayRef<LLVM::GEPArg>{mask});
}

void Compress::fillTable() {
  OpBuilder::InsertionGuard guard(b);
  Type i32 = b.getI32Type();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(int32_t(value)));
  };
  bool isWide = type.getElementTypeBitWidth() == 64;
  int64_t first = isWide ? 0x10 : 0x0, step = isWide ? 0x22 : 0x1, digits = isWide ? 8 : 4;
  LLVM::StoreOp::create(b, constant(0), entryAt(constant(0)));
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value masks = arith::ConstantIndexOp::create(b, int64_t(1) << type.getNumElements());
  auto loop = scf::ForOp::create(b, one, masks, one);
  b.setInsertionPointToStart(loop.getBody());
  Value mask = arith::IndexCastOp::create(b, i32, loop.getInductionVar());
  Value others = arith::AndIOp::create(b, mask, arith::SubIOp::create(b, mask, constant(1)));
  Value lane = LLVM::CountTrailingZerosOp::create(b, i32, mask, /*is_zero_poison=*/true);
  Value own =
      arith::AddIOp::create(b, arith::MulIOp::create(b, lane, constant(step)), constant(first));
  Value rest = LLVM::LoadOp::create(b, i32, entryAt(others));
  rest = arith::ShLIOp::create(b, rest, constant(digits));
  LLVM::StoreOp::create(b, arith::OrIOp::create(b, rest, own), entryAt(mask));
  // Behind the lanes of each mask but that of all, those of its complement. What these have behind
  // them is shifted out.
  b.setInsertionPointAfter(loop);
  int64_t all = (int64_t(1) << type.getNumElements()) - 1;
  auto second = scf::ForOp::create(b, arith::ConstantIndexOp::create(b, 0),
                                   arith::ConstantIndexOp::create(b, all), one);
  b.setInsertionPointToStart(second.getBody());
  mask = arith::IndexCastOp::create(b, i32, second.getInductionVar());
  Value complement = arith::XOrIOp::create(b, mask, constant(all));
  Value shift = arith::MulIOp::create(b, LLVM::CtPopOp::create(b, i32, mask), constant(digits));
  Value behind = arith::ShLIOp::create(b, LLVM::LoadOp::create(b, i32, entryAt(complement)), shift);
  own = LLVM::LoadOp::create(b, i32, entryAt(mask));
  LLVM::StoreOp::create(b, arith::OrIOp::create(b, own, behind), entryAt(mask));
}

Value Compress::getBits(Value mask) {
  Value narrow = LLVM::BitcastOp::create(b, b.getIntegerType(type.getNumElements()), mask);
  return arith::ExtUIOp::create(b, b.getI64Type(), narrow);
}

Value Compress::count(Value mask) {
  Value set = LLVM::CtPopOp::create(b, b.getI64Type(), getBits(mask));
  return arith::IndexCastOp::create(b, b.getIndexType(), set);
}

Value Compress::emit(Value value, Value mask) {
  auto call = [&](Type result, StringRef name, ValueRange operands) -> Value {
    return LLVM::CallIntrinsicOp::create(b, result, b.getStringAttr(name), operands).getResult(0);
  };
  if (!table) {
    std::string name = "llvm.x86.avx512.mask.compress.v" + std::to_string(type.getNumElements()) +
                       "i" + std::to_string(type.getElementTypeBitWidth());
    return call(type, name, {value, value, mask});
  }
  auto pieces = VectorType::get({8}, b.getI32Type());
  Value entry = LLVM::LoadOp::create(b, b.getI32Type(), entryAt(getBits(mask)));
  Value shifts = arith::ConstantOp::create(b, b.getI32VectorAttr({0, 4, 8, 12, 16, 20, 24, 28}));
  // The instruction uses only the three lowest bits.
  Value numbers = arith::ShRUIOp::create(b, vector::BroadcastOp::create(b, pieces, entry), shifts);
  Value moved =
      call(pieces, "llvm.x86.avx2.permd", {LLVM::BitcastOp::create(b, pieces, value), numbers});
  return LLVM::BitcastOp::create(b, type, moved);
}

} // namespace hloc
