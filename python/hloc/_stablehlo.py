# SPDX-License-Identifier: Apache-2.0
"""StableHLO, JAX's own form of programs, turned into HLO text by XLA's converter, which JAX brings along."""

from __future__ import annotations

import gzip
import pathlib

from ._errors import Message
from ._source import Source


def is_stablehlo(messages: tuple[Message, ...]) -> bool:
    """Whether the compiler says that it was given StableHLO, as text or as bytecode."""
    return any(m.severity == "error" and ("got StableHLO" in m.text or m.text.startswith("StableHLO bytecode"))
               for m in messages)


def convert(source: Source) -> Source | None:
    """The program in HLO text; None without JAX, or with a version of it that has the converter elsewhere.
    Raises what the converter does."""
    try:
        # JAX has no public name for these.
        from jax._src.lib import _jax, hlo
        to_computation, options = _jax.mlir.mlir_module_to_xla_computation, hlo.HloPrintOptions.short_parsable()
    except (ImportError, AttributeError):
        return None
    program = pathlib.Path(source.file).read_bytes() if source.text is None else source.text
    if program.startswith(b"\x1f\x8b"):
        program = gzip.decompress(program)
    options.print_metadata = True  # the lines of the user's program, which errors then name
    text = to_computation(program).as_hlo_module().to_string(options)
    file = source.file.removesuffix(".gz").removesuffix(".mlir").removesuffix(".hlo")
    return Source(f"{file}.hlo", text.encode())
