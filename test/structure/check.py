# SPDX-License-Identifier: Apache-2.0
"""Checks of the source tree itself, for structure.test.

check.py constants   lists the constants of tuning outside of compiler/target and the strategies
                     (passes/schedule), and compares them with constants.txt: there may be none
                     that the list does not have, and the list has none that is gone.
check.py includes    every include points down the list of stages.
check.py lengths     no source file has more than 500 lines.
check.py tests       the tests that sources name exist.
check.py processors  no test runs AVX-512 code without asking whether the processor has it.

Exit status 0 if the check holds, 1 with a line for each offender."""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# From the bottom up. A file may include what stands before its own stage, and that stage itself.
STAGES = ["compiler/hlo", "compiler/text", "compiler/evaluator", "compiler/target", "passes",
          "codegen", "compiler/driver", "compiler/library", "compiler/reduce", "compiler/lsp"]


def sources(*folders):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".cpp", ".h"):
                yield path, path.relative_to(ROOT).as_posix()


def stage_of(name):
    return next((s for s in STAGES if name.startswith(s + "/")), None)


def constants():
    number = re.compile(r"constexpr (?:int64_t|int|unsigned|double|float|size_t)\s+(k[A-Z]\w*)\s*=\s*"
                        r"[^;]*?\d[^;]*;", re.S)
    more = re.compile(r"\b(k[A-Z]\w*)\s*=")
    found = set()
    for path, name in sources("passes", "codegen"):
        if name.startswith("passes/schedule/"):
            continue
        for match in number.finditer(path.read_text()):
            found.update(f"{name} {constant}" for constant in more.findall(match.group(0)))
    listed = set((HERE / "constants.txt").read_text().splitlines())
    for line in sorted(found - listed):
        print(f"{line}: a constant of tuning: put it into compiler/target or a strategy's definition, "
              "or, if it is none, into constants.txt")
    for line in sorted(listed - found):
        print(f"{line}: is gone: take it out of constants.txt")
    return found == listed


def includes():
    good = True
    for path, name in sources(*STAGES):
        own = STAGES.index(stage_of(name))
        for included in re.findall(r'^#include "([^"]+)"', path.read_text(), re.M):
            stage = stage_of(included)
            if stage and STAGES.index(stage) > own:
                print(f"{name}: includes {included}, which is above it")
                good = False
    return good


def lengths():
    good = True
    for path, name in sources("compiler", "passes", "codegen", "runtime", "tools"):
        lines = len(path.read_text().splitlines())
        if lines > 500:
            print(f"{name}: {lines} lines")
            good = False
    return good


def tests():
    good = True
    for path, name in sources("compiler", "passes", "codegen", "runtime", "tools"):
        for test in re.findall(r"\btest/[\w/.-]*\.(?:cpp|hlo|mlir|test|py)\b", path.read_text()):
            if not (ROOT / test).is_file():
                print(f"{name}: names {test}, which does not exist")
                good = False
    return good


def processors():
    good = True
    for path in sorted((ROOT / "test").rglob("*")):
        if path.suffix not in (".hlo", ".mlir", ".test"):
            continue
        text = re.sub(r"\\\n(?://)? *RUN:", "", path.read_text())  # continued lines
        if "REQUIRES: avx512" in text:
            continue
        for run in re.findall(r"RUN: (.*hlo-run .*--mcpu=x86-64-v4.*)", text):
            if "%if avx512" not in run:
                print(f"{path.relative_to(ROOT)}: without '%if avx512': {run}")
                good = False
    return good


if __name__ == "__main__":
    checks = {"constants": constants, "includes": includes, "lengths": lengths, "tests": tests,
              "processors": processors}
    if len(sys.argv) != 2 or sys.argv[1] not in checks:
        sys.exit(__doc__)
    sys.exit(0 if checks[sys.argv[1]]() else 1)
