#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How near the cost model's choice of schedules comes to tuned ones.

    tuned.py [--threads N] [--mcpu NAME] [--match REGEX] [--tune-seconds S] [--seconds S]
             [--turns N] [--worst N] [--prefix COMMAND] [--json FILE] [--bin FOLDER]
             MODULE.hlo|FOLDER...

For each module, or for NAME/module.hlo in each folder NAME of a folder: `hloc --tune` writes
schedules, then `hlo-run --benchmark` runs the module with its own schedules and with those, in
turn. Prints, for each program,

    own, tuned   milliseconds of one call, the median of N turns
    ratio        own / tuned, the median of what it is in each turn, since what else a machine does
                 falls on neighbours alike; 1 where nothing was found
    kernels      how many have other schedules

then the geometric mean of the ratios, and the kernels for which most was gained, with both
schedules: what a better cost model would have chosen. The exit status is 0 if every module ran."""

import argparse
import json
import math
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile

from predictions import BUILD, find_modules

LINE = re.compile(r"(?P<name>\S+)@(?P<problem>[0-9a-f]{16}) = (?P<schedule>#hlo\.schedule<.*?>)"
                  r"  // (?P<after>[0-9.]+ \w+) a call, before (?P<before>[0-9.]+ \w+) with (?P<own>.*)")
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def seconds(text):
    number, unit = text.split()
    return float(number) * UNITS[unit]


def run(options, *command):
    """What the program prints; raises RuntimeError if it fails."""
    done = subprocess.run([*shlex.split(options.prefix), *map(str, command)],
                          capture_output=True, text=True)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise RuntimeError(next((line for line in lines if "rror" in line), lines[-1]))
    return done.stdout


def tune(name, module, options, folder):
    flags = ["-O3", f"--threads={options.threads}"]
    if options.mcpu:
        flags.append(f"--mcpu={options.mcpu}")
    run(options, options.bin / "hloc", module, "--tune", f"--tune-seconds={options.tune_seconds}",
        *flags, "-o", folder / "tuned.o")
    file = folder / "tuned.schedules"
    kernels = [{"module": name, "kernel": found["name"], "tuned": found["schedule"],
                "own": found["own"],
                "before": seconds(found["before"]), "after": seconds(found["after"])}
               for found in LINE.finditer(file.read_text())]
    if not kernels:
        return {"name": name, "ratio": 1.0, "kernels": []}
    times = {"own": [], "tuned": []}
    for _ in range(options.turns):
        for kind, more in (("own", []), ("tuned", [f"--schedules={file}"])):
            printed = run(options, options.bin / "hlo-run", module, *flags, *more, "--json",
                          f"--benchmark={options.seconds}")
            times[kind].append(json.loads(printed)["run_seconds"])
    ratio = statistics.median(own / tuned for own, tuned in zip(times["own"], times["tuned"]))
    return {"name": name, "own": statistics.median(times["own"]),
            "tuned": statistics.median(times["tuned"]), "ratio": ratio, "kernels": kernels}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="+", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--mcpu")
    parser.add_argument("--match", default="")
    parser.add_argument("--tune-seconds", type=float, default=60)
    parser.add_argument("--seconds", type=float, default=0.05)
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--worst", type=int, default=20)
    parser.add_argument("--prefix", default="")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, default=BUILD)
    options = parser.parse_args()
    rows, failed = [], 0
    print(f"{'':34} {'own':>10} {'tuned':>10} {'ratio':>6} {'kernels':>7}")
    for name, module in find_modules(options.modules, options.match):
        with tempfile.TemporaryDirectory() as folder:
            try:
                row = tune(name, module, options, pathlib.Path(folder))
            except RuntimeError as error:
                failed += 1
                print(f"{name:34} {error}", flush=True)
                continue
        rows.append(row)
        own, tuned = (f"{1e3 * row[side]:10.4f}" if side in row else f"{'-':>10}"
                      for side in ("own", "tuned"))
        print(f"{name:34} {own} {tuned} {row['ratio']:6.2f} {len(row['kernels']):7}", flush=True)
        if options.json:
            options.json.write_text(json.dumps(rows, indent=1))
    if not rows:
        sys.exit("no programs")
    mean = math.exp(sum(math.log(row["ratio"]) for row in rows) / len(rows))
    print(f"\n{len(rows)} programs: geometric mean of own / tuned {mean:.3f}")
    kernels = [kernel for row in rows for kernel in row["kernels"]]
    kernels.sort(key=lambda kernel: kernel["before"] / kernel["after"], reverse=True)
    for kernel in kernels[:options.worst]:
        print(f"{kernel['before'] / kernel['after']:5.2f}  {kernel['module']}: {kernel['kernel']}, "
              f"{1e6 * kernel['before']:.1f} us\n       own   {kernel['own']}\n"
              f"       tuned {kernel['tuned']}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
