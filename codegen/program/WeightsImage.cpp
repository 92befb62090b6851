// SPDX-License-Identifier: Apache-2.0
#include "codegen/program/WeightsImage.h"
#include "codegen/Passes.h"
#include "codegen/emit/Memory.h"
#include "codegen/program/Program.h"
#include "compiler/hlo/Literal.h"
#include "hlort/weights.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "runtime/WeightsFormat.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace hloc {

#define GEN_PASS_DEF_PLACEWEIGHTS
#include "codegen/Passes.h.inc"

// Attributes of the module and of its constants.
static constexpr StringLiteral kWeights = "hlo.weights", kOffset = "hlo.weights_offset";

// The layout of the struct that is declared below.
static_assert(offsetof(hlort_weights, data) == 0 && offsetof(hlort_weights, file) == 16 &&
              offsetof(hlort_weights, bytes) == 32 && offsetof(hlort_weights, hash) == 40 &&
              sizeof(hlort_weights) == 48);

/// The bytes of a constant in memory. `storage` holds them if the literal's own layout differs.
static ArrayRef<char> getBytes(ElementsAttr value, SmallVectorImpl<char> &storage) {
  if (getStorageBits(value.getElementType()) >= 8)
    return hlo::getLiteralBytes(value, storage);
  getMemoryBytes(value, storage);
  return storage;
}

/// Appends `value` to `out`.
template <class T> static void append(std::string &out, const T &value) {
  out.append(reinterpret_cast<const char *>(&value), sizeof value);
}

static std::string makeTable(const WeightsImage &image) {
  std::string table;
  for (const WeightsImage::Constant &constant : image.constants)
    append(table, runtime::WeightsEntry{constant.offset, constant.bytes, constant.hash});
  return table;
}

WeightsImage placeWeights(ModuleOp program, StringRef file) {
  WeightsImage image;
  SmallVector<memref::GlobalOp> globals;
  for (auto global : program.getOps<memref::GlobalOp>()) {
    auto type = cast<MemRefType>(global.getType());
    auto value = cast<ElementsAttr>(global.getInitialValueAttr());
    int64_t bytes = getByteSize(RankedTensorType::get(type.getShape(), type.getElementType()));
    if (bytes < kSmallConstant)
      continue;
    globals.push_back(global);
    image.constants.push_back({value, 0, bytes, 0});
  }
  Builder builder(program.getContext());
  int64_t end = runtime::getWeightsStart(int64_t(globals.size()));
  for (auto [global, constant] : llvm::zip(globals, image.constants)) {
    SmallVector<char> storage;
    ArrayRef<char> bytes = getBytes(constant.value, storage);
    constant.offset = int64_t(llvm::alignTo(uint64_t(end), runtime::weightsAlignment));
    constant.hash = llvm::xxHash64(StringRef(bytes.data(), bytes.size()));
    end = constant.offset + constant.bytes;
    global->setAttr(kOffset, builder.getI64IntegerAttr(constant.offset));
  }
  image.bytes = int64_t(llvm::alignTo(uint64_t(end), runtime::weightsPage));
  std::string table = makeTable(image);
  image.hash = llvm::xxHash64(table);
  program->setAttr(kWeights,
                   builder.getDictionaryAttr(
                       {builder.getNamedAttr("file", builder.getStringAttr(file)),
                        builder.getNamedAttr("bytes", builder.getI64IntegerAttr(image.bytes)),
                        builder.getNamedAttr("hash", builder.getI64IntegerAttr(image.hash))}));
  return image;
}

void WeightsImage::write(llvm::raw_ostream &out) const {
  runtime::WeightsHeader header = {};
  llvm::copy(runtime::weightsMagic, header.magic);
  header.version = runtime::weightsVersion;
  header.bytes = bytes;
  header.count = int64_t(constants.size());
  header.hash = hash;
  std::string text;
  append(text, header);
  text += makeTable(*this);
  out << text;
  int64_t written = int64_t(text.size());
  auto fillTo = [&](int64_t offset) {
    out.write_zeros(unsigned(offset - written)); // less than a page
    written = offset;
  };
  for (const Constant &constant : constants) {
    fillTo(constant.offset);
    SmallVector<char> storage;
    ArrayRef<char> data = getBytes(constant.value, storage);
    out.write(data.data(), data.size());
    written += int64_t(data.size());
  }
  fillTo(bytes);
}

bool hasWeights(ModuleOp program) { return program->hasAttr(kWeights); }

std::optional<int64_t> getWeightsOffset(Operation *global) {
  auto offset = global->getAttrOfType<IntegerAttr>(kOffset);
  return offset ? std::optional<int64_t>(offset.getInt()) : std::nullopt;
}

/// The second dot keeps it apart from symbols of instructions.
std::string getWeightsSymbol(const ProgramNames &names) { return names.module + ".weights.mapped"; }

LLVM::GlobalOp declareWeights(OpBuilder &builder, ModuleOp program, const ProgramNames &names) {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext()), i64 = builder.getI64Type();
  auto type = LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                               {pointer, pointer, pointer, pointer, i64, i64});
  auto global =
      LLVM::GlobalOp::create(builder, program.getLoc(), type, /*isConstant=*/false,
                             LLVM::Linkage::External, getWeightsSymbol(names), Attribute(), 8);
  global.setVisibility_(LLVM::Visibility::Hidden);
  return global;
}

void defineWeights(ModuleOp program, const ProgramNames &names, llvm::Module &module) {
  llvm::GlobalVariable *global = module.getGlobalVariable(getWeightsSymbol(names), true);
  auto about = program->getAttrOfType<DictionaryAttr>(kWeights);
  if (!global || !about)
    return;
  auto number = [&](StringRef name) {
    return llvm::ConstantInt::getSigned(llvm::Type::getInt64Ty(module.getContext()),
                                        about.getAs<IntegerAttr>(name).getInt());
  };
  auto text = [&](StringRef string) {
    auto *value = llvm::ConstantDataArray::getString(module.getContext(), string);
    auto *data = new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                          llvm::GlobalValue::PrivateLinkage, value,
                                          names.module + ".weights.text");
    data->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    return data;
  };
  auto *none = llvm::ConstantPointerNull::get(llvm::PointerType::get(module.getContext(), 0));
  auto *type = llvm::cast<llvm::StructType>(global->getValueType());
  global->setInitializer(
      llvm::ConstantStruct::get(type, {none, none, text(about.getAs<StringAttr>("file").getValue()),
                                       text(names.module), number("bytes"), number("hash")}));
}

namespace {

struct PlaceWeights : impl::PlaceWeightsBase<PlaceWeights> {
  using Base::Base;

  void runOnOperation() override { placeWeights(getOperation(), file); }
};

} // namespace

} // namespace hloc
