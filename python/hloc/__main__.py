# SPDX-License-Identifier: Apache-2.0
"""python -m hloc: compiles a JAX function, or a file with a module, to a folder for C++."""

from __future__ import annotations

import argparse
import functools
import importlib
import os
import pathlib
import re
import sys
from typing import Any

from . import CompileError, HlocError, UnsupportedError, __version__, compile as compile_module
from . import _types
from ._export import export

_SHAPE = re.compile(r"(\w+)\[([\d,\s]*)\](?:\{[^}]*\})?")


class _UsageError(Exception):
    """The command line is wrong."""


def _read_shape(text: str) -> Any:
    """Converts `f32[8,64]` to JAX's description of such an argument."""
    import jax

    match = _SHAPE.fullmatch(text.strip())
    numbers = {_types.hlo_name(number): number for number in range(1, 34)}
    if not match or match[1] not in numbers:
        raise _UsageError(f"expected a type and sizes, such as f32[8,64], but got `{text}`")
    sizes = tuple(int(size) for size in match[2].replace(" ", "").split(",") if size)
    return jax.ShapeDtypeStruct(sizes, _types.numpy_type(numbers[match[1]]))


def _find(module: Any, path: str) -> Any:
    try:
        return functools.reduce(getattr, path.split("."), module)
    except AttributeError as error:
        raise _UsageError(str(error)) from None


def _read_module(options: argparse.Namespace) -> Any:
    """The module that the command line names, in a form that hloc.compile accepts."""
    if os.path.exists(options.module):
        if options.shapes or options.arguments:
            raise _UsageError("a file defines its arguments itself: expected no shapes and no --arguments")
        return pathlib.Path(options.module)
    name, colon, path = options.module.partition(":")
    if not colon:
        raise _UsageError(f"expected MODULE:FUNCTION or a file, but there is no file `{options.module}`")
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise _UsageError(str(error)) from None
    import jax

    function = _find(module, path)
    arguments = [_read_shape(shape) for shape in options.shapes]
    if options.arguments:
        if arguments:
            raise _UsageError("expected shapes or --arguments, not both")
        arguments = _find(module, options.arguments)
        arguments = arguments() if callable(arguments) else arguments
    lower = getattr(function, "lower", None) or jax.jit(function, keep_unused=True).lower
    return lower(*arguments)


def _read_bind(options: list[str]) -> dict[str, str]:
    """Maps parameters to files. A name may contain `=` in brackets."""
    return dict(re.fullmatch(r"((?:\[[^\]]*\]|[^=\[])*)=(.*)", one).groups() for one in options)


def main(command: list[str] | None = None) -> int:
    """Exit codes are those of hloc: 0 success, 1 invalid input, 2 wrong command line, 3 not supported."""
    parser = argparse.ArgumentParser(
        prog="python -m hloc", description="Compiles a JAX function, or a file with a module, for C and C++ programs: "
        "NAME.o, its header NAME.h, CMakeLists.txt with the target NAME, and host.cpp, a program that runs it.")
    parser.add_argument("module", metavar="MODULE:FUNCTION", help="a function of a Python module, or a file of HLO")
    parser.add_argument("shapes", nargs="*", metavar="SHAPE", help="type of each argument, such as 'f32[8,64]'")
    parser.add_argument("--arguments", metavar="NAME", help="name in the Python module of the function's arguments: a "
                        "tuple of arrays and trees of them, or a function that returns it; instead of shapes")
    parser.add_argument("-o", "--output", metavar="FOLDER", help="folder for the files (default: NAME)")
    parser.add_argument("--name", help="prefix of the symbols (default: the function's name)")
    parser.add_argument("--threads", type=int, default=0, metavar="N",
                        help="threads of host.cpp; with 1 the code never needs others (default: all of this machine)")
    parser.add_argument("--cpu", help="processor to compile for, such as x86-64-v3 (default: this one)")
    parser.add_argument("-O", type=int, default=3, choices=range(4), dest="level", help="optimization (default: 3)")
    parser.add_argument("--bind", action="append", default=[], metavar="NAME=FILE[:KEY]",
                        help="bind a parameter to an array in a file of weights, so that it is a constant")
    parser.add_argument("--bind-all", action="append", default=[], metavar="PATH",
                        help="bind all parameters that have the names of arrays in a file, or in files of a folder")
    parser.add_argument("--prepare", action="append", default=[], metavar="NAME",
                        help="a parameter, or all whose paths begin so, that stays the same over many runs")
    parser.add_argument("--fast-math", action="store_true", help="reassociate sums and products of floats")
    parser.add_argument("--flush-subnormals", action="store_true", help="take subnormal numbers for zero")
    parser.add_argument("--excess-precision", action="store_true", help="round bf16 and f16 less often, as XLA does")
    parser.add_argument("--reproducible", action="store_true", help="give the same bits on every processor")
    parser.add_argument("--version", action="version", version=f"hloc {__version__}")
    options = parser.parse_args(command)
    if options.threads < 0:
        parser.error("expected a number of threads")
    if wrong := [one for one in options.bind if "=" not in one]:
        parser.error(f"expected NAME=FILE or NAME=FILE:KEY but got `{wrong[0]}`")
    try:
        module = _read_module(options)
        name = options.name or (None if isinstance(module, pathlib.Path) else
                                options.module.partition(":")[2].rpartition(".")[2])
        executable = compile_module(module, name=name, threads=options.threads or None, cpu=options.cpu,
                                    optimization=options.level, fast_math=options.fast_math,
                                    flush_subnormals=options.flush_subnormals,
                                    excess_precision=options.excess_precision,
                                    reproducible=options.reproducible,
                                    bind=_read_bind(options.bind), bind_all=options.bind_all,
                                    prepare=options.prepare)
        folder = options.output or executable.name
        export(executable, folder, options.threads or len(os.sched_getaffinity(0)))
    except _UsageError as error:
        parser.error(str(error))
    except UnsupportedError as error:
        print(error, file=sys.stderr)
        return 3
    except (CompileError, HlocError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{folder}: {executable.name}.o, {executable.name}.h, "
          + (f"{executable.weights_file}, " if executable.weights_file else "") + "CMakeLists.txt, host.cpp")
    return 0


if __name__ == "__main__":
    sys.path.insert(0, os.getcwd())
    sys.exit(main())
