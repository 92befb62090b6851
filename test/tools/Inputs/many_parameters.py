# SPDX-License-Identifier: Apache-2.0
"""Prints a module with so many parameters that its body takes tables of pointers; each parameter is transposed."""

COUNT = 70

print("HloModule many\n\nENTRY main {")
for i in range(COUNT):
    print(f"  p.{i} = f32[8,16] parameter({i}), metadata={{op_name=\"p[{i}]\"}}")
print(f"  x = f32[16,8] parameter({COUNT})")
for i in range(COUNT):
    print(f"  t.{i} = f32[16,8] transpose(p.{i}), dimensions={{1,0}}")
    root = "ROOT " if i == COUNT - 1 else ""
    print(f"  {root}s.{i} = f32[16,8] add({f's.{i - 1}' if i else 'x'}, t.{i})")
print("}")
