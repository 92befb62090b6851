# SPDX-License-Identifier: Apache-2.0
# What programs find an installed hloc by, CMake's package and pkg-config's files, and Debian's packages, which
# `cpack` makes of a built tree. Nothing installed has a path in it: it may be moved. The same CMake package
# stands in the build tree, for CMAKE_PREFIX_PATH. Test: test/package.

include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/hloc)
configure_package_config_file(runtime/cmake/hlocConfig.cmake.in ${package}/hlocConfig.cmake
  INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${package}/hlocConfigVersion.cmake COMPATIBILITY SameMinorVersion)
configure_file(runtime/cmake/HlocAddLibrary.cmake ${package}/HlocAddLibrary.cmake COPYONLY)
foreach(file hlocConfig.cmake hlocConfigVersion.cmake HlocAddLibrary.cmake)
  install(FILES ${PROJECT_BINARY_DIR}/${package}/${file} DESTINATION ${package} COMPONENT runtime)
endforeach()

# Each component has its own targets, for installations without the others.
macro(_hloc_export targets component)
  install(EXPORT ${targets} NAMESPACE hloc:: DESTINATION ${package} COMPONENT ${component})
  export(EXPORT ${targets} NAMESPACE hloc:: FILE ${PROJECT_BINARY_DIR}/${package}/${targets}.cmake)
endmacro()
_hloc_export(hlocTargets runtime)
if(TARGET hloc_shared)
  _hloc_export(hlocLibraryTargets library)
endif()
if(TARGET hlort_mpi)
  _hloc_export(hlocMpiTargets mpi)
endif()

# pkg-config: hlort, hlort-static and hloc.
cmake_path(SET top /${CMAKE_INSTALL_LIBDIR}/pkgconfig)
cmake_path(RELATIVE_PATH top BASE_DIRECTORY /)
string(REGEX REPLACE "[^/]+" ".." top "${top}")
foreach(file IN ITEMS hlort hlort-static hloc)
  configure_file(runtime/cmake/${file}.pc.in ${file}.pc @ONLY)
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/hlort.pc ${PROJECT_BINARY_DIR}/hlort-static.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT runtime)
if(TARGET hloc_shared)
  install(FILES ${PROJECT_BINARY_DIR}/hloc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
endif()

# Pages of the manual and completions for shells, which the programs themselves print.
if(TARGET hloc_shared AND NOT CMAKE_CROSSCOMPILING AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  set(manual ${PROJECT_BINARY_DIR}/manual)
  file(MAKE_DIRECTORY ${manual})
  foreach(program IN ITEMS hloc hlo-lsp hlo-opt hlo-reduce hlo-run)
    set(files "")
    set(commands "")
    foreach(form IN ITEMS man bash zsh fish)
      list(APPEND files ${manual}/${program}.${form})
      list(APPEND commands COMMAND ${program} --describe=${form} > ${manual}/${program}.${form})
    endforeach()
    add_custom_command(OUTPUT ${files} ${commands} DEPENDS ${program} VERBATIM
      COMMENT "Writing the manual of ${program}")
    add_custom_target(${program}-manual ALL DEPENDS ${files})
    install(FILES ${manual}/${program}.man DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
      RENAME ${program}.1 COMPONENT tools)
    install(FILES ${manual}/${program}.bash RENAME ${program}
      DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tools)
    install(FILES ${manual}/${program}.fish
      DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT tools)
    # Where zsh looks below /usr/local, and where Debian's does below /usr.
    foreach(folder IN ITEMS site-functions vendor-completions)
      install(FILES ${manual}/${program}.zsh RENAME _${program}
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${folder} COMPONENT tools)
    endforeach()
  endforeach()
endif()

# What editors need besides the language server.
if(TARGET hlo-lsp)
  install(DIRECTORY tools/editors/vim tools/editors/vscode DESTINATION ${CMAKE_INSTALL_DATADIR}/hloc/editors
    COMPONENT tools PATTERN node_modules EXCLUDE PATTERN package-lock.json EXCLUDE PATTERN *.vsix EXCLUDE)
endif()

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT runtime)
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime FILES_MATCHING PATTERN "*.md")

# Debian: hloc is everything but hloc-mpi, so that the first does not ask for an MPI.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME hloc)
set(CPACK_PACKAGE_VENDOR "The hloc authors")
set(CPACK_PACKAGE_CONTACT "The hloc authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Compiles HLO, the programs of JAX and XLA, ahead of time to native code")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime)
foreach(component IN ITEMS tools library)
  if(TARGET hloc_shared)
    list(APPEND CPACK_COMPONENTS_ALL ${component})
  endif()
endforeach()
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} name)
  set(CPACK_COMPONENT_${name}_GROUP hloc)
endforeach()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_HLOC_PACKAGE_NAME hloc)
# Programs that link the static runtime, and CMake's package, need oneTBB's development files.
set(CPACK_DEBIAN_HLOC_PACKAGE_DEPENDS libtbb-dev)
set(CPACK_DEBIAN_HLOC_PACKAGE_RECOMMENDS "libc6-dev, libopenblas0-pthread | liblapack3")
set(CPACK_DEBIAN_HLOC_PACKAGE_SUGGESTS hloc-mpi)
if(TARGET hlort_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_NAME hloc-mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "hloc (= ${PROJECT_VERSION})")
  set(CPACK_COMPONENT_MPI_DESCRIPTION "Participants of programs that hloc has compiled, as processes of MPI")
endif()
if(PROJECT_IS_TOP_LEVEL)
  include(CPack)
endif()
