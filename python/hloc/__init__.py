# SPDX-License-Identifier: Apache-2.0
"""hloc compiles HLO, the programs of XLA, to native code for processors.

    executable = hloc.compile(jax.jit(f).lower(x))   # or HLO text, or the path of a file
    (y,) = executable(x)
    executable.save("f.so")                          # and f.h, for C and C++

    g = hloc.jit(f)                                  # instead of jax.jit(f)

JAX is needed only for `hloc.jit`. docs/python.md in the source tree describes the rest."""

from ._compile import compile, load
from ._errors import CompileError, HlocError, Message, RunError, UnsupportedError
from ._executable import Array, Executable
from ._jit import jit
from ._native import Context, version as _version
from ._prepared import Prepared

__version__ = _version()
__all__ = ["Array", "CompileError", "Context", "Executable", "HlocError", "Message", "Prepared",
           "RunError", "UnsupportedError", "compile", "jit", "load"]
