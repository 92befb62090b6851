# SPDX-License-Identifier: Apache-2.0
"""Converts StableHLO, JAX's own form of programs, to HLO text with XLA's converter, which is part of JAX."""

from __future__ import annotations

import gzip
import pathlib

from ._errors import Message
from ._source import Source


def is_stablehlo(messages: tuple[Message, ...]) -> bool:
    """True if the compiler reported that its input is StableHLO, as text or as bytecode."""
    return any(m.severity == "error" and ("got StableHLO" in m.text or m.text.startswith("StableHLO bytecode"))
               for m in messages)


def convert(source: Source) -> Source | None:
    """The program as HLO text; None without JAX, or with a version of it that has no such converter. Passes
    on exceptions of the converter."""
    try:
        # JAX has no public name for these.
        from jax._src.lib import _jax, hlo
        to_computation, options = _jax.mlir.mlir_module_to_xla_computation, hlo.HloPrintOptions.short_parsable()
    except (ImportError, AttributeError):
        return None
    program = pathlib.Path(source.file).read_bytes() if source.text is None else source.text
    if program.startswith(b"\x1f\x8b"):
        program = gzip.decompress(program)
    options.print_metadata = True  # the lines of the user's program, for error messages
    text = to_computation(program).as_hlo_module().to_string(options)
    file = source.file.removesuffix(".gz").removesuffix(".mlir").removesuffix(".hlo")
    return Source(f"{file}.hlo", text.encode())
