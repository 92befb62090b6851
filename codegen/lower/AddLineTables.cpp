// SPDX-License-Identifier: Apache-2.0
// The pass add-line-tables: an upstream pass turns its locations into LLVM's debug information.
#include "codegen/Passes.h"
#include "compiler/hlo/Location.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;

namespace hloc {
#define GEN_PASS_DEF_ADDLINETABLES
#include "codegen/Passes.h.inc"
} // namespace hloc

using namespace hloc;

static Location makePlace(FileLineColLoc position) {
  SmallString<256> path(position.getFilename());
  llvm::sys::fs::make_absolute(path);
  return FileLineColLoc::get(position.getContext(), path, position.getLine(), position.getColumn());
}

/// Gives every function and operation inside `module` a location. Returns false if none has one.
static bool setPlaces(ModuleOp module) {
  FileLineColLoc first = hlo::getFilePosition(module.getLoc());
  if (!first)
    module.walk([&](Operation *op) { first = first ? first : hlo::getFilePosition(op->getLoc()); });
  if (!first)
    return false;
  module->setLoc(makePlace(FileLineColLoc::get(first.getFilename(), 1, 1)));
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    FileLineColLoc own = hlo::getFilePosition(function.getLoc());
    Location fallback = own ? makePlace(own) : module.getLoc();
    function.walk([&](Operation *op) {
      FileLineColLoc position = hlo::getFilePosition(op->getLoc());
      op->setLoc(position ? makePlace(position) : fallback);
    });
  }
  return true;
}

namespace {

struct AddLineTables : hloc::impl::AddLineTablesBase<AddLineTables> {
  void runOnOperation() override {
    if (!setPlaces(getOperation()))
      return;
    OpPassManager passes(ModuleOp::getOperationName());
    LLVM::DIScopeForLLVMFuncOpPassOptions options;
    options.emissionKind = LLVM::DIEmissionKind::LineTablesOnly;
    passes.addPass(LLVM::createDIScopeForLLVMFuncOpPass(options));
    if (failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }
};

} // namespace
