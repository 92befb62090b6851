// SPDX-License-Identifier: Apache-2.0
#include "codegen/cache/CodeHash.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace hloc {

void addTarget(CacheKeyBuilder &key, const Target &target) {
  key.add(target.triple).add(target.cpu).add(target.features);
  for (int64_t number :
       {target.vectorBytes, target.vectorRegisters, target.sveBytes, target.narrowestMaskedBits,
        int64_t(target.optimization), int64_t(target.bf16Dot)})
    key.add(uint64_t(number));
  for (bool has : {target.hasMaskRegisters, target.hasFma, target.hasPairMultiplyAdd,
                   target.hasQuadMultiplyAdd, target.hasBf16Dot, target.hasMatrixMultiplyAdd,
                   target.hasBf16Matrices, target.hasHalf, target.hasRounding, target.hasRange,
                   target.singleThreaded, target.fastMath, target.flushSubnormals,
                   target.excessPrecision, target.reproducible, target.lineTables, target.trace})
    key.add(uint64_t(has));
}

namespace {

/// Writes operations as numbers. Values, blocks, types and attributes are numbered by first
/// occurrence, where a type or an attribute is also written as text.
class CodeHasher {
public:
  CodeHasher(CacheKeyBuilder &key, const CodeHashOptions &options) : key(key), options(options) {
    for (LLVM::LLVMFuncOp function : options.unnamed)
      functions.insert({function.getSymNameAttr(), functions.size()});
  }

  void add(Operation *op) {
    key.add(op->getName().getStringRef());
    for (NamedAttribute attribute : op->getAttrDictionary()) {
      key.add(attribute.getName().strref());
      add(attribute.getValue());
    }
    if (options.withPlaces)
      add(op->getLoc());
    key.add(op->getNumOperands());
    for (Value operand : op->getOperands())
      key.add(number(values, operand));
    key.add(op->getNumResults());
    for (Value result : op->getResults()) {
      key.add(number(values, result));
      add(result.getType());
    }
    key.add(op->getNumSuccessors());
    for (Block *successor : op->getSuccessors())
      key.add(number(blocks, successor));
    key.add(op->getNumRegions());
    for (Region &region : op->getRegions())
      add(region);
  }

private:
  /// Stands for the number of an attribute.
  static constexpr uint64_t kFunction = ~uint64_t(0);

  void add(Region &region) {
    key.add(region.getBlocks().size());
    for (Block &block : region) {
      key.add(number(blocks, &block)).add(block.getNumArguments());
      for (BlockArgument argument : block.getArguments()) {
        key.add(number(values, argument));
        add(argument.getType());
        if (options.withPlaces)
          add(argument.getLoc());
      }
      key.add(block.getOperations().size());
      for (Operation &op : block)
        add(&op);
    }
  }

  void add(Attribute attribute) {
    StringAttr symbol = dyn_cast<StringAttr>(attribute);
    if (auto reference = dyn_cast<FlatSymbolRefAttr>(attribute))
      symbol = reference.getAttr();
    if (auto function = functions.find(symbol); symbol && function != functions.end()) {
      key.add(kFunction).add(function->second);
      return;
    }
    auto [known, isNew] = attributes.insert({attribute, attributes.size()});
    key.add(known->second);
    if (!isNew)
      return;
    // Its text contains the name of a resource, but not the contents.
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute))
      if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
        key.add(StringRef(blob->getData().data(), blob->getData().size()));
    key.add(print(attribute));
  }

  void add(Type type) {
    auto [known, isNew] = types.insert({type, types.size()});
    key.add(known->second);
    if (isNew)
      key.add(print(type));
  }

  template <typename T> StringRef print(T what) {
    text.clear();
    llvm::raw_string_ostream out(text);
    what.print(out);
    return text;
  }

  template <typename Map, typename T> static uint64_t number(Map &numbers, T what) {
    return numbers.insert({what, numbers.size()}).first->second;
  }

  CacheKeyBuilder &key;
  const CodeHashOptions &options;
  DenseMap<Value, uint64_t> values;
  DenseMap<Block *, uint64_t> blocks;
  DenseMap<Attribute, uint64_t> attributes;
  DenseMap<Type, uint64_t> types;
  /// Numbers of functions whose names are ignored, by these names.
  DenseMap<StringAttr, uint64_t> functions;
  std::string text;
};

} // namespace

void addCode(CacheKeyBuilder &key, ArrayRef<Operation *> operations,
             const CodeHashOptions &options) {
  CodeHasher hasher(key, options);
  for (Operation *op : operations)
    hasher.add(op);
  if (!options.withPlaces)
    return;
  SmallString<256> folder; // a prefix of the locations of line tables
  llvm::sys::fs::current_path(folder);
  key.add(folder);
}

} // namespace hloc
