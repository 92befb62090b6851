// SPDX-License-Identifier: Apache-2.0
// Makes a module as small as it can while it still shows a fault.
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
  /// `shows` says of HLO text whether it shows the fault; it is asked until the time is over.
  /// `keep` gets each smaller text that does.
  Reducer(mlir::OwningOpRef<mlir::ModuleOp> module, std::string text,
          std::function<bool(llvm::StringRef)> shows, std::function<void(llvm::StringRef)> keep,
          std::chrono::steady_clock::time_point end)
      : module(std::move(module)), text(std::move(text)), shows(std::move(shows)),
        keep(std::move(keep)), end(end) {}

  /// Tries everything until nothing helps or the time is over.
  void run();

  mlir::ModuleOp getModule() { return *module; }

private:
  bool isOver() const { return std::chrono::steady_clock::now() >= end; }
  /// Each keeps what it makes of the module if that is valid, shows the fault and is another text.
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
