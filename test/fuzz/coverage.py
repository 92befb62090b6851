#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints how many random modules contain each operation of docs/operations.md and each element type; exit code 1 if one is missing.

    test/fuzz/coverage.py [--modules N]

The modules are those of seeds from 1 on, of graphs.py and of bounded.py; what their results do not need is left out."""

import argparse
import collections
import pathlib
import re
import sys

import bounded
import graphs

TYPES = ("pred s1 s2 s4 s8 s16 s32 s64 u1 u2 u4 u8 u16 u32 u64 f4e2m1fn f8e3m4 f8e4m3 f8e4m3b11fnuz f8e4m3fn f8e4m3fnuz f8e5m2 "
         "f8e5m2fnuz f8e8m0fnu f16 bf16 f32 f64 c64 c128").split()

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--modules", type=int, default=300)
    modules = parser.parse_args().modules
    opcodes = re.findall(r"^### (\S+)", (ROOT / "docs/operations.md").read_text(), re.MULTILINE)
    found = collections.Counter()
    for seed in range(1, modules + 1):
        other = bounded.Module(seed)
        for text in (graphs.make_module(seed).text(), other.text(other.values + other.finals)[0]):
            found.update(set(re.findall(r"[\])}] ([a-z][a-z0-9-]*)\(", text)))
            found.update(set(re.findall(r"\b([a-z][a-z0-9]*)\[", text)))
    for name in opcodes + TYPES:
        print(f"{name}: {found[name]}")
    missing = [name for name in opcodes + TYPES if not found[name]]
    print(f"{len(opcodes)} operations and {len(TYPES)} element types, {len(missing)} of them in none of {2 * modules} modules")
    return f"in none: {', '.join(missing)}" if missing else 0


if __name__ == "__main__":
    sys.exit(main())
