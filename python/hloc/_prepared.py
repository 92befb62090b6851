# SPDX-License-Identifier: Apache-2.0
"""Modules whose prepared parameters have values: functions of the other parameters."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._executable import Array, Executable


class Prepared:
    """A module with values of its prepared parameters: what `Executable.prepare` returns. Called with an array for
    each other parameter, it returns a tuple of NumPy arrays, like an executable.

    It refers to those arrays that runs read in place, and only to them. After their contents have changed, prepare
    the parameters again. Several threads may call it at the same time."""

    def __init__(self, executable: Executable, arrays: tuple):
        self._executable = executable
        values = [None] * len(executable._parameters)
        for number, array in zip(executable._prepared_numbers, arrays):
            values[number] = array
        self._block, self._kept = executable._program.prepare(executable._context, values, executable._convert)

    @property
    def arguments(self) -> tuple[Array, ...]:
        """The parameters of a call."""
        return self._executable.arguments

    @property
    def results(self) -> tuple[Array, ...]:
        return self._executable.results

    @property
    def nbytes(self) -> int:
        """The size of what was computed from the prepared parameters."""
        return self._block.nbytes

    def __call__(self, *arguments: Any, in_place: bool = False) -> tuple[np.ndarray, ...]:
        """Runs the module, as a call of an executable does."""
        executable = self._executable
        executable._check_count(arguments)
        values = list(self._kept)
        for number, argument in zip(executable._numbers, arguments):
            values[number] = argument
        return executable._run([*values, self._block], self._convert, in_place)

    def _convert(self, number: int, value: Any) -> np.ndarray:
        """Like that of the executable; prepared parameters were converted before."""
        return value if self._kept[number] is not None else self._executable._convert(number, value)

    def __repr__(self) -> str:
        return f"<hloc.Prepared {self._executable._describe()}>"


class PreparedArrays:
    """The prepared forms of an executable for arrays that cannot change, such as JAX's, each as long as its arrays
    exist."""

    def __init__(self, executable: Executable, get_array: Callable[[Any, np.dtype], np.ndarray]):
        self._executable = executable
        self._get_array = get_array
        self._found: dict[tuple, tuple[list[weakref.ref], Prepared]] = {}
        self._lock = threading.Lock()

    def get(self, leaves: list) -> Prepared:
        """For JAX arrays and numbers."""
        key = tuple(map(_identify, leaves))
        if (found := self._found.get(key)) is None:
            with self._lock:
                if (found := self._found.get(key)) is None:
                    arrays = [self._get_array(leaf, wanted.dtype)
                              for leaf, wanted in zip(leaves, self._executable.prepared_arguments)]
                    prepared = self._executable.prepare(*arrays)
                    references = [weakref.ref(leaf, lambda _: self._found.pop(key, None))
                                  for leaf in leaves if not _is_number(leaf)]
                    self._found[key] = found = references, prepared
        return found[1]

    def __len__(self) -> int:
        return len(self._found)


def _is_number(leaf: Any) -> bool:
    return isinstance(leaf, (bool, int, float, complex, np.generic))


def _identify(leaf: Any) -> Any:
    if _is_number(leaf):
        return type(leaf), repr(leaf)
    if isinstance(leaf, np.ndarray) or not hasattr(leaf, "is_deleted"):
        raise TypeError(f"expected prepared arguments to consist of JAX arrays but got a {type(leaf).__name__}, whose "
                        "contents may change: convert it once with jax.numpy.asarray")
    if leaf.is_deleted():
        raise RuntimeError(f"a prepared array, {leaf.dtype}{list(leaf.shape)}, was deleted")
    return id(leaf)
