// SPDX-License-Identifier: Apache-2.0
// Places all prepared arrays in one block of memory, which the preparation fills and main reads.
// Test: test/passes/prepare/place-prepared.mlir.
#include "compiler/hlo/HloDialect.h"
#include "compiler/hlo/Literal.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "passes/Passes.h"
#include "passes/memory/AssignBuffersPlan.h"
#include "passes/prepare/Preparation.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_PLACEPREPARED
#include "passes/Passes.h.inc"
} // namespace hloc

// The attribute of the module that describes the block.
static constexpr llvm::StringLiteral kBlock = "hlo.prepared_block", kBytes = "bytes", kTag = "tag",
                                     kUses = "uses";
enum Use : int64_t { ReadByRuns = 1, ReadByPreparation = 2, StaysTheSame = 4 };

std::optional<PreparedBlock> hloc::getPreparedBlock(ModuleOp module) {
  auto about = module->getAttrOfType<DictionaryAttr>(kBlock);
  if (!about)
    return std::nullopt;
  PreparedBlock block;
  block.bytes = about.getAs<IntegerAttr>(kBytes).getInt();
  block.tag = uint64_t(about.getAs<IntegerAttr>(kTag).getInt());
  for (int64_t use : about.getAs<DenseI64ArrayAttr>(kUses).asArrayRef()) {
    block.isReadByRuns.push_back(use & ReadByRuns);
    block.isReadByPreparation.push_back(use & ReadByPreparation);
    block.isConstant.push_back(use & StaysTheSame);
  }
  block.argument = int64_t(block.isReadByRuns.size());
  return block;
}

namespace {

struct PlacePrepared : hloc::impl::PlacePreparedBase<PlacePrepared> {
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    preparation = getOperation().lookupSymbol<func::FuncOp>(kPreparation);
    if (!main || !preparation)
      return;
    auto results = preparation->getAttrOfType<IntegerAttr>("hlo.results");
    if (!results)
      return preparation.emitOpError("expected a program on memory"), signalPassFailure();
    count = unsigned(results.getInt());
    parameters = preparation.getNumArguments() - 1 - count;
    bytes = PreparedBlock::headBytes;
    for (Type type : preparation.getArgumentTypes().slice(parameters, count)) {
      offsets.push_back(bytes);
      auto memory = cast<MemRefType>(type);
      bytes += llvm::alignTo(
          buffers::getBytes(RankedTensorType::get(memory.getShape(), memory.getElementType())),
          PreparedBlock::alignment);
    }
    SmallVector<int64_t> uses;
    for (unsigned i = 0; i < parameters; ++i) {
      bool stays = bool(main.getArgAttr(i, kPrepare));
      // Hosts pass all other arguments in any case.
      bool isRead = !stays || !main.getArgument(i).use_empty();
      bool isPrepared = !preparation.getArgument(i).use_empty();
      uses.push_back((isRead ? ReadByRuns : 0) | (isPrepared ? ReadByPreparation : 0) |
                     (stays ? StaysTheSame : 0));
    }
    join(main);
    join(preparation);
    Builder builder(&getContext());
    preparation->setAttr("hlo.results", builder.getI64IntegerAttr(1));
    getOperation()->setAttr(
        kBlock, builder.getDictionaryAttr(
                    {builder.getNamedAttr(kBytes, builder.getI64IntegerAttr(bytes)),
                     builder.getNamedAttr(kTag, builder.getI64IntegerAttr(int64_t(makeTag()))),
                     builder.getNamedAttr(kUses, builder.getDenseI64ArrayAttr(uses))}));
  }

private:
  void join(func::FuncOp function);
  uint64_t makeTag();

  func::FuncOp preparation;
  unsigned parameters, count;
  int64_t bytes;
  SmallVector<int64_t> offsets;
};

/// Replaces the arrays after the parameters by views of one block.
void PlacePrepared::join(func::FuncOp function) {
  auto builder = OpBuilder::atBlockBegin(&function.getBody().front());
  Location loc = function.getLoc();
  auto type = MemRefType::get({bytes}, builder.getI8Type());
  (void)function.insertArgument(parameters, type,
                                builder.getDictionaryAttr(builder.getNamedAttr(
                                    "hlo.name", builder.getStringAttr("prepared"))),
                                loc);
  llvm::BitVector joined(function.getNumArguments());
  for (auto [i, offset] : llvm::enumerate(offsets)) {
    unsigned number = parameters + 1 + unsigned(i);
    joined.set(number);
    BlockArgument argument = function.getArgument(number);
    Value shift = arith::ConstantIndexOp::create(builder, loc, offset);
    argument.replaceAllUsesWith(
        memref::ViewOp::create(builder, argument.getLoc(), cast<MemRefType>(argument.getType()),
                               function.getArgument(parameters), shift, ValueRange()));
  }
  (void)function.eraseArguments(joined);
}

/// Returns a hash of all code and constants that compute the block: programs whose blocks have the
/// same tag have the same arrays at the same offsets. It is never 0, which fresh memory contains.
uint64_t PlacePrepared::makeTag() {
  std::string text;
  llvm::raw_string_ostream out(text);
  SymbolTable symbols(getOperation());
  llvm::SetVector<Operation *> parts;
  parts.insert(preparation);
  for (size_t i = 0; i < parts.size(); ++i)
    parts[i]->walk([&](Operation *op) {
      for (NamedAttribute attribute : op->getAttrs())
        attribute.getValue().walk([&](FlatSymbolRefAttr symbol) {
          if (Operation *part = symbols.lookup(symbol.getAttr()))
            parts.insert(part);
        });
    });
  auto append = [&](ElementsAttr value) {
    SmallVector<char> storage;
    ArrayRef<char> data = getLiteralBytes(value, storage);
    out << llvm::xxh3_64bits(ArrayRef(reinterpret_cast<const uint8_t *>(data.data()), data.size()))
        << '\n';
  };
  for (Operation *part : parts) {
    part->print(out, OpPrintingFlags().elideLargeElementsAttrs(0));
    out << '\n';
    part->walk([&](Operation *op) {
      for (NamedAttribute attribute : op->getAttrs())
        if (auto value = dyn_cast<ElementsAttr>(attribute.getValue());
            value && isa<ConstantOp, memref::GlobalOp>(op))
          append(value);
    });
  }
  uint64_t tag = llvm::xxh3_64bits(text);
  return tag ? tag : 1;
}

} // namespace
