// SPDX-License-Identifier: Apache-2.0
// Kernels as functions, named after the instructions that they come from.
#include "passes/kernels/OutlineKernels.h"
#include "compiler/hlo/Location.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

/// A hash of the body, in which values are represented by their numbers.
static llvm::hash_code hashBody(Block &block) {
  DenseMap<Value, unsigned> numbers;
  llvm::hash_code hash = 0;
  for (BlockArgument argument : block.getArguments()) {
    numbers[argument] = numbers.size();
    hash = llvm::hash_combine(hash, argument.getType());
  }
  for (Operation &op : block) {
    hash = llvm::hash_combine(hash, op.getName(), op.getDiscardableAttrDictionary(),
                              op.hashProperties());
    for (Value operand : op.getOperands())
      hash = llvm::hash_combine(hash, numbers.lookup(operand));
    for (Value result : op.getResults()) {
      numbers[result] = numbers.size();
      hash = llvm::hash_combine(hash, result.getType());
    }
  }
  return hash;
}

/// A symbol derived from an instruction's name, such as `fusion_3` from `fusion.3`.
static std::string makeName(KernelOp kernel) {
  StringRef name = getInstructionName(kernel.getLoc());
  std::string result = name.empty() ? stringifyKernelKind(kernel.getKind()).str() : name.str();
  for (char &c : result)
    if (!llvm::isAlnum(c))
      c = '_';
  return result;
}

FlatSymbolRefAttr KernelOutliner::outline(KernelOp kernel, ArrayRef<int64_t> reuse) {
  Block &body = kernel.getBody().front();
  llvm::hash_code hash = llvm::hash_combine(hashBody(body), unsigned(kernel.getKind()),
                                            llvm::hash_combine_range(reuse.begin(), reuse.end()));
  for (KernelFunctionOp known : functions[hash])
    if (known.getKind() == kernel.getKind() && known.getReuse() == reuse &&
        known.getSchedulesAttr() == kernel.getSchedulesAttr() &&
        OperationEquivalence::isRegionEquivalentTo(&known.getBody(), &kernel.getBody(),
                                                   OperationEquivalence::IgnoreLocations))
      return FlatSymbolRefAttr::get(known.getSymNameAttr());
  OpBuilder builder(kernel.getContext());
  auto function =
      KernelFunctionOp::create(builder, kernel.getLoc(), makeName(kernel), kernel.getKind(), reuse,
                               kernel.getMustReuse(), kernel.getSchedulesAttr());
  function.getBody().takeBody(kernel.getBody());
  symbols.insert(function);
  functions[hash].push_back(function);
  return FlatSymbolRefAttr::get(function.getSymNameAttr());
}
