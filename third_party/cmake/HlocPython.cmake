# SPDX-License-Identifier: Apache-2.0
# HLOC_PYTHON: the Python that runs the test scripts. The first of PATH's python3 and Debian's own
# that has NumPy, else the first that runs; HLOC_PYTHON_HAS_NUMPY says which.

if(NOT HLOC_PYTHON)
  set(found "")
  find_program(HLOC_PYTHON_OF_PATH python3)
  foreach(candidate ${HLOC_PYTHON_OF_PATH} /usr/bin/python3)
    execute_process(COMMAND ${candidate} -c "import numpy" RESULT_VARIABLE status
                    OUTPUT_QUIET ERROR_QUIET)
    if(status EQUAL 0)
      set(found ${candidate})
      break()
    elseif(NOT found)
      set(found ${candidate})
    endif()
  endforeach()
  set(HLOC_PYTHON ${found} CACHE FILEPATH "The Python of the test scripts")
endif()
execute_process(COMMAND ${HLOC_PYTHON} -c "import numpy" RESULT_VARIABLE status
                OUTPUT_QUIET ERROR_QUIET)
if(status EQUAL 0)
  set(HLOC_PYTHON_HAS_NUMPY ON)
else()
  set(HLOC_PYTHON_HAS_NUMPY OFF)
endif()
