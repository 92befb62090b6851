# SPDX-License-Identifier: Apache-2.0
# Makes Debian's packages of the build, looks at what they ask for, unpacks them into a folder and uses that.
include(${CMAKE_CURRENT_LIST_DIR}/use.cmake)

file(REMOVE_RECURSE ${work})
run(cpack --config ${build}/CPackConfig.cmake -B ${work})
file(GLOB packages ${work}/hloc_*.deb ${work}/hloc-mpi_*.deb)
foreach(package IN LISTS packages)
  execute_process(COMMAND dpkg-deb --field ${package} Depends OUTPUT_VARIABLE depends COMMAND_ERROR_IS_FATAL ANY)
  message(STATUS "${package}: ${depends}")
  if(package MATCHES "/hloc_")
    set(wanted "libc6 \\(>=" "libstdc\\+\\+6 \\(>=" "libtbb12" "libtbb-dev" "libzstd1" "zlib1g")
  else()
    set(wanted "libc6 \\(>=" "hloc \\(= ${version}\\)" "libopenmpi3|libmpich12")
  endif()
  foreach(name IN LISTS wanted)
    if(NOT depends MATCHES ${name})
      message(FATAL_ERROR "${package} does not depend on ${name}: ${depends}")
    endif()
  endforeach()
  if(package MATCHES "/hloc_" AND depends MATCHES "mpi|llvm|mlir")
    message(FATAL_ERROR "${package} depends on what it should not: ${depends}")
  endif()
  run(dpkg-deb --extract ${package} ${work}/root)
endforeach()

foreach(file IN ITEMS bin/hloc bin/hlo-lsp bin/hlo-opt bin/hlo-reduce bin/hlo-run share/man/man1/hloc.1
        share/man/man1/hlo-lsp.1 share/doc/hloc/copyright share/hloc/editors/vim/syntax/hlo.vim
        share/hloc/editors/vscode/package.json share/hloc/editors/vscode/syntaxes/hlo.tmLanguage.json
        share/bash-completion/completions/hlo-run share/zsh/vendor-completions/_hlo-opt)
  if(NOT EXISTS ${work}/root/usr/${file})
    message(FATAL_ERROR "the package lacks usr/${file}")
  endif()
endforeach()
use_package(${work}/root/usr)

# The libraries give their interface to others, with a version, and nothing else.
foreach(library IN ITEMS hlort hloc)
  execute_process(COMMAND nm -D --defined-only ${work}/root/usr/lib/lib${library}.so OUTPUT_VARIABLE symbols
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "[^\n]* [TVWD] (hlort|hloc)_[a-z_0-9]+@@?(HLORT|HLOC)_[0-9.]+\n" "" others "${symbols}")
  string(REGEX REPLACE "[^\n]* A (HLORT|HLOC)_[0-9.]+\n" "" others "${others}")
  if(NOT others STREQUAL "" OR symbols STREQUAL "")
    message(FATAL_ERROR "lib${library}.so gives others:\n${others}")
  endif()
endforeach()
