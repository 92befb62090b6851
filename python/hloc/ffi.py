# SPDX-License-Identifier: Apache-2.0
"""Compiled modules inside functions that `jax.jit` compiles, as custom calls of XLA."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _native
from ._errors import HlocError
from ._executable import Array, Executable

_TARGET = "hloc_run"


@functools.cache
def _register_handler() -> None:
    import jax

    jax.ffi.register_ffi_target(_TARGET, _native.ffi_handler(), platform="cpu")


def _layout(array: Array) -> tuple[int, ...]:
    """A layout in JAX's form: the dimensions, the one with contiguous elements last."""
    return tuple(reversed(array.minor_to_major))


def register(executable: Executable, *, vmap_method: str | None = "sequential") -> Callable[..., Sequence[Any]]:
    """Returns a function of JAX arrays that calls the executable, also inside `jax.jit`, and returns a list of
    its results. The executable works on XLA's memory, without a copy.

    `jax.vmap` calls it for one element after the other, or by another vmap_method (see `jax.ffi.ffi_call`). It
    has no derivative. Code compiled with it runs only in this process, which keeps the executable until it
    ends."""
    import jax

    for array in executable.arguments + executable.results:
        if array.packed_bits:
            raise HlocError(f"`{array.name}` is {array}: XLA passes arrays of less than a byte in another form")
    if executable.prepared_arguments:
        raise HlocError(f"`{executable.name}` has prepared parameters, which custom calls do not")
    _register_handler()
    number = _native.ffi_register(executable._program, executable._context)
    results = [jax.ShapeDtypeStruct(result.shape, result.dtype) for result in executable.results]
    call = jax.ffi.ffi_call(_TARGET, results, vmap_method=vmap_method,
                            input_layouts=[_layout(a) for a in executable.arguments],
                            output_layouts=[_layout(r) for r in executable.results])

    def call_executable(*arguments: Any) -> Sequence[Any]:
        if len(arguments) != len(executable.arguments):
            raise TypeError(f"`{executable.name}` takes {len(executable.arguments)} arrays but {len(arguments)} "
                            "were given")
        arrays = [jax.numpy.asarray(argument) for argument in arguments]
        for wanted, array in zip(executable.arguments, arrays):
            if (array.shape, array.dtype) != (wanted.shape, wanted.dtype):
                raise TypeError(f"`{wanted.name}` of `{executable.name}`: expected {wanted} but got "
                                f"{array.dtype}{list(array.shape)}")
        return call(*arrays, program=np.int64(number))

    call_executable.__name__ = executable.name
    return call_executable
