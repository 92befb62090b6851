// SPDX-License-Identifier: Apache-2.0
// Makes a module as small as possible while it still shows a fault.
// Test: test/tools/hlo-reduce.test.

#ifndef HLOC_COMPILER_REDUCE_REDUCER_H
#define HLOC_COMPILER_REDUCE_REDUCER_H

#include "compiler/reduce/Steps.h"
#include "mlir/IR/OwningOpRef.h"
#include <chrono>
#include <functional>

namespace hloc::reduce {

class Reducer {
public:
  /// `shows` tells whether HLO text shows the fault; it is called until `end`. `keep` is called
  /// with each smaller text that does.
  Reducer(mlir::OwningOpRef<mlir::ModuleOp> module, std::string text,
          std::function<bool(llvm::StringRef)> shows, std::function<void(llvm::StringRef)> keep,
          std::chrono::steady_clock::time_point end)
      : module(std::move(module)), text(std::move(text)), shows(std::move(shows)),
        keep(std::move(keep)), end(end) {}

  /// Tries all steps until none helps or the time is over.
  void run();

  mlir::ModuleOp getModule() { return *module; }

private:
  bool isOver() const { return std::chrono::steady_clock::now() >= end; }
  /// Each keeps the changed module if it is valid, shows the fault and has another text.
  bool change(llvm::function_ref<void(mlir::ModuleOp)> make);
  bool changeText(std::string smaller);
  void cut();
  void dropResults();
  void dropModuleAttributes();
  bool runStep(const Step &step);
  bool shrinkSizes();

  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string text;
  std::function<bool(llvm::StringRef)> shows;
  std::function<void(llvm::StringRef)> keep;
  std::chrono::steady_clock::time_point end;
};

} // namespace hloc::reduce

#endif
