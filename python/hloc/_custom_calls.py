# SPDX-License-Identifier: Apache-2.0
"""Custom calls that are implemented by Python functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ._executable import Array

# The target with which JAX calls back into Python: jax.pure_callback, jax.debug.print and others.
_JAX_TARGET = "xla_ffi_python_cpu_callback"


def _array(name: str, buffer: tuple) -> tuple[Array, np.ndarray]:
    element_type, shape, minor_to_major, memory = buffer
    return Array._of_type(name, element_type, shape, minor_to_major), memory


def _read(operand: tuple) -> np.ndarray:
    """A copy of an operand."""
    array, memory = _array("", operand)
    return array._from_memory(memory).copy()


def _adapt(function: Callable) -> Callable[[list, list, dict], None]:
    """Called by hloc._native: calls the function and copies its results to the call's memory."""

    def call(operands: list, results: list, attributes: dict) -> None:
        arrays = [_read(operand) for operand in operands]
        given = function(*arrays, **attributes)
        given = tuple(given) if isinstance(given, (tuple, list)) else () if given is None else (given,)
        if len(given) != len(results):
            raise TypeError(f"expected as many results as the call has, {len(results)}, but got {len(given)}")
        for number, (value, buffer) in enumerate(zip(given, results)):
            array, memory = _array(f"result {number}", buffer)
            memory[...] = array._to_memory(value, f"result {number}")

    return call


def adapt(functions: Mapping[str, Callable]) -> dict[str, Callable]:
    """Adapts functions of NumPy arrays to the form that hloc._native calls."""
    return {target: _adapt(function) for target, function in functions.items()}


def get_callbacks(lowered: Any) -> dict[str, Callable]:
    """The callbacks of a `jax.stages.Lowered`, as custom calls. The module refers to them by number."""
    try:  # JAX has no public name for them
        callbacks = lowered._lowering.compile_args["host_callbacks"]
    except (AttributeError, KeyError, TypeError):
        return {}
    if not callbacks:
        return {}

    def call(*arrays: np.ndarray, index: int) -> tuple:
        callback = callbacks[index]
        if "token" in inspect.signature(callback).parameters:  # for ordered callbacks; modules keep the order
            return callback(None, *arrays)[1:]
        return callback(*arrays)

    return {_JAX_TARGET: call}


def have_effects(lowered: Any) -> bool:
    """True if callbacks of a `jax.stages.Lowered` have side effects."""
    arguments = getattr(lowered._lowering, "compile_args", {})
    return bool(arguments.get("unordered_effects") or arguments.get("ordered_effects"))
