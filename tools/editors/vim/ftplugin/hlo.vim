" SPDX-License-Identifier: Apache-2.0
if exists("b:did_ftplugin")
  finish
endif
let b:did_ftplugin = 1

" Names of HLO have points and dashes.
setlocal iskeyword+=.,-
setlocal commentstring=//\ %s
setlocal comments=s1:/*,mb:*,ex:*/,://
setlocal expandtab shiftwidth=2 softtabstop=2

let b:undo_ftplugin = "setlocal iskeyword< commentstring< comments< expandtab< shiftwidth< softtabstop<"
