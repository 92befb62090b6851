# SPDX-License-Identifier: Apache-2.0
# use_package(PREFIX): builds and runs the project in consumer/ against an installation, through CMake and
# through pkg-config. What it needs: `work`, a folder; `c_compiler` and `compiler`; `digits`.

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# build_consumer(FOLDER PREFIX [--target TARGET]): configures and builds it.
function(build_consumer folder prefix)
  run(${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/consumer -B ${folder}
      -D CMAKE_C_COMPILER=${c_compiler} -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_BUILD_TYPE=Release
      -D CMAKE_PREFIX_PATH=${prefix} -D digits=${digits})
  run(${CMAKE_COMMAND} --build ${folder} ${ARGN})
endfunction()

# compile_with(PACKAGE PROGRAM COMMAND...): compiles and links with the flags that pkg-config gives.
function(compile_with package program)
  execute_process(COMMAND ${pkg_config} --cflags --libs ${package} OUTPUT_VARIABLE flags
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run(${ARGN} ${flags} -o ${program})
endfunction()

function(use_package prefix)
  build_consumer(${work}/consumer ${prefix})
  foreach(program IN ITEMS read-digits read-digits-shared)
    run(${work}/consumer/${program} ${digits}/heldout.txt)
  endforeach()
  run(${work}/consumer/compile)
  if(EXISTS ${prefix}/lib/libhlort_mpi.a)
    run(${work}/consumer/join)
  endif()

  find_program(pkg_config pkg-config)
  if(NOT pkg_config)
    message(WARNING "pkg-config is not installed: its files are not tested")
    return()
  endif()
  set(ENV{PKG_CONFIG_PATH} ${prefix}/lib/pkgconfig)
  set(ENV{LD_LIBRARY_PATH} ${prefix}/lib)
  execute_process(COMMAND ${pkg_config} --variable=compiler hloc OUTPUT_VARIABLE hloc
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  run(${hloc} ${digits}/digits.hlo -o ${work}/digits.o)
  foreach(package IN ITEMS hlort hlort-static)
    compile_with(${package} ${work}/with-${package} ${compiler} -std=c++20 -I${work} ${digits}/host.cpp ${work}/digits.o)
    run(${work}/with-${package} ${digits}/heldout.txt)
  endforeach()
  compile_with(hloc ${work}/with-hloc ${c_compiler} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/consumer/compile.c)
  run(${work}/with-hloc)
endfunction()
