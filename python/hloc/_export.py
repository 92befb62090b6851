# SPDX-License-Identifier: Apache-2.0
"""Writes a folder with a compiled module for C++ programs, and an example of such a program."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import string

from ._executable import Executable

_CMAKE = string.Template("""\
# Written by `python -m hloc`. The target `$name` is the module with its header $name.h:
#   add_subdirectory(this folder)
#   target_link_libraries(program PRIVATE $name)
cmake_minimum_required(VERSION 3.16)
project($name LANGUAGES CXX)
find_package(Threads REQUIRED)

add_library($name INTERFACE)
target_compile_features($name INTERFACE cxx_std_20)
target_include_directories($name INTERFACE $${CMAKE_CURRENT_SOURCE_DIR} $${CMAKE_CURRENT_SOURCE_DIR}/hlort/include)
target_link_libraries($name INTERFACE $${CMAKE_CURRENT_SOURCE_DIR}/$name.o
  $${CMAKE_CURRENT_SOURCE_DIR}/hlort/lib/libhlort.a $${CMAKE_CURRENT_SOURCE_DIR}/hlort/lib/libtbb.so.12
  Threads::Threads $${CMAKE_DL_LIBS})

$weights
add_executable(${name}_host EXCLUDE_FROM_ALL host.cpp)
target_link_libraries(${name}_host PRIVATE $name)
if(CMAKE_SOURCE_DIR STREQUAL PROJECT_SOURCE_DIR)
  set_target_properties(${name}_host PROPERTIES EXCLUDE_FROM_ALL OFF)
endif()
""")

# Programs search for the weights in their own folder.
_WEIGHTS = string.Template("""\
file(CREATE_LINK $${CMAKE_CURRENT_SOURCE_DIR}/$file $${CMAKE_CURRENT_BINARY_DIR}/$file SYMBOLIC)
""")

_HOST = string.Template("""\
// Written by `python -m hloc`: runs $name once and prints what comes out. A start for a program of your own.
#include "$name.h"

#include <algorithm>
#include <exception>
#include <iostream>

/// Prints the first elements of a result.
template <typename View> static void print(const char *name, View view) {
  std::cout << name << ':';
  for (int64_t i = 0; i < std::min<int64_t>(view.count(), 8); ++i)
    std::cout << ' ' << +view.data()[i];
  std::cout << (view.count() > 8 ? " ...\\n" : "\\n");
}

int main() {
  try {
    hlort::Context context($threads);
    $type model(context.get());
$fill    model.run();
$print  } catch (const std::exception &error) {
    std::cerr << error.what() << '\\n';
    return 1;
  }
}
""")

# An argument or result in the header's class: its role, its number, its type in HLO, its name in C++ and the elements'
# type. The number of the block of prepared arrays is that after the parameters'.
_ACCESSOR = re.compile(r"/// (Argument|Result) (\d+): (.*)\.\n  using (\w+)_view = hlort::View<([\w:<>]+), ")


def _write_host(executable: Executable, threads: int) -> str:
    header = executable.header
    fill, show = "", ""
    for role, number, shape, name, element in _ACCESSOR.findall(header):
        if role == "Argument" and int(number) == len(executable._parameters):
            fill += "    model.prepare(); // once, and again when prepared parameters have changed\n"
        elif role == "Argument":
            value = "1" if element in ("float", "double") else f"{element}()"
            fill += f"    std::fill(model.{name}().begin(), model.{name}().end(), {value}); // {shape}\n"
        else:
            show += f'    print("{name}", model.{name}()); // {shape}\n'
    return _HOST.substitute(name=executable.name, type=re.search(r"^class (\w+) ", header, re.M)[1],
                            threads=threads, fill=fill, print=show)


def export(executable: Executable, folder: str | os.PathLike[str], threads: int) -> None:
    """Writes NAME.o, NAME.h, NAME.weights if parameters are bound, CMakeLists.txt with the target NAME,
    host.cpp, and hlort with the parts of the runtime that they need. Other files in the folder are kept."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    name = executable.name
    (folder / f"{name}.o").write_bytes(executable.object)
    (folder / f"{name}.h").write_text(executable.header)
    file = executable.weights_file
    if file:
        (folder / file).write_bytes(executable.weights)
    weights = _WEIGHTS.substitute(file=file) if file else ""
    (folder / "CMakeLists.txt").write_text(_CMAKE.substitute(name=name, weights=weights))
    (folder / "host.cpp").write_text(_write_host(executable, threads))
    package = pathlib.Path(__file__).resolve().parent
    shutil.copytree(package / "include", folder / "hlort" / "include", dirs_exist_ok=True)
    (folder / "hlort" / "lib").mkdir(exist_ok=True)
    for library in ("libhlort.a", "libtbb.so.12"):
        shutil.copy2(package / "lib" / library, folder / "hlort" / "lib")
