# SPDX-License-Identifier: Apache-2.0
# Targets that people call by name: check, docs, format. (bench: test/benchmark.)

# check: builds everything and runs all tests.
if(HLOC_BUILD_TESTS)
  add_custom_target(check
    COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR}
    COMMAND ${CMAKE_CTEST_COMMAND} --output-on-failure
    WORKING_DIRECTORY ${PROJECT_BINARY_DIR} USES_TERMINAL)
endif()

# docs: the reference of the dialect and of the passes, from their definitions; docs/operations.md
# and docs/errors.md in the source tree, with where each operation stands as the programs show it; the
# grammars of tools/editors.
if(NOT HLOC_RUNTIME_ONLY)
  set(docs_dir ${PROJECT_BINARY_DIR}/docs)
  set(include_flags -I ${PROJECT_SOURCE_DIR})
  foreach(dir ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
    list(APPEND include_flags -I ${dir})
  endforeach()
  add_custom_target(docs
    COMMAND ${CMAKE_COMMAND} -E make_directory ${docs_dir}
    COMMAND ${MLIR_TABLEGEN_EXE} -gen-dialect-doc -dialect=hlo ${include_flags}
            ${PROJECT_SOURCE_DIR}/compiler/hlo/HloOps.td -o ${docs_dir}/hlo.md
    COMMAND python3 ${PROJECT_SOURCE_DIR}/docs/generate.py --tblgen ${LLVM_TOOLS_BINARY_DIR}/llvm-tblgen
            --include ${MLIR_INCLUDE_DIRS} --programs ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
    COMMAND python3 ${PROJECT_SOURCE_DIR}/tools/editors/generate.py --tblgen ${LLVM_TOOLS_BINARY_DIR}/llvm-tblgen
            --include ${MLIR_INCLUDE_DIRS}
    COMMENT "Writing ${docs_dir}")
  add_dependencies(docs hloc hlo-opt hlo-run)
endif()

# format: every C++ file as .clang-format says.
find_program(HLOC_CLANG_FORMAT NAMES clang-format-22 clang-format)
if(HLOC_CLANG_FORMAT)
  file(GLOB_RECURSE formatted
    ${PROJECT_SOURCE_DIR}/compiler/*.cpp ${PROJECT_SOURCE_DIR}/compiler/*.h
    ${PROJECT_SOURCE_DIR}/passes/*.cpp ${PROJECT_SOURCE_DIR}/passes/*.h
    ${PROJECT_SOURCE_DIR}/codegen/*.cpp ${PROJECT_SOURCE_DIR}/codegen/*.h
    ${PROJECT_SOURCE_DIR}/runtime/*.cpp ${PROJECT_SOURCE_DIR}/runtime/*.h
    ${PROJECT_SOURCE_DIR}/python/*.cpp ${PROJECT_SOURCE_DIR}/python/*.h
    ${PROJECT_SOURCE_DIR}/tools/*.cpp ${PROJECT_SOURCE_DIR}/test/*.cpp)
  add_custom_target(format COMMAND ${HLOC_CLANG_FORMAT} -i ${formatted}
    COMMENT "Formatting every C++ file")
endif()
