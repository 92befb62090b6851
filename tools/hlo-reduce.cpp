// SPDX-License-Identifier: Apache-2.0
// hlo-reduce: makes a module that shows a fault as small as possible.
#include "compiler/hlo/HloDialect.h"
#include "compiler/reduce/HloReduceMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<hloc::hlo::HLODialect>();
  return hloc::hloReduceMain(argc, argv, registry);
}
