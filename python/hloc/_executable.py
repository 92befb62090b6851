# SPDX-License-Identifier: Apache-2.0
"""Compiled modules as functions of arrays."""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _native, _types
from ._errors import HlocError
from ._prepared import Prepared


@dataclasses.dataclass(frozen=True)
class Array:
    """An argument or result: its name and type in HLO, its shape, and NumPy's type for it.
    `minor_to_major` is its layout in memory: its dimensions, the one with contiguous elements first."""

    name: str
    type: str
    shape: tuple[int, ...]
    dtype: np.dtype
    minor_to_major: tuple[int, ...]
    packed_bits: int = 0

    def __str__(self) -> str:
        return f"{self.type}[{','.join(map(str, self.shape))}]"

    @property
    def nbytes(self) -> int:
        """Bytes of such a NumPy array."""
        return math.prod(self.shape) * self.dtype.itemsize

    @property
    def _is_raw(self) -> bool:
        """True if NumPy can exchange such arrays only as integers."""
        return self.dtype.kind == "V" or self.dtype.isbuiltin != 1

    @staticmethod
    def _of(port: _native.Port) -> Array:
        if port.has_sizes:
            raise HlocError(f"`{port.name}` has sizes that are known only at run time, which the Python package "
                            "does not support; compile the module for each size, or call it from C++")
        return Array._of_type(port.name, port.element_type, port.shape, port.minor_to_major)

    @staticmethod
    def _of_type(name: str, element_type: int, shape: tuple[int, ...], minor_to_major: tuple[int, ...]) -> Array:
        return Array(name, _types.hlo_name(element_type), shape, _types.numpy_type(element_type), minor_to_major,
                     _types.packed_bits(element_type))

    def _to_memory(self, value: Any, place: str) -> np.ndarray:
        """Converts `value` to such an array in the memory layout of the module; types that NumPy lacks have the
        form that hloc._native expects. `place` describes it in errors."""

        def refuse(got: str) -> TypeError:
            return TypeError(f"{place}: expected {self} but got {got}")

        is_plain = isinstance(value, (bool, int, float, complex, list, tuple))
        try:
            array = np.asarray(value)
        except Exception as error:
            raise refuse(f"a {type(value).__name__} ({error})") from error
        if array.dtype.newbyteorder("=") != self.dtype:
            if not is_plain or not _keeps_values(array.dtype, self.dtype):
                raise refuse(f"{array.dtype}{list(array.shape)}")
        if array.shape != self.shape:
            raise refuse(f"{array.dtype}{list(array.shape)}")
        major_to_minor = tuple(reversed(self.minor_to_major))
        back = np.argsort(major_to_minor) if major_to_minor else ()
        moved = np.require(array.transpose(major_to_minor), self.dtype, ["C", "A"])
        moved = moved.reshape([self.shape[d] for d in major_to_minor])  # np.require adds a dimension to none
        if self.packed_bits:
            return _types.pack(moved, self.packed_bits)
        if self._is_raw:
            moved = moved.view(np.dtype(f"u{self.dtype.itemsize}"))
        return moved.transpose(tuple(back))

    def _from_memory(self, data: np.ndarray) -> np.ndarray:
        """The inverse: memory as an array of its own type."""
        if not self.packed_bits:
            return data.view(self.dtype)
        major_to_minor = tuple(reversed(self.minor_to_major))
        shape = tuple(self.shape[d] for d in major_to_minor)
        return _types.unpack(data, self.packed_bits, shape, self.dtype).transpose(np.argsort(major_to_minor))


@dataclasses.dataclass(frozen=True)
class Bound:
    """A parameter that was bound: its name, its type in HLO and the source of its value."""

    name: str
    type: str
    source: str


class Executable:
    """A compiled module. Called with an array for each parameter (tuples flattened), it returns a tuple of
    NumPy arrays.

    Arrays are anything that has DLPack or the buffer protocol: NumPy's, JAX's, PyTorch's in the
    processor's memory. They are read in place if they have the layout that the module expects, which for
    most modules is row-major; others are copied. Numbers and lists are converted. Several threads may
    call it at the same time."""

    def __init__(self, program: _native.Program, context: _native.Context | None):
        if program.needs_participants:
            raise HlocError(f"`{program.name}` is for several participants, which the Python package does not "
                            "support; docs/collectives.md describes how to call it from C++ and hlo-run")
        self._program = program
        self._context = context
        is_prepared = program.prepared
        # Without the block of prepared arrays, which is the last argument.
        self._parameters = [Array._of(port) for port in program.arguments[: len(is_prepared)]]
        self._prepared_numbers = [i for i, mark in enumerate(is_prepared) if mark]
        self._numbers = [i for i, mark in enumerate(is_prepared) if not mark]
        self.arguments = tuple(self._parameters[i] for i in self._numbers)
        self.prepared_arguments = tuple(self._parameters[i] for i in self._prepared_numbers)
        self.results = tuple(map(Array._of, program.results))
        self._raw_results = [i for i, result in enumerate(self.results) if result._is_raw]

    @property
    def name(self) -> str:
        """The prefix of the module's symbols in C."""
        return self._program.name

    @property
    def target(self) -> str:
        """The machine that the code is for: LLVM's triple and the processor."""
        return self._program.target

    @property
    def object(self) -> bytes:
        """The object file; empty if the module was loaded."""
        return self._program.object

    @property
    def header(self) -> str:
        """The C and C++ header of the object; empty if the module was loaded."""
        return self._program.header

    def __call__(self, *arguments: Any, in_place: bool = False) -> tuple[np.ndarray, ...]:
        """Runs the module. With `in_place`, results that may share an argument's memory (HLO's
        input_output_alias, from JAX's donate_argnums) are written there if that is possible without a
        copy; then the result is that argument."""
        if self.prepared_arguments:
            raise TypeError(f"`{self.name}` has prepared parameters: call `prepare` with their arrays, and what it "
                            "returns with the others")
        self._check_count(arguments)
        return self._run(arguments, self._convert, in_place)

    def prepare(self, *arrays: Any) -> Prepared:
        """Computes once what calls need of the parameters that `hloc.compile(..., prepare=...)` names: takes an
        array for each of `prepared_arguments` and returns a function of those in `arguments`."""
        if not self.prepared_arguments:
            raise TypeError(f"`{self.name}` has no prepared parameters: hloc.compile(..., prepare=...) names them")
        if len(arrays) != len(self.prepared_arguments):
            raise TypeError(f"`{self.name}` has {len(self.prepared_arguments)} prepared parameters but {len(arrays)} "
                            "arrays were given")
        return Prepared(self, arrays)

    @property
    def weights(self) -> bytes:
        """The contents of the file of weights, named `weights_file`, which the object needs next to its program;
        empty if no parameters were bound."""
        return self._program.weights

    @property
    def weights_file(self) -> str:
        """The name of that file."""
        return self._program.weights_file

    @property
    def bound(self) -> tuple[Bound, ...]:
        """The parameters that were bound when the module was compiled."""
        return tuple(Bound(name, f"{_types.hlo_name(number)}[{','.join(map(str, shape))}]", source)
                     for name, number, shape, source in self._program.bound)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a shared library, which needs no Python, and next to it its header with the extension .h and, if
        parameters were bound, `weights_file`."""
        self._program.save(os.fspath(path))

    def __repr__(self) -> str:
        return f"<hloc.Executable {self._describe()}>"

    def _describe(self) -> str:
        arguments = ", ".join(f"{a.name}: {a}" for a in self.arguments)
        return f"{self.name}({arguments}) -> ({', '.join(map(str, self.results))})"

    def _check_count(self, arguments: tuple) -> None:
        if len(arguments) != len(self.arguments):
            raise TypeError(f"`{self.name}` takes {len(self.arguments)} arrays but {len(arguments)} were given")

    def _run(self, values: Sequence, convert: Callable, in_place: bool) -> tuple[np.ndarray, ...]:
        """Runs the module on all its arguments."""
        results = self._program.call(self._context, values, convert, in_place)
        for i in self._raw_results:
            results[i] = self.results[i]._from_memory(results[i])
        return tuple(results)

    def _convert(self, number: int, value: Any) -> np.ndarray:
        """Converts the argument of that number to the form that hloc._native expects."""
        wanted = self._parameters[number]
        kind, place = (("prepared argument", self._prepared_numbers.index(number))
                       if number in self._prepared_numbers else ("argument", self._numbers.index(number)))
        return wanted._to_memory(value, f"{kind} {place} of `{self.name}` (`{wanted.name}`)")


def _keeps_values(given: np.dtype, wanted: np.dtype) -> bool:
    """True if plain numbers may be converted to elements of this type."""
    if wanted.kind == "V":  # a type of ml_dtypes: floats, except the integers of a few bits
        return given.kind in ("biu" if "int" in wanted.name else "biuf")
    return np.can_cast(given, wanted, "same_kind")
