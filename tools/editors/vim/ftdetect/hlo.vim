" SPDX-License-Identifier: Apache-2.0
autocmd BufNewFile,BufRead *.hlo setfiletype hlo
