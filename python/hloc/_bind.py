# SPDX-License-Identifier: Apache-2.0
"""Bindings of parameters, in the form that hloc._native expects."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from . import _types

# The numbers of HLO's types for those of NumPy and ml_dtypes.
_NUMBERS = {name: number for number, (_, name) in _types._TYPES.items()}


def _leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Each array in a tree, with its path as JAX prints it: `params['layers'][0]`."""
    if isinstance(value, (str, os.PathLike)) or hasattr(value, "__array__"):
        yield name, value
    elif jax := sys.modules.get("jax"):
        for path, leaf in jax.tree_util.tree_flatten_with_path(value)[0]:
            yield name + jax.tree_util.keystr(path), leaf
    elif isinstance(value, Mapping):
        for key in value:
            yield from _leaves(f"{name}[{key!r}]", value[key])
    elif isinstance(value, (list, tuple)):
        for i, element in enumerate(value):
            yield from _leaves(f"{name}[{i}]", element)
    else:
        yield name, value


def get_bindings(bind: Mapping[str, Any] | None, bind_all: Any) -> tuple[list, list, list]:
    """NAME=FILE[:KEY] for those bound to files; files and folders of `bind_all`; (name, element type, shape,
    bytes) for those bound to arrays."""
    one, arrays = [], []
    for name, tree in (bind or {}).items():
        for path, value in _leaves(name, tree):
            if isinstance(value, (str, os.PathLike)):
                one.append(f"{path}={os.fspath(value)}")
                continue
            array = np.asarray(value)
            number = _NUMBERS.get(array.dtype.name)
            if number is None or array.dtype.byteorder == ">":
                raise TypeError(f"`{path}` is bound to an array of {array.dtype}, which HLO does not have")
            if number in _types._PACKED_BITS and "int" in array.dtype.name:  # whose bytes lack the sign
                array = array.astype(np.uint8 if "uint" in array.dtype.name else np.int8)
            array = np.ascontiguousarray(array).reshape(-1)
            arrays.append((path, number, list(np.shape(value)), array.view(np.uint8)))
    if bind_all is None:
        bind_all = []
    elif isinstance(bind_all, (str, os.PathLike)) or not isinstance(bind_all, Sequence):
        bind_all = [bind_all]
    return one, [os.fspath(path) for path in bind_all], arrays
