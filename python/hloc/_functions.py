# SPDX-License-Identifier: Apache-2.0
"""JAX functions that hloc compiles: the results of `hloc.jit`. Needs JAX."""

from __future__ import annotations

import copy
import functools
import inspect
import threading
import types
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

try:  # JAX has no public name for this in all versions
    from jax._src.core import trace_state_clean
except ImportError:
    from jax.core import trace_state_clean

from ._compile import compile as compile_module
from ._executable import Executable
from ._prepared import PreparedArrays


def _as_tuple(value: Any) -> tuple:
    if value is None:
        return ()
    return (value,) if isinstance(value, (int, str)) else tuple(value)


# Results of fewer bytes are copied, by code that XLA calls at once; it takes far longer to tell JAX of memory
# where it is.
_SMALL_BYTES = 1 << 18


@functools.cache
def _get_copier() -> Callable[[list], list]:
    """JAX arrays from copies of NumPy arrays."""
    return jax.jit(lambda arrays: arrays)


def is_traced(leaves: list) -> bool:
    """True if a call with these arguments is part of a function that JAX is tracing. It may be, even if no
    argument is a tracer: a function without arguments, or constants in a traced function."""
    return not trace_state_clean() or any(isinstance(leaf, jax.core.Tracer) for leaf in leaves)


def _get_result_types(lowered: Any) -> list:
    """Shapes and types of the results, as a list, since users' classes among them may accept only arrays."""
    flat = copy.copy(lowered)
    flat.out_tree = jax.tree_util.tree_structure([0] * lowered.out_tree.num_leaves)
    return flat.out_info


class _Compiled:
    """The function compiled for one combination of argument types."""

    def __init__(self, lowered: Any, options: dict[str, Any]):
        self.executable: Executable = compile_module(lowered, **options)
        self.prepared = PreparedArrays(self.executable, self._get_array)
        self.tree = lowered.out_tree
        leaves = _get_result_types(lowered)
        self.small = [i for i, result in enumerate(self.executable.results) if result.nbytes < _SMALL_BYTES]
        self.large = [i for i, result in enumerate(self.executable.results) if result.nbytes >= _SMALL_BYTES]
        # To the module, arrays of random keys are arrays of numbers.
        self.keys = [(i, jax.random.key_impl(jax.numpy.empty((), leaf.dtype))) for i, leaf in enumerate(leaves)
                     if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key)]
        # Derivatives with respect to integers have no contents: NumPy arrays for JAX, arrays of pred for the module.
        self.nothings = [(i, leaf.shape) for i, leaf in enumerate(leaves) if leaf.dtype == jax.dtypes.float0]

    def __call__(self, leaves: list) -> Any:
        run: Callable = self.executable
        if self.executable.prepared_arguments:
            run = self.prepared.get([leaves[i] for i in self.executable._prepared_numbers])
            leaves = [leaves[i] for i in self.executable._numbers]
        results = list(run(*(self._get_array(leaf, wanted.dtype)
                             for leaf, wanted in zip(leaves, self.executable.arguments))))
        for places, hand_over in ((self.small, _get_copier()), (self.large, jax.device_put)):
            if places:
                arrays = hand_over([results[i] for i in places])
                for i, array in zip(places, arrays):
                    results[i] = array
        for i, implementation in self.keys:
            results[i] = jax.random.wrap_key_data(results[i], impl=implementation)
        for i, shape in self.nothings:
            results[i] = np.zeros(shape, jax.dtypes.float0)
        return jax.tree_util.tree_unflatten(self.tree, results)

    @staticmethod
    def _get_array(leaf: Any, dtype: np.dtype) -> Any:
        if isinstance(leaf, jax.Array):
            is_key = not isinstance(leaf.dtype, np.dtype)
            return np.asarray(jax.random.key_data(leaf) if is_key else leaf)
        return np.asarray(leaf, dtype)  # of the type that JAX has taken it for


class JitFunction:
    """The result of `hloc.jit`."""

    def __init__(self, function: Callable, static_argnums: Any, static_argnames: Any,
                 donate_argnums: Any, donate_argnames: Any, options: dict[str, Any],
                 prepare_argnums: Any = None, prepare_argnames: Any = None):
        functools.update_wrapper(self, function)
        self._options = options
        self._jitted = jax.jit(function, static_argnums=static_argnums, static_argnames=static_argnames,
                               donate_argnums=donate_argnums, donate_argnames=donate_argnames,
                               keep_unused=True)
        names = _positional_names(function)
        self._static_numbers, self._static_names = _resolve(names, static_argnums, static_argnames)
        self._donated_numbers, self._donated_names = _resolve(names, donate_argnums, donate_argnames)
        self._prepared_numbers, self._prepared_names = _resolve(names, prepare_argnums, prepare_argnames)
        if "prepare" in options:
            raise TypeError("hloc.jit takes prepare_argnums or prepare_argnames instead of prepare")
        for kind, numbers, chosen in (("static", self._static_numbers, self._static_names),
                                      ("donated", self._donated_numbers, self._donated_names)):
            if both := self._prepared_names & chosen or self._prepared_numbers & numbers:
                raise ValueError(f"an argument cannot be prepared and {kind}: {', '.join(map(str, sorted(both)))}")
        self._compiled: dict[Any, _Compiled] = {}
        self._lock = threading.RLock()  # a function may call itself while it is traced

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        static, dynamic = self._split(arguments, keywords)
        leaves, tree = jax.tree_util.tree_flatten(dynamic)
        if is_traced(leaves):
            return self._jitted(*arguments, **keywords)
        key = (tree, static, tuple(map(_describe, leaves)), jax.config.jax_enable_x64,
               jax.config.jax_default_matmul_precision)
        compiled = self._compiled.get(key)
        if compiled is None:
            with self._lock:
                compiled = self._compiled.get(key)
                if compiled is None:
                    lowered = self._jitted.lower(*arguments, **keywords)
                    compiled = _Compiled(lowered, {**self._get_options(lowered),
                                                   **self._get_prepared(arguments, keywords)})
                    self._compiled[key] = compiled
        results = compiled(leaves)
        self._delete_donated(arguments, keywords)
        return results

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Binds a method to its object, like functions do."""
        return self if instance is None else types.MethodType(self, instance)

    def lower(self, *arguments: Any, **keywords: Any) -> Any:
        """The function lowered for these arguments, like `jax.jit(f).lower`."""
        return self._jitted.lower(*arguments, **keywords)

    def trace(self, *arguments: Any, **keywords: Any) -> Any:
        """The function traced for these arguments, like `jax.jit(f).trace`."""
        return self._jitted.trace(*arguments, **keywords)

    def eval_shape(self, *arguments: Any, **keywords: Any) -> Any:
        """The shapes and types of the results for these arguments."""
        return self._jitted.eval_shape(*arguments, **keywords)

    def clear_cache(self) -> None:
        """Discards everything that was traced and compiled."""
        with self._lock:
            self._compiled.clear()
        self._jitted.clear_cache()

    def compile(self, *arguments: Any, **keywords: Any) -> Executable:
        """The function compiled for these arguments as an Executable, which can be saved."""
        return compile_module(self.lower(*arguments, **keywords), **self._options,
                              **self._get_prepared(arguments, keywords))

    def _get_options(self, lowered: Any) -> dict[str, Any]:
        """The arguments for hloc.compile."""
        return self._options

    def _split(self, arguments: tuple, keywords: dict) -> tuple[Any, Any]:
        """Divides the arguments into static ones, which can be compared, and those passed to the program."""
        is_static = _mark(self._static_numbers, len(arguments))
        static = tuple((i, a) for i, a in enumerate(arguments) if is_static[i])
        static += tuple((n, a) for n, a in sorted(keywords.items()) if n in self._static_names)
        dynamic = ([a for i, a in enumerate(arguments) if not is_static[i]],
                   {n: a for n, a in keywords.items() if n not in self._static_names})
        return static, dynamic

    def _get_prepared(self, arguments: tuple, keywords: dict) -> dict[str, Any]:
        """The option of hloc.compile for the prepared arguments: the numbers of their arrays among all."""
        if not self._prepared_numbers and not self._prepared_names:
            return {}
        is_static = _mark(self._static_numbers, len(arguments))
        is_prepared = _mark(self._prepared_numbers, len(arguments))
        given = [(a, is_prepared[i]) for i, a in enumerate(arguments) if not is_static[i]]
        given += [(a, n in self._prepared_names) for n, a in sorted(keywords.items()) if n not in self._static_names]
        marks = [mark for a, mark in given for _ in jax.tree_util.tree_leaves(a)]
        return {"prepare": [i for i, mark in enumerate(marks) if mark]}

    def _delete_donated(self, arguments: tuple, keywords: dict) -> None:
        """Deletes donated arrays, like jax.jit."""
        donated = [a for a, gone in zip(arguments, _mark(self._donated_numbers, len(arguments))) if gone]
        donated += [a for n, a in keywords.items() if n in self._donated_names]
        for leaf in jax.tree_util.tree_leaves(donated):
            if isinstance(leaf, jax.Array) and not leaf.is_deleted():
                leaf.delete()


def _mark(numbers: set[int], count: int) -> list[bool]:
    """The arguments, among `count`, with these numbers; negative ones count from the end."""
    return [i in numbers or i - count in numbers for i in range(count)]


def _positional_names(function: Callable) -> list[str]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def _resolve(names: list[str], numbers: Any, chosen: Any) -> tuple[set[int], set[str]]:
    """Arguments given by number or by name, as both."""
    given_numbers, given_names = _as_tuple(numbers), _as_tuple(chosen)
    all_numbers = set(given_numbers) | {names.index(n) for n in given_names if n in names}
    return all_numbers, set(given_names) | {names[i] for i in given_numbers if -len(names) <= i < len(names)}


def _describe(leaf: Any) -> Any:
    """The properties of an argument that a compiled function depends on: its shape and type."""
    if isinstance(leaf, np.ndarray):
        return leaf.shape, leaf.dtype
    if isinstance(leaf, jax.Array):
        return leaf.shape, leaf.dtype, getattr(leaf, "weak_type", False)
    return jax.typeof(leaf)
