# SPDX-License-Identifier: Apache-2.0
"""`hloc.jit`, a replacement of `jax.jit`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any


def jit(function: Callable | None = None, *, static_argnums: int | Iterable[int] | None = None,
        static_argnames: str | Iterable[str] | None = None,
        donate_argnums: int | Iterable[int] | None = None,
        donate_argnames: str | Iterable[str] | None = None,
        prepare_argnums: int | Iterable[int] | None = None,
        prepare_argnames: str | Iterable[str] | None = None, **options: Any) -> Any:
    """Compiles a JAX function with hloc, once for each combination of argument types, when it is first called
    with them. Like `jax.jit(function)`, it takes and returns pytrees of arrays. Inside another traced
    function (`jax.jit`, `jax.grad`, `jax.vmap`) it becomes a part of that one.

    The options of `jax.jit` have the same meaning; donated JAX arrays are deleted after the call. What calls need
    of the arguments that prepare_argnums or prepare_argnames name, such as weights, is computed once for the same
    JAX arrays, and kept as long as these exist. Other options are passed to `hloc.compile`. As a decorator it is
    `@hloc.jit` or `@hloc.jit(threads=1)`."""
    if function is None:
        return functools.partial(jit, static_argnums=static_argnums, static_argnames=static_argnames,
                                 donate_argnums=donate_argnums, donate_argnames=donate_argnames,
                                 prepare_argnums=prepare_argnums, prepare_argnames=prepare_argnames, **options)
    try:
        from ._functions import JitFunction
    except ImportError as error:
        raise ImportError("hloc.jit needs JAX (pip install jax); hloc.compile takes HLO text without") from error
    return JitFunction(function, static_argnums, static_argnames, donate_argnums, donate_argnames, options,
                       prepare_argnums, prepare_argnames)
