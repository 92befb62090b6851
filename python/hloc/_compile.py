# SPDX-License-Identifier: Apache-2.0
"""Compiling a module to a function."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import _native
from ._bind import get_bindings
from ._custom_calls import adapt
from ._errors import CompileError, HlocError, UnsupportedError, read_messages
from ._executable import Executable
from ._source import Source, get_source
from ._stablehlo import convert, is_stablehlo

_UNSUPPORTED = 3  # hloc_outcome in hloc.h
# The values of `bf16_dot` in the order of their numbers in hloc.h.
_BF16_DOTS = ("checked", "native", "exact")


@functools.cache
def default_context() -> _native.Context:
    """The context of modules without another one: a thread for each processor that this process may use."""
    return _native.Context(len(os.sched_getaffinity(0)))


def _get_context(context: _native.Context | None, threads: int | None) -> _native.Context | None:
    if context is not None and threads is not None:
        raise ValueError("expected a context or a number of threads, not both")
    if threads == 1:
        return None
    return context or (default_context() if threads is None else _native.Context(threads))


def _take(found: tuple) -> _native.Program:
    """Returns the program in a result of hloc._native, or raises its messages as an exception."""
    outcome, entries, printed, program = found
    if program is None:
        kind = UnsupportedError if outcome == _UNSUPPORTED else CompileError
        raise kind(read_messages(entries), printed)
    return program


def _convert(source: Source, refused: CompileError) -> Source:
    """Converts StableHLO to HLO, if the compiler refused the source because of that and JAX can convert it."""
    try:
        converted = convert(source) if is_stablehlo(refused.messages) else None
    except Exception as error:
        raise refused from error
    if converted is None:
        raise refused
    return converted


def compile(module: Any, *, name: str | None = None, threads: int | None = None,
            context: _native.Context | None = None, cpu: str | None = None, optimization: int = 3,
            fast_math: bool = False, flush_subnormals: bool = False, excess_precision: bool = False,
            bf16_dot: str = "checked", reproducible: bool = False, custom_calls: Mapping[str, Callable] | None = None,
            bind: Mapping[str, Any] | None = None,
            bind_all: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
            cache: str | os.PathLike[str] | bool | None = None, cache_size: int = 0,
            time_budget: float = 0, prepare: str | int | Sequence[str | int] = ()) -> Executable:
    """Compiles a module: HLO text, an HloModuleProto (bytes, or XLA's own object), the path of a file (a
    `pathlib.Path`), `jax.jit(f).lower(...)` or a `jax.export.Exported`; where JAX is installed also StableHLO,
    as text, bytecode or a file.

    name: prefix of the symbols in C; by default the module's.
    threads: number of threads of a call; by default one for each processor. With 1 the code never needs a
        thread pool.
    context: threads that are shared with other modules, instead of `threads`. Modules without either
        share one context.
    cpu: the processor to compile for, as for `hloc --mcpu`; by default this one.
    optimization: 0 to 3.
    fast_math: reassociate sums and products: faster, but results differ by rounding errors.
    flush_subnormals: take subnormal numbers for zero, as XLA does: faster on Intel processors where numbers vanish.
    excess_precision: compute bf16, f16 and narrower floats in f32 and round only what kernels write to memory, as
        XLA does: faster, but the kernels, and so the last bits, depend on the processor.
    reproducible: give the same bits on every processor (docs/reproducible.md).
    custom_calls: maps targets of custom calls to functions that are called with a NumPy array for each operand
        and the call's attributes as keyword arguments, and return the result, or a tuple of several. By default
        the callbacks of `jax.jit(f).lower(...)` (`jax.pure_callback` and others).
    bf16_dot: "native" for the processor's own products of bf16, which take subnormal numbers for zero; "exact" for
        those of f32; "checked" for the former where no number is subnormal, else the latter.
    bind: maps parameters that become constants to their values: arrays, trees of arrays like those that JAX
        functions take, or files of weights, "FILE" or "FILE:KEY" (docs/weights.md).
    bind_all: a file of weights or a folder of them, or several, whose arrays have the names of parameters.
    cache: a folder that keeps compiled code for later; by default that of the environment variable
        HLOC_CACHE, or none; False: none (docs/cache.md).
    cache_size: its maximum size in bytes; by default a gigabyte.
    time_budget: limit of the predicted compile time in seconds: LLVM optimizes less where that costs the least
        run time.
    prepare: names or numbers of parameters that stay the same over many calls: `Executable.prepare` computes once
        what calls need of them (docs/weights.md). The name of an argument of a JAX function stands for all its arrays.

    Raises CompileError, or UnsupportedError if the module is valid but cannot be compiled."""
    if bf16_dot not in _BF16_DOTS:
        raise ValueError(f'expected bf16_dot to be "checked", "native" or "exact" but got "{bf16_dot}"')
    if threads is not None and threads < 1:
        raise ValueError("expected one thread or more")
    if not 0 <= optimization <= 3:
        raise ValueError("expected an optimization level of 0 to 3")
    if cache is True:
        raise ValueError("expected cache to be a folder, or False")
    if cache_size < 0 or not time_budget >= 0:
        raise ValueError("expected cache_size and time_budget to be 0 or more")
    folder = "" if cache is False else None if cache is None else os.fspath(cache)
    source = get_source(module)
    bindings = get_bindings(bind, bind_all)
    prepared = [str(name) for name in ((prepare,) if isinstance(prepare, (str, int)) else prepare)]
    context = _get_context(context, threads)
    functions = adapt(source.custom_calls if custom_calls is None else custom_calls)

    def run(source: Source) -> Executable:
        found = _native.compile(source.text, source.file, name, cpu, optimization, 1 if threads == 1 else 0,
                                fast_math, flush_subnormals, excess_precision, _BF16_DOTS.index(bf16_dot), reproducible,
                                functions, *bindings, folder, cache_size, time_budget, prepared)
        return Executable(_take(found), context)

    try:
        return run(source)
    except CompileError as error:
        source = _convert(source, error)
    return run(source)


def load(path: str | os.PathLike[str], *, threads: int | None = None, context: _native.Context | None = None,
         weights: str | os.PathLike[str] | None = None) -> Executable:
    """Opens a shared library that `Executable.save` or `hloc --emit=shared` has written. It stays loaded until
    the process ends, and has its own threads, even with a context that others share.

    weights: its file of weights, if it has one that is not next to it."""
    path = os.fspath(path)
    if not os.path.exists(path):
        raise FileNotFoundError(f"{path}: no such file")
    try:
        program = _take(_native.open(path))
    except CompileError as error:
        raise HlocError(str(error)) from None
    if weights is not None:
        program.load_weights(os.fspath(weights))
    return Executable(program, _get_context(context, threads))
