// SPDX-License-Identifier: Apache-2.0
// hlo-lsp: a language server for HLO text.
#include "compiler/lsp/HloLspMain.h"

int main(int argc, char **argv) { return hloc::hloLspMain(argc, argv); }
