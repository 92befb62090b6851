# SPDX-License-Identifier: Apache-2.0
# Installs the build, moves the installed tree elsewhere (nothing in it may depend on its place), and uses
# it; then uses the build as it stands.
include(${CMAKE_CURRENT_LIST_DIR}/use.cmake)

file(REMOVE_RECURSE ${work})
run(${CMAKE_COMMAND} --install ${build} --prefix ${work}/first)
file(RENAME ${work}/first ${work}/installed)
use_package(${work}/installed)
# A second build finds nothing to do.
execute_process(COMMAND ${CMAKE_COMMAND} --build ${work}/consumer OUTPUT_VARIABLE output
                COMMAND_ERROR_IS_FATAL ANY)
if(NOT output MATCHES "no work to do")
  message(FATAL_ERROR "the second build was not empty:\n${output}")
endif()

# Nothing says where it was built or first installed.
file(GLOB_RECURSE texts ${work}/installed/lib/*.cmake ${work}/installed/lib/*.pc ${work}/installed/share/*)
foreach(text IN LISTS texts)
  file(READ ${text} contents)
  foreach(place IN ITEMS ${build} ${work}/first)
    string(FIND "${contents}" ${place} position)
    if(NOT position EQUAL -1)
      message(FATAL_ERROR "${text} names ${place}")
    endif()
  endforeach()
endforeach()

build_consumer(${work}/of-build ${build} --target read-digits)
run(${work}/of-build/read-digits ${digits}/heldout.txt)
