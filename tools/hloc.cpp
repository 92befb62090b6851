// SPDX-License-Identifier: Apache-2.0
// hloc: compiles HLO modules to native code.
#include "compiler/driver/HlocMain.h"

int main(int argc, char **argv) { return hloc::hlocMain(argc, argv); }
