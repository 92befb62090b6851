// SPDX-License-Identifier: Apache-2.0
// The program hlo-lsp: the language server on standard input and output. Tests: test/lsp.

#ifndef HLOC_COMPILER_LSP_HLOLSPMAIN_H
#define HLOC_COMPILER_LSP_HLOLSPMAIN_H

namespace hloc {

int hloLspMain(int argc, char **argv);

} // namespace hloc

#endif
