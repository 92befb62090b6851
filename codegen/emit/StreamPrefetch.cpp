// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/StreamPrefetch.h"
#include "codegen/emit/IndexBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "passes/schedule/Streams.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

namespace {

/// An expression growth * i + offset + (a loop-invariant value) for a loop over i.
struct Affine {
  int64_t growth = 0, offset = 0;
};

Affine operator+(Affine a, Affine b) { return {a.growth + b.growth, a.offset + b.offset}; }
Affine operator*(Affine a, int64_t factor) { return {a.growth * factor, a.offset * factor}; }

/// None if `value` is not of that form. Loop-invariant values that are not constant count as zero.
std::optional<Affine> analyze(Value value, scf::ForOp loop) {
  if (value == loop.getInductionVar())
    return Affine{1, 0};
  if (std::optional<int64_t> constant = getConstant(value))
    return Affine{0, *constant};
  if (loop.isDefinedOutsideOfLoop(value))
    return Affine();
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<Affine>>(op)
      .Case([&](arith::IndexCastOp cast) { return analyze(cast.getIn(), loop); })
      .Case([&](arith::AddIOp sum) -> std::optional<Affine> {
        auto left = analyze(sum.getLhs(), loop), right = analyze(sum.getRhs(), loop);
        return left && right ? std::optional(*left + *right) : std::nullopt;
      })
      .Case([&](arith::MulIOp product) -> std::optional<Affine> {
        auto left = analyze(product.getLhs(), loop), right = analyze(product.getRhs(), loop);
        if (!left || !right)
          return std::nullopt;
        if (auto factor = getConstant(product.getRhs()))
          return *left * *factor;
        if (auto factor = getConstant(product.getLhs()))
          return *right * *factor;
        return left->growth == 0 && right->growth == 0 ? std::optional(Affine()) : std::nullopt;
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// A load or store of an array, and its offset in bytes from the start.
struct Access {
  Value array;
  Affine place;
};

std::optional<Access> analyzeAddress(Value address, scf::ForOp loop) {
  auto step = address.getDefiningOp<LLVM::GEPOp>();
  if (!step)
    return Access{address, {}};
  std::optional<Access> access = analyzeAddress(step.getBase(), loop);
  if (!access || step.getIndices().size() != 1)
    return std::nullopt;
  auto index = step.getIndices()[0];
  std::optional<Affine> moved;
  if (auto constant = dyn_cast<IntegerAttr>(index))
    moved = Affine{0, constant.getInt()};
  else
    moved = analyze(cast<Value>(index), loop);
  if (!moved)
    return std::nullopt;
  int64_t bytes = int64_t(DataLayout::closest(step).getTypeSize(step.getElemType()));
  access->place = access->place + *moved * bytes;
  return access;
}

/// What a loop's iterations read, or write, of one array. `user` is the access at the largest
/// offset, and `last` its address.
struct Stream {
  Value last;
  Operation *user = nullptr;
  int64_t growth = 0, width = 0, end = 0; // in bytes
  /// Bytes that an iteration reads and writes; less than `growth` if it skips some.
  int64_t touched = 0;
  bool isWritten = false;
};

/// The streams of a loop, by array.
llvm::MapVector<Value, Stream> findStreams(scf::ForOp loop, ArrayRef<Value> arrays, int64_t step) {
  llvm::MapVector<Value, Stream> streams;
  for (Operation &op : *loop.getBody()) {
    auto load = dyn_cast<LLVM::LoadOp>(op);
    auto store = dyn_cast<LLVM::StoreOp>(op);
    if (!load && !store)
      continue;
    Value address = load ? load.getAddr() : store.getAddr();
    Type type = load ? load.getResult().getType() : store.getValue().getType();
    std::optional<Access> access = analyzeAddress(address, loop);
    if (!access || access->place.growth <= 0 || !llvm::is_contained(arrays, access->array))
      continue;
    int64_t growth = access->place.growth * step,
            width = int64_t(DataLayout::closest(&op).getTypeSize(type)),
            end = access->place.offset + width;
    Stream &stream = streams[access->array];
    if (!stream.user || end > stream.end) {
      stream.last = address;
      stream.user = &op;
      stream.width = width;
      stream.end = end;
    }
    stream.growth = std::max(stream.growth, growth);
    stream.touched += width;
    stream.isWritten |= bool(store);
  }
  return streams;
}

/// A loop of constant step and its streams without those that skip elements.
struct StreamLoop {
  scf::ForOp loop;
  llvm::MapVector<Value, Stream> streams;
};

/// True if another loop of the same block reads as many bytes of the array and has more to compute
/// meanwhile: the passes of a softmax over a row read it one after the other, and while the first
/// looks for the maximum, requests would pile up.
bool isReadLonger(const StreamLoop &reader, Value array, ArrayRef<StreamLoop> loops) {
  auto countOperations = [](scf::ForOp loop) { return loop.getBody()->getOperations().size(); };
  auto countBytes = [&](const StreamLoop &loop) -> std::optional<int64_t> {
    auto stream = loop.streams.find(array);
    std::optional<APInt> trips = scf::ForOp(loop.loop).getStaticTripCount();
    if (stream == loop.streams.end() || stream->second.isWritten || !trips)
      return std::nullopt;
    return stream->second.growth * trips->getSExtValue();
  };
  std::optional<int64_t> bytes = countBytes(reader);
  return bytes && llvm::any_of(loops, [&](const StreamLoop &other) {
           return other.loop->getBlock() == reader.loop->getBlock() && countBytes(other) == bytes &&
                  countOperations(other.loop) > countOperations(reader.loop);
         });
}

} // namespace

void prefetchStreams(LLVM::LLVMFuncOp function, ArrayRef<Value> arrays, int64_t lineBytes,
                     bool intoL2) {
  SmallVector<StreamLoop> loops;
  function.walk([&](scf::ForOp loop) {
    std::optional<int64_t> step = getConstant(loop.getStep());
    if (!step || *step <= 0)
      return;
    auto streams = findStreams(loop, arrays, *step);
    streams.remove_if([](auto &entry) { return entry.second.touched < entry.second.growth; });
    loops.push_back({loop, std::move(streams)});
  });
  for (StreamLoop &loop : loops) {
    int64_t ahead = getBytesAhead(int64_t(std::max<size_t>(1, loop.streams.size())));
    for (auto &[array, stream] : loop.streams) {
      if (isReadLonger(loop, array, loops))
        continue;
      ImplicitLocOpBuilder b(stream.user->getLoc(), stream.user);
      int64_t first = ahead + stream.width - stream.growth;
      for (int64_t line = 0; line < stream.growth; line += lineBytes) {
        Value address = LLVM::GEPOp::create(b, stream.last.getType(), b.getI8Type(), stream.last,
                                            ArrayRef<LLVM::GEPArg>{int32_t(first + line)});
        LLVM::Prefetch::create(b, address, /*rw=*/stream.isWritten, /*hint=*/intoL2 ? 2 : 3,
                               /*cache=*/1);
      }
    }
  }
}

} // namespace hloc
