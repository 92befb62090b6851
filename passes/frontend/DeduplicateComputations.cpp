// SPDX-License-Identifier: Apache-2.0
// Merges equal computations. Test: test/passes/frontend/deduplicate-computations.mlir.
#include "compiler/hlo/HloDialect.h"
#include "mlir/IR/OperationSupport.h"
#include "passes/Computations.h"
#include "passes/Passes.h"
#include "llvm/ADT/Hashing.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_DEDUPLICATECOMPUTATIONS
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

/// A hash that is equal for equal computations.
llvm::hash_code hashOf(ComputationOp computation) {
  llvm::hash_code hash = mlir::hash_value(computation.getFunctionType());
  computation.getBody().walk([&](Operation *op) {
    hash = llvm::hash_combine(hash, op->getName().getAsOpaquePointer(), op->getNumOperands(),
                              op->getAttrDictionary().getAsOpaquePointer());
  });
  return hash;
}

bool areEqual(ComputationOp a, ComputationOp b) {
  return a.getFunctionType() == b.getFunctionType() &&
         OperationEquivalence::isRegionEquivalentTo(&a.getBody(), &b.getBody(),
                                                    OperationEquivalence::IgnoreLocations);
}

struct DeduplicateComputations : hloc::impl::DeduplicateComputationsBase<DeduplicateComputations> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    DenseMap<size_t, SmallVector<ComputationOp>> known;
    DenseMap<Attribute, FlatSymbolRefAttr> replacement;
    for (auto computation : module.getOps<ComputationOp>()) {
      if (computation.getEntry())
        continue;
      SmallVector<ComputationOp> &candidates = known[hashOf(computation)];
      auto *equal = llvm::find_if(
          candidates, [&](ComputationOp candidate) { return areEqual(candidate, computation); });
      if (equal == candidates.end())
        candidates.push_back(computation);
      else
        replacement[FlatSymbolRefAttr::get(computation.getSymNameAttr())] =
            FlatSymbolRefAttr::get(equal->getSymNameAttr());
    }
    if (replacement.empty())
      return;
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](FlatSymbolRefAttr symbol) -> std::optional<Attribute> {
      auto found = replacement.find(symbol);
      return found == replacement.end() ? std::nullopt : std::optional<Attribute>(found->second);
    });
    module.walk([&](Operation *op) {
      if (isa_and_present<HLODialect>(op->getDialect()) && !isa<ComputationOp, ConstantOp>(op))
        replacer.replaceElementsIn(op);
    });
    eraseUnreachableComputations(module);
    removed += replacement.size();
  }
};

} // namespace
