// SPDX-License-Identifier: Apache-2.0
#include "codegen/lower/CompleteReversals.h"
#include "codegen/lower/RewriteInstructions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace hloc {

PreservedAnalyses CompleteReversals::run(Function &function, FunctionAnalysisManager &) {
  return rewriteInstructions(function, [](Instruction &instruction) {
    auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction);
    if (!shuffle || shuffle->changesLength())
      return false;
    ArrayRef<int> mask = shuffle->getShuffleMask();
    int last = int(mask.size()) - 1;
    auto isReversed = [&](auto place) {
      return place.value() == PoisonMaskElem || place.value() == last - int(place.index());
    };
    if (!is_contained(mask, PoisonMaskElem) || !all_of(enumerate(mask), isReversed))
      return false;
    shuffle->setShuffleMask(to_vector(reverse(seq(0, last + 1))));
    return true;
  });
}

} // namespace hloc
