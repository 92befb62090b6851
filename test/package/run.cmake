# SPDX-License-Identifier: Apache-2.0
# Installs the build, moves the installed tree elsewhere (nothing in it may depend on its place),
# and builds and runs the project in consumer/ against it.

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${work})
run(${CMAKE_COMMAND} --install ${build} --prefix ${work}/first)
file(RENAME ${work}/first ${work}/installed)
run(${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${work}/consumer
    -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_BUILD_TYPE=Release
    -D CMAKE_PREFIX_PATH=${work}/installed -D digits=${digits})
run(${CMAKE_COMMAND} --build ${work}/consumer)
run(${work}/consumer/read-digits ${digits}/heldout.txt)
# A second build finds nothing to do.
execute_process(COMMAND ${CMAKE_COMMAND} --build ${work}/consumer OUTPUT_VARIABLE output
                COMMAND_ERROR_IS_FATAL ANY)
if(NOT output MATCHES "no work to do")
  message(FATAL_ERROR "the second build was not empty:\n${output}")
endif()
