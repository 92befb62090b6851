# SPDX-License-Identifier: Apache-2.0
"""Converts StableHLO, JAX's own form of programs, to HLO text with XLA's converter, which is part of JAX."""

from __future__ import annotations

import gzip
import pathlib
from typing import Any

from ._errors import Message
from ._source import Source


def is_stablehlo(messages: tuple[Message, ...]) -> bool:
    """True if the compiler reported that its input is StableHLO, as text or as bytecode."""
    return any(m.severity == "error" and ("got StableHLO" in m.text or m.text.startswith("StableHLO bytecode"))
               for m in messages)


def _print_hlo(program: bytes) -> str | None:
    """The program as HLO text; None with a version of JAX that has no such converter."""
    try:
        # JAX has no public name for these.
        from jax._src.lib import _jax, hlo
        to_computation, options = _jax.mlir.mlir_module_to_xla_computation, hlo.HloPrintOptions.short_parsable()
    except (ImportError, AttributeError):
        return None
    options.print_metadata = True  # the lines of the user's program, for error messages
    return to_computation(program).as_hlo_module().to_string(options)


def convert(source: Source) -> Source | None:
    """The program as HLO text; None without JAX, or with a version of it that has no such converter. Passes
    on exceptions of the converter."""
    program = pathlib.Path(source.file).read_bytes() if source.text is None else source.text
    if program.startswith(b"\x1f\x8b"):
        program = gzip.decompress(program)
    text = _print_hlo(program)
    file = source.file.removesuffix(".gz").removesuffix(".mlir").removesuffix(".hlo")
    return None if text is None else Source(f"{file}.hlo", text.encode())


def refine_sizes(lowered: Any) -> str | None:
    """The HLO text of a lowered function that calls one that was exported with symbolic sizes, with these sizes
    computed from the arguments; None if some remain unknown, or with a version of JAX that has no such function."""
    try:
        from jax._src.interpreters import mlir  # JAX has no public name for these
        refined = mlir.refine_polymorphic_shapes(lowered.compiler_ir("stablehlo"))
        return _print_hlo(mlir.module_to_bytecode(refined))
    except (ImportError, AttributeError, ValueError):
        return None
