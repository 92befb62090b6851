// SPDX-License-Identifier: Apache-2.0
// hlo-run: runs HLO modules on arrays from files.
#include "compiler/driver/Compiler.h"
#include "compiler/driver/HloRunMain.h"
#include "compiler/driver/RunCompiled.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  hloc::registerAllDialects(registry);
  return hloc::hloRunMain(argc, argv, registry, hloc::runCompiled, hloc::prepareModule);
}
