# SPDX-License-Identifier: Apache-2.0
"""Prints a module whose shapes, operands and computations nest as deep as the argument says."""
import sys

n = int(sys.argv[1])
print(f"""HloModule nested

ENTRY e {{
  p = {"(" * n}f32[]{")" * n} parameter(0)
  x = f32[] parameter(1)
  y = f32[] {"negate(" * (n + 1)}x{")" * (n + 1)}
  z = f32[] call(x), to_apply={"{ a = f32[] parameter(0) ROOT b = f32[] call(a), to_apply=" * (n - 1)}{{
    a = f32[] parameter(0) }}{" }" * (n - 1)}
  ROOT r = f32[] add(y, z)
}}""")
