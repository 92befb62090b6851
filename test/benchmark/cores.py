#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How well the report predicts what a second core saves.

    cores.py [--seconds S] [--worst N] [--bin FOLDER] MODULE.hlo|FOLDER...

Measures each module, or NAME/module.hlo in each folder NAME of a folder, on one thread and on two,
on random arrays, and compares the quotient with that of the times for one and two cores in
`hloc --report`. Modules whose time depends on data are left out. Prints the geometric mean of
measured over predicted, how many are within a quarter, and those that are furthest from it. The
exit status is 0 if every module ran."""

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parent.parent / "build/release/bin"
NANOSECONDS = {"ns": 1, "us": 1e3, "ms": 1e6}


def run(command):
    """Standard output of the command; raises RuntimeError if it fails."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


def predict(module, options):
    """The predicted quotient; None if the time depends on data or nothing is launched."""
    with tempfile.TemporaryDirectory() as scratch:
        report = run([options.bin / "hloc", module, "-O3", "--report", "-o",
                      pathlib.Path(scratch) / "module.o"])
    found = re.search(r"on several cores, predicted\n  1: ([\d.]+) (\w+), 2: ([\d.]+) (\w+)(.*)",
                      report)
    if not found or "depend on data" in found[5]:
        return None
    one, two = (float(found[i]) * NANOSECONDS[found[i + 1]] for i in (1, 3))
    return one / two if two else None


def measure(module, options):
    """The measured quotient."""
    times = [json.loads(run([options.bin / "hlo-run", module, "-O3", f"--threads={threads}",
                             "--json", f"--benchmark={options.seconds}"]))["run_seconds"]
             for threads in (1, 2)]
    return times[0] / times[1]


def find_modules(paths):
    for path in paths:
        yield from sorted(path.glob("*/module.hlo")) if path.is_dir() else [path]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="+", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--worst", type=int, default=10)
    parser.add_argument("--bin", type=pathlib.Path, default=BUILD)
    options = parser.parse_args()
    rows, failed = [], False
    for module in find_modules(options.modules):
        try:
            predicted = predict(module, options)
            if predicted is not None:
                rows.append((measure(module, options), predicted, module.parent.name))
        except RuntimeError as error:
            print(f"{module}: {error}", file=sys.stderr)
            failed = True
    if rows:
        rows.sort(key=lambda row: row[0] / row[1])
        quotients = [measured / predicted for measured, predicted, _ in rows]
        near = sum(0.8 <= quotient <= 1.25 for quotient in quotients)
        print(f"measured / predicted: {statistics.geometric_mean(quotients):.2f} in geometric mean, "
              f"{near} of {len(rows)} within a quarter")
        for measured, predicted, name in rows[:options.worst] + rows[options.worst:][-options.worst:]:
            print(f"{measured:6.2f} measured {predicted:6.2f} predicted  {name}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
