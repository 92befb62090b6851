// SPDX-License-Identifier: Apache-2.0
// hlo-run: runs HLO modules on arrays from files.
#include "compiler/driver/HloRunMain.h"

int main(int argc, char **argv) { return hloc::hloRunMain(argc, argv); }
