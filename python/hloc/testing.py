# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest that compares hloc with XLA in the tests of a project that uses JAX:

    python -m pytest -p hloc.testing

Each function that the tests and the project compile with `jax.jit` is also compiled by hloc, and each call
runs both. The test gets XLA's results; it fails if hloc refuses the program, fails, or gives other results.
Programs that hloc cannot compile yet are counted and named at the end. Functions that JAX itself has
compiled with `jit` are compared only as parts of those of the project."""

from __future__ import annotations

import collections
import dataclasses
import functools
import sys
import threading
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ._errors import CompileError, HlocError, RunError, UnsupportedError
from ._custom_calls import have_effects
from ._functions import JitFunction, is_traced

# Tolerances of floats, relative to the largest of the array: XLA uses another order of summation.
_TOLERANCES = {"float64": 1e-9, "complex128": 1e-9, "float32": 1e-4, "complex64": 1e-4, "float16": 1e-2,
               "bfloat16": 5e-2}
_FLOAT8_TOLERANCE = 0.3

# Rounding errors in a program are estimated by changing the last bits of its arguments: results may differ by this
# many times the effect of that.
_ROUNDING_MOVES = 10

# Options of jax.jit that do not affect the results on one processor.
_PLAIN_OPTIONS = {"donate_argnums", "donate_argnames", "keep_unused", "inline"}
_STATIC_OPTIONS = {"static_argnums", "static_argnames"}


@dataclasses.dataclass
class _Record:
    """The results of the comparisons."""

    counts: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    unsupported: dict[str, str] = dataclasses.field(default_factory=dict)  # why: the first test
    faults: list[str] = dataclasses.field(default_factory=list)  # of the test that runs
    test: str = ""


_record = _Record()
_state = threading.local()


def _move_last_bits(leaf: Any, random: np.random.RandomState) -> Any:
    """Changes the elements of an array of floats by one unit in the last place."""
    import jax

    is_float = isinstance(leaf, (np.ndarray, jax.Array)) and jax.dtypes.issubdtype(leaf.dtype, np.inexact)
    if not is_float or getattr(leaf, "weak_type", False):
        return leaf
    array = np.asarray(leaf)
    signs = random.randint(0, 2, array.shape) * 2 - 1
    moved = array * (1 + signs * float(jax.numpy.finfo(array.dtype).eps))
    return moved.astype(array.dtype)


def describe_difference(got: Any, expected: Any, moved: Any = None) -> str:
    """How arrays of hloc and XLA differ by more than the tolerance; empty if they do not. `moved` is XLA's
    result for arguments with other last bits."""
    if got.shape != expected.shape or got.dtype != expected.dtype:
        return f"{got.dtype}{list(got.shape)} instead of {expected.dtype}{list(expected.shape)}"
    one, other = np.asarray(got), np.asarray(expected)
    if one.dtype.kind == "V" and one.dtype.names:
        return ""  # derivatives with respect to integers, which have no contents
    if one.dtype.kind in "biu" or "int" in one.dtype.name:
        wrong = one != other
        return f"{int(wrong.sum())} of {wrong.size} elements differ" if wrong.any() else ""
    wide = np.complex128 if one.dtype.kind == "c" else np.float64
    tolerance = _TOLERANCES.get(one.dtype.name, _FLOAT8_TOLERANCE)
    one, other = one.astype(wide), other.astype(wide)
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    with np.errstate(invalid="ignore"):
        sizes = np.abs(other[np.isfinite(other)])
        allowed = tolerance * (sizes.max() if sizes.size else 0)
        if moved is not None and moved.shape == expected.shape:
            moves = np.abs(np.asarray(moved).astype(wide) - other)
            allowed += _ROUNDING_MOVES * np.max(moves, initial=0, where=np.isfinite(moves))
        same |= np.abs(one - other) <= allowed
    if same.all():
        return ""
    place = tuple(int(i) for i in np.argwhere(~same)[0])
    return f"{int((~same).sum())} of {same.size} elements differ, the first at {list(place)}: {one[place]} instead of {other[place]}"


class _Other(JitFunction):
    """A function compiled by hloc, to compare with XLA's. Callbacks with side effects must run only once, so XLA
    calls them."""

    def _get_options(self, lowered: Any) -> dict[str, Any]:
        return {**self._options, "custom_calls": {}} if have_effects(lowered) else self._options


class _Compared:
    """A function compiled with jax.jit, whose calls are compared."""

    def __init__(self, jitted: Any, other: _Other | None):
        functools.update_wrapper(self, jitted)
        self._jitted, self._other = jitted, other

    def __getattr__(self, name: str) -> Any:
        return getattr(self._jitted, name)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        import jax

        leaves = jax.tree_util.tree_leaves((arguments, keywords))
        if getattr(_state, "inside", False) or is_traced(leaves):
            return self._jitted(*arguments, **keywords)
        found, results = self._run_other(arguments, keywords)  # first, since XLA deletes donated arguments
        expected = self._jitted(*arguments, **keywords)
        if found == "compared":
            self._compare(results, expected, functools.cache(lambda: self._run_moved(arguments, keywords)))
        elif isinstance(results, Exception):  # XLA's call has not raised it
            _record.faults.append(f"{self.__name__} raises {type(results).__name__}: {results}")
        _record.counts[found] += 1
        return expected

    def _run_other(self, arguments: tuple, keywords: dict) -> tuple[str, Any]:
        """The outcome of hloc's call, and its results or an exception, possibly the function's own."""
        if self._other is None:
            return "not looked at", None
        _state.inside = True
        try:
            return "compared", self._other(*arguments, **keywords)
        except UnsupportedError as error:
            _record.unsupported.setdefault(error.messages[0].text if error.messages else str(error), _record.test)
            return "not supported", None
        except CompileError as error:
            _record.faults.append(f"{self.__name__} is refused: {error}")
            return "refused", None
        except RunError as error:
            if error.code != "not found":
                _record.faults.append(f"{self.__name__} fails: {error}")
                return "failed", None
            _record.unsupported.setdefault(error.message, _record.test)  # a custom call, as of callbacks
            return "not supported", None
        except HlocError as error:
            _record.faults.append(f"{self.__name__} fails: {error}")
            return "failed", None
        except Exception as error:
            return "failed", error
        finally:
            _state.inside = False

    def _run_moved(self, arguments: tuple, keywords: dict) -> list:
        """The leaves of XLA's results for arguments with other last bits; none if they are donated."""
        import jax

        random = np.random.RandomState(0)
        try:
            moved = jax.tree_util.tree_map(lambda leaf: _move_last_bits(leaf, random), (arguments, keywords))
            return jax.tree_util.tree_leaves(self._jitted(*moved[0], **moved[1]))
        except Exception:  # arrays are deleted, or the function raises
            return []

    def _compare(self, results: Any, expected: Any, run_moved: Callable[[], list]) -> None:
        import jax

        pairs = zip(jax.tree_util.tree_leaves(results), jax.tree_util.tree_leaves(expected))
        for number, (got, wanted) in enumerate(pairs):
            if jax.dtypes.issubdtype(wanted.dtype, jax.dtypes.prng_key):
                got, wanted = jax.random.key_data(got), jax.random.key_data(wanted)
            if describe_difference(got, wanted) and (
                    difference := describe_difference(got, wanted, dict(enumerate(run_moved())).get(number))):
                _record.counts["differ"] += 1
                _record.faults.append(f"result {number} of {self.__name__}: {difference}")


def _is_jax_itself(module: str) -> bool:
    """True if a module is part of JAX, except for helpers of JAX's tests, which make functions of the tests."""
    return module.partition(".")[0] == "jax" and "test" not in module


def _make_jit(original: Callable) -> Callable:
    """The replacement of jax.jit."""

    @functools.wraps(original)
    def jit(function: Any = None, **options: Any) -> Any:
        own = getattr(_state, "making", False) or _is_jax_itself(sys._getframe(1).f_globals.get("__name__", ""))
        if function is None:
            return functools.partial(original if own else jit, **options)
        jitted = original(function, **options)
        if own:
            return jitted
        _state.making = True
        try:
            chosen = {name: options.get(name) for name in _STATIC_OPTIONS}
            plain = {n for n, value in options.items() if value is not None} <= _PLAIN_OPTIONS | _STATIC_OPTIONS
            other = _Other(function, chosen["static_argnums"], chosen["static_argnames"], None, None, {}) \
                if plain else None
        finally:
            _state.making = False
        return _Compared(jitted, other)

    return jit


def pytest_configure(config: pytest.Config) -> None:
    import jax

    jax.jit = _make_jit(jax.jit)
    try:
        from jax._src import api  # which JAX's own tests take it from
        api.jit = jax.jit
    except (ImportError, AttributeError):
        pass


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Any:
    _record.test, _record.faults = item.nodeid, []
    result = yield
    if _record.faults:
        pytest.fail("hloc and XLA do not agree:\n" + "\n".join(_record.faults), pytrace=False)
    return result


def pytest_terminal_summary(terminalreporter: Any) -> None:
    counts = _record.counts
    total = sum(counts[kind] for kind in ("compared", "not supported", "refused", "failed"))
    terminalreporter.write_sep("=", "hloc beside XLA")
    terminalreporter.write_line(
        f"{counts['compared']} of {total} calls ran both, {counts['differ']} results differ; {counts['not supported']} "
        f"not supported, {counts['refused']} refused, {counts['failed']} failed; {counts['not looked at']} not looked at")
    for why, test in sorted(_record.unsupported.items()):
        terminalreporter.write_line(f"not supported: {why} (first in {test})")
