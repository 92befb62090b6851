# SPDX-License-Identifier: Apache-2.0
"""`hloc.jit`, in the place of `jax.jit`."""

from __future__ import annotations

import functools
import inspect
import threading
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ._compile import compile as compile_module
from ._executable import Executable


def _as_tuple(value: Any) -> tuple:
    if value is None:
        return ()
    return (value,) if isinstance(value, (int, str)) else tuple(value)


# Results of fewer bytes are copied, by code that XLA calls at once; it takes far longer to tell JAX of memory
# where it is.
_SMALL_BYTES = 1 << 18


@functools.cache
def _get_copier() -> Callable[[list], list]:
    """JAX arrays of NumPy's, by a copy."""
    import jax

    return jax.jit(lambda arrays: arrays)


class _Compiled:
    """The function for arguments of one kind."""

    def __init__(self, lowered: Any, options: dict[str, Any]):
        import jax

        self.executable: Executable = compile_module(lowered, **options)
        leaves, self.tree = jax.tree_util.tree_flatten(lowered.out_info)
        self.small = [i for i, result in enumerate(self.executable.results) if result.nbytes < _SMALL_BYTES]
        self.large = [i for i, result in enumerate(self.executable.results) if result.nbytes >= _SMALL_BYTES]
        # Arrays of random keys are arrays of numbers for the module.
        self.keys = [(i, jax.random.key_impl(jax.numpy.empty((), leaf.dtype))) for i, leaf in enumerate(leaves)
                     if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key)]

    def __call__(self, leaves: list) -> Any:
        import jax

        arguments = [self._prepare(leaf, wanted.dtype)
                     for leaf, wanted in zip(leaves, self.executable.arguments)]
        results = list(self.executable(*arguments))
        for places, hand_over in ((self.small, _get_copier()), (self.large, jax.device_put)):
            if places:
                arrays = hand_over([results[i] for i in places])
                for i, array in zip(places, arrays):
                    results[i] = array
        for i, implementation in self.keys:
            results[i] = jax.random.wrap_key_data(results[i], impl=implementation)
        return jax.tree_util.tree_unflatten(self.tree, results)

    @staticmethod
    def _prepare(leaf: Any, dtype: np.dtype) -> Any:
        import jax

        if isinstance(leaf, jax.Array):
            if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
                leaf = jax.random.key_data(leaf)
            return np.asarray(leaf)
        return np.asarray(leaf, dtype)  # of the type that JAX has taken it for


class JitFunction:
    """What `hloc.jit` gives."""

    def __init__(self, function: Callable, static_argnums: Any, static_argnames: Any,
                 donate_argnums: Any, donate_argnames: Any, options: dict[str, Any]):
        import jax

        functools.update_wrapper(self, function)
        self._options = options
        self._jitted = jax.jit(function, static_argnums=static_argnums, static_argnames=static_argnames,
                               donate_argnums=donate_argnums, donate_argnames=donate_argnames,
                               keep_unused=True)
        names = _positional_names(function)
        self._static_numbers, self._static_names = _resolve(names, static_argnums, static_argnames)
        self._donated_numbers, self._donated_names = _resolve(names, donate_argnums, donate_argnames)
        self._compiled: dict[Any, _Compiled] = {}
        self._lock = threading.Lock()

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        import jax

        static, dynamic = self._split(arguments, keywords)
        leaves, tree = jax.tree_util.tree_flatten(dynamic)
        if any(isinstance(leaf, jax.core.Tracer) for leaf in leaves):
            return self._jitted(*arguments, **keywords)  # a part of what is traced now
        key = (tree, static, tuple(map(_describe, leaves)), jax.config.jax_enable_x64,
               jax.config.jax_default_matmul_precision)
        compiled = self._compiled.get(key)
        if compiled is None:
            with self._lock:
                compiled = self._compiled.get(key)
                if compiled is None:
                    compiled = _Compiled(self._jitted.lower(*arguments, **keywords), self._options)
                    self._compiled[key] = compiled
        results = compiled(leaves)
        self._delete_donated(arguments, keywords)
        return results

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """A method is given its object, as with functions."""
        return self if instance is None else types.MethodType(self, instance)

    def lower(self, *arguments: Any, **keywords: Any) -> Any:
        """The function for such arguments, as `jax.jit(f).lower` gives it."""
        return self._jitted.lower(*arguments, **keywords)

    def compile(self, *arguments: Any, **keywords: Any) -> Executable:
        """The function for such arguments as an Executable, which can be saved."""
        return compile_module(self.lower(*arguments, **keywords), **self._options)

    def _split(self, arguments: tuple, keywords: dict) -> tuple[Any, Any]:
        """What is a part of the program, which can be compared, and what is given to it."""
        is_static = [i in self._static_numbers or i - len(arguments) in self._static_numbers
                    for i in range(len(arguments))]
        static = tuple((i, a) for i, a in enumerate(arguments) if is_static[i])
        static += tuple((n, a) for n, a in sorted(keywords.items()) if n in self._static_names)
        dynamic = ([a for i, a in enumerate(arguments) if not is_static[i]],
                   {n: a for n, a in keywords.items() if n not in self._static_names})
        return static, dynamic

    def _delete_donated(self, arguments: tuple, keywords: dict) -> None:
        """Arrays that were donated are gone, as with jax.jit."""
        import jax

        donated = [a for i, a in enumerate(arguments) if i in self._donated_numbers]
        donated += [a for n, a in keywords.items() if n in self._donated_names]
        for leaf in jax.tree_util.tree_leaves(donated):
            if isinstance(leaf, jax.Array) and not leaf.is_deleted():
                leaf.delete()


def _positional_names(function: Callable) -> list[str]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def _resolve(names: list[str], numbers: Any, chosen: Any) -> tuple[set[int], set[str]]:
    """Arguments that are named by number or by name, as both."""
    given_numbers, given_names = _as_tuple(numbers), _as_tuple(chosen)
    all_numbers = set(given_numbers) | {names.index(n) for n in given_names if n in names}
    return all_numbers, set(given_names) | {names[i] for i in given_numbers if -len(names) <= i < len(names)}


def _describe(leaf: Any) -> Any:
    """What a compiled function depends on of an argument: its shape and type."""
    if isinstance(leaf, np.ndarray):
        return leaf.shape, leaf.dtype
    import jax

    return jax.typeof(leaf)


def jit(function: Callable | None = None, *, static_argnums: int | Iterable[int] | None = None,
        static_argnames: str | Iterable[str] | None = None,
        donate_argnums: int | Iterable[int] | None = None,
        donate_argnames: str | Iterable[str] | None = None, **options: Any) -> Any:
    """A JAX function that hloc compiles, once for each kind of arguments, when it is first called with
    them. It takes and gives what `jax.jit(function)` does: pytrees of arrays. Inside another traced
    function (`jax.jit`, `jax.grad`, `jax.vmap`) it is a part of that one.

    The arguments of `jax.jit` mean what they do there; donated JAX arrays are deleted after the call.
    Others go to `hloc.compile`. As a decorator it is written `@hloc.jit` or `@hloc.jit(threads=1)`."""
    if function is None:
        return functools.partial(jit, static_argnums=static_argnums, static_argnames=static_argnames,
                                 donate_argnums=donate_argnums, donate_argnames=donate_argnames, **options)
    try:
        import jax  # noqa: F401
    except ImportError:
        raise ImportError("hloc.jit needs JAX (pip install jax); hloc.compile takes HLO text without") from None
    return JitFunction(function, static_argnums, static_argnames, donate_argnums, donate_argnames, options)
