#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every constraint of docs/operations.md has a program that breaks it: a computation in
test/hlo/errors named OPERATION_cN, or OPERATION_cN_WORDS, that expects an error. Prints those
without, and programs named after a constraint that does not exist.

    check_constraints.py OPERATIONS.md FOLDER"""

import pathlib
import re
import sys


def constraints(page):
    found, operation = {}, None
    for line in page.read_text().splitlines():
        if match := re.match(r"### (\S+)", line):
            operation = match.group(1).replace("-", "_")
        elif match := re.match(r"- C(\d+): (.*)", line):
            found[f"{operation}_c{match.group(1)}"] = match.group(2)
    return found


def programs(folder):
    """Names of computations, as HLO and as MLIR write them, that hold an expected error."""
    for path in sorted(folder.iterdir()):
        heads = r"^(?:hlo\.computation @)?(\w+)(?:\([^\n]*)? \{\n(.*?)^\}"
        for name, body in re.findall(heads, path.read_text(), re.MULTILINE | re.DOTALL):
            if "expected-error" in body:
                yield name


def main():
    page, folder = map(pathlib.Path, sys.argv[1:])
    wanted = constraints(page)
    broken = set()
    for name in programs(folder):
        if match := re.match(r"(\w+?_c\d+)(?:_|$)", name):
            broken.add(match.group(1))
    missing = [f"{name}: no program breaks it: {text}" for name, text in wanted.items()
               if name not in broken]
    unknown = [f"{name}: no such constraint" for name in sorted(broken - set(wanted))]
    print("\n".join(missing + unknown + [f"{len(wanted)} constraints, {len(missing)} not broken"]))
    return 1 if missing or unknown or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
