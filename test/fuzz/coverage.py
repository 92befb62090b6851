#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Says in how many random modules each operation of docs/operations.md is; exit code 1 if one is in none.

    test/fuzz/coverage.py [--modules N]

The modules are those of seeds from 1 on, of graphs.py and of bounded.py; what their results do not need is left out."""

import argparse
import collections
import pathlib
import re
import sys

import bounded
import graphs

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
    for opcode in opcodes:
        print(f"{opcode}: {found[opcode]}")
    missing = [opcode for opcode in opcodes if not found[opcode]]
    print(f"{len(opcodes) - len(missing)} of {len(opcodes)} operations are in {2 * modules} modules")
    return f"in none: {', '.join(missing)}" if missing else 0


if __name__ == "__main__":
    sys.exit(main())
