// SPDX-License-Identifier: Apache-2.0
#include "compiler/reduce/Reducer.h"
#include "compiler/text/Load.h"
#include "compiler/text/Printer.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "passes/Computations.h"
#include <set>

using namespace mlir;

namespace hloc::reduce {

bool Reducer::change(llvm::function_ref<void(ModuleOp)> make) {
  if (isOver())
    return false;
  OwningOpRef<ModuleOp> smaller = module->clone();
  make(*smaller);
  removeUnused(*smaller);
  std::string printed;
  llvm::raw_string_ostream out(printed);
  ScopedDiagnosticHandler quiet(module->getContext(), [](Diagnostic &) { return success(); });
  if (failed(verify(*smaller)) || failed(printHlo(*smaller, out)) || printed == text ||
      !shows(printed))
    return false;
  module = std::move(smaller);
  text = std::move(printed);
  keep(text);
  return true;
}

bool Reducer::changeText(std::string smaller) {
  if (isOver())
    return false;
  ScopedDiagnosticHandler quiet(module->getContext(), [](Diagnostic &) { return success(); });
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(smaller, "smaller.hlo"),
                              llvm::SMLoc());
  OwningOpRef<ModuleOp> read = loadModule(sources, module->getContext());
  if (!read || !shows(smaller))
    return false;
  module = std::move(read);
  text = std::move(smaller);
  keep(text);
  return true;
}

/// Finds the shortest prefix of operations that shows the fault, by bisection.
void Reducer::cut() {
  unsigned least = 1, most = getEntrySize(*module);
  while (least < most && !isOver()) {
    unsigned middle = least + (most - least) / 2;
    if (change([&](ModuleOp smaller) { cutAfter(smaller, middle); }))
      most = std::min(middle, getEntrySize(*module));
    else
      least = middle + 1;
  }
}

/// Keeps a single part of the result, if that shows the fault; otherwise removes as many as
/// possible.
void Reducer::dropResults() {
  unsigned count = getResultCount(*module);
  for (unsigned i = 0; i < count; ++i)
    if (change([&](ModuleOp smaller) { keepResults(smaller, i); }))
      return;
  for (unsigned i = count; count > 1 && i-- > 0;) {
    auto kept = llvm::to_vector(llvm::seq(0u, count));
    kept.erase(kept.begin() + i);
    if (change([&](ModuleOp smaller) { keepResults(smaller, kept); }))
      --count;
  }
}

void Reducer::dropModuleAttributes() {
  for (NamedAttribute attribute : llvm::to_vector((*module)->getDiscardableAttrs()))
    change([&](ModuleOp smaller) { smaller->removeAttr(attribute.getName()); });
}

/// Applies the step at all places at once, then at each half of them, and so on.
bool Reducer::runStep(const Step &step) {
  bool changed = false;
  unsigned count = step.places(*module).size();
  for (unsigned size = count; size > 0; size /= 2)
    for (unsigned to = step.places(*module).size(); to > 0;) {
      unsigned from = to - std::min(size, to);
      changed |= change([&](ModuleOp smaller) {
        SmallVector<Operation *> places = step.places(smaller);
        for (unsigned i = from; i < to; ++i)
          step.apply(places[i]);
      });
      to = std::min<unsigned>(from, step.places(*module).size());
    }
  return changed;
}

/// `text` with each separate occurrence of `number` replaced.
static std::string replaceNumber(StringRef text, int64_t number, int64_t by) {
  std::string wanted = std::to_string(number), replaced;
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '.' || c == '_' || c == '-'; };
  for (size_t at = 0;;) {
    size_t next = text.find(wanted, at);
    replaced += text.slice(at, next);
    if (next == StringRef::npos)
      return replaced;
    size_t after = next + wanted.size();
    bool isWhole =
        (next == 0 || !isPart(text[next - 1])) && (after == text.size() || !isPart(text[after]));
    replaced += isWhole ? std::to_string(by) : wanted;
    at = after;
  }
}

/// Makes the sizes of dimensions as small as possible, replacing one number everywhere in the text
/// at a time.
bool Reducer::shrinkSizes() {
  std::set<int64_t, std::greater<>> sizes;
  module->walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto array = dyn_cast<RankedTensorType>(type))
        sizes.insert(array.getShape().begin(), array.getShape().end());
  });
  for (BlockArgument argument : getEntry(*module).getArguments())
    if (auto array = dyn_cast<RankedTensorType>(argument.getType()))
      sizes.insert(array.getShape().begin(), array.getShape().end());
  bool changed = false;
  for (int64_t size : sizes)
    for (int64_t smaller :
         {int64_t(1), int64_t(2), int64_t(3), size / 8, size / 4, size / 2, size - 1})
      if (smaller >= 1 && smaller < size && changeText(replaceNumber(text, size, smaller))) {
        changed = true;
        break;
      }
  return changed;
}

void Reducer::run() {
  dropModuleAttributes();
  cut();
  bool changed = true;
  while (changed && !isOver()) {
    changed = false;
    dropResults();
    for (const Step &step : getSteps())
      changed |= runStep(step);
    changed |= shrinkSizes();
  }
}

} // namespace hloc::reduce
