// SPDX-License-Identifier: Apache-2.0
#include "codegen/lower/CompleteReversals.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace hloc {

PreservedAnalyses CompleteReversals::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &instruction : instructions(function)) {
    auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction);
    if (!shuffle || shuffle->changesLength())
      continue;
    ArrayRef<int> mask = shuffle->getShuffleMask();
    int last = int(mask.size()) - 1;
    auto isReversed = [&](auto place) {
      return place.value() == PoisonMaskElem || place.value() == last - int(place.index());
    };
    if (!is_contained(mask, PoisonMaskElem) || !all_of(enumerate(mask), isReversed))
      continue;
    shuffle->setShuffleMask(to_vector(reverse(seq(0, last + 1))));
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace hloc
