# SPDX-License-Identifier: Apache-2.0
"""The forms of modules that can be compiled: HLO text, protocol buffers, files, and JAX's objects."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Callable
from typing import Any

from ._custom_calls import get_callbacks

_UNKNOWN_SIZE = re.compile(r" = \w+\[[\d,]*\?")
_NAME = re.compile(r"\s*HloModule\s+([^\s,]+)")


@dataclasses.dataclass(frozen=True)
class Source:
    """A module: its file, or its contents with a name for messages; and the functions of its custom calls by
    target, if it contains them."""

    file: str
    text: bytes | None = None
    custom_calls: dict[str, Callable] = dataclasses.field(default_factory=dict)


def _of_text(text: str) -> Source:
    name = _NAME.match(text)
    return Source(f"{name[1] if name else 'module'}.hlo", text.encode())


def _lower_exported(exported: Any) -> Any:
    """An exported function, lowered for the types that it was exported for."""
    import jax
    for number, aval in enumerate(exported.in_avals):
        if not all(isinstance(size, int) for size in aval.shape):
            raise TypeError(f"expected a function of known sizes, but argument {number} is {aval.str_short()}; compile "
                            "it for the sizes of a call: hloc.compile(jax.jit(exported.call).lower(*arguments))")
    return jax.jit(exported.call).lower(*exported.in_avals)


def get_source(module: Any) -> Source:
    """The module in HLO text, an HloModuleProto or anything packed by gzip (bytes), the path of a file
    (os.PathLike), `jax.jit(f).lower(...)`, `jax.export.export(...)(...)`, or an HloModule of XLA."""
    if isinstance(module, str):
        return _of_text(module)
    if isinstance(module, (bytes, bytearray, memoryview)):
        return Source("module.hlo", bytes(module))
    if isinstance(module, os.PathLike):
        return Source(os.fspath(module))
    if hasattr(module, "as_serialized_hlo_module_proto"):  # of jaxlib
        return Source(f"{module.name}.pb", module.as_serialized_hlo_module_proto())
    # The test of `call` avoids `in_avals` of a Lowered, which calls the users' classes of its arguments.
    if hasattr(module, "call") and hasattr(module, "in_avals"):  # jax.export.Exported
        module = _lower_exported(module)
    if hasattr(module, "as_text") and hasattr(module, "compiler_ir"):  # jax.stages.Lowered
        # With the lines of the user's program, for error messages.
        text = module.as_text("hlo", debug_info=True)
        if _UNKNOWN_SIZE.search(text):
            from ._stablehlo import refine_sizes
            text = refine_sizes(module) or text
        return dataclasses.replace(_of_text(text), custom_calls=get_callbacks(module))
    raise TypeError("expected HLO text, the path of a file, or `jax.jit(function).lower(...)`, but got a "
                    f"{type(module).__name__}")
