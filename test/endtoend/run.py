#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs whole programs through hlo-run and judges their results. Needs Python alone.

    run.py --hlo-run COMMAND [--args "-O3 --threads=2"] [--same-bits "-O3 --threads=1"]
           [--same-bits-by COMMAND] [--cases FOLDER]... [--needs avx512f,...] [--jobs N] [--timeout S] [NAME...]

A case is a folder of cases/, or of the folders given: module.hlo, case.json, and .npy files for its inputs
and expected outputs (README.md); outputs without a tolerance are only compared with each other. With --same-bits each case also runs with those arguments, by hlo-run or the other
command, and all outputs must have the same bits, where NaNs count as one number. COMMAND is hlo-run or
what stands in for it (emulated.py); a case for which it exits with 3, not supported, is skipped. On an x86 without the features that --needs names, as Linux calls
them, nothing runs and the exit status is 77. Prints a line for each case that fails, then the counts; the exit
status is 0 if none failed and any passed."""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

import npy

SKIPPED = "skipped"
CASES = pathlib.Path(__file__).resolve().parent / "cases"


def distance(x, expected):
    """|x - expected|: 0 where both are the same infinity or NaN, infinite where only one is."""
    if x == expected or (x != x and expected != expected):
        return 0
    difference = abs(x - expected)
    return math.inf if difference != difference else difference


def magnitude(value):
    size = abs(value)
    return size if math.isfinite(size) else 0.0


def zero_signs_differ(x, expected):
    return x == 0 and expected == 0 and math.copysign(1, x) != math.copysign(1, expected)


def difference(result, golden, entry):
    """What is wrong with one output, in words; None if nothing."""
    if result.type != golden.type or result.shape != entry["shape"]:
        return f"is {result.type}{result.shape}, not {golden.type}{entry['shape']}"
    allowed = entry["tolerance"]
    rtol, atol = allowed["rtol"], allowed["atol"]
    pairs = list(zip(npy.decode(result, entry["dtype"]), npy.decode(golden, entry["dtype"])))
    distances = [distance(x, expected) for x, expected in pairs]
    bad = [i for i, (d, (x, expected)) in enumerate(zip(distances, pairs))
           if d > atol + rtol * magnitude(expected)
           or allowed.get("signed_zero") and zero_signs_differ(x, expected)]
    if not bad:
        return None
    first = bad[0]
    return (f"{len(bad)} of {len(pairs)} elements differ, first at flat index {first}: "
            f"{pairs[first][0]} instead of {pairs[first][1]}")


def has_same_bits(file, other, dtype):
    """Whether two outputs are equal but for the bits of NaNs."""
    if file.read_bytes() == other.read_bytes():
        return True
    pairs = list(zip(npy.decode(npy.Array(file), dtype), npy.decode(npy.Array(other), dtype), strict=True))
    parts = [part for x, y in pairs for part in
             ([(x.real, y.real), (x.imag, y.imag)] if isinstance(x, complex) else [(x, y)])]
    return all(x != x and y != y or x == y and not zero_signs_differ(x, y) for x, y in parts)


def run_once(case, runner, options, arguments, out):
    """Runs one case into `out`; what went wrong, or None."""
    out.mkdir()
    command = [*shlex.split(runner), case / "module.hlo", f"--inputs-from={case}", f"--outputs-to={out}",
               *shlex.split(arguments)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                              timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return f"took more than {options.timeout:g} s"
    if done.returncode == 3:
        return SKIPPED
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [""]
        return f"exit status {done.returncode}: " + next((l for l in lines if "error" in l), lines[0])
    return None


def run(case, options):
    """What is wrong with one case, in words; None if it passes."""
    spec = json.loads((case / "case.json").read_text())
    with tempfile.TemporaryDirectory() as scratch:
        out, again = pathlib.Path(scratch, "out"), pathlib.Path(scratch, "again")
        fault = run_once(case, options.hlo_run, options, options.args, out)
        if fault:
            return fault
        for entry in spec["outputs"]:
            if not (out / entry["file"]).exists():
                return f"{entry['file']} was not written"
            if "tolerance" not in entry and options.same_bits:
                continue
            fault = difference(npy.Array(out / entry["file"]), npy.Array(case / entry["file"]), entry)
            if fault:
                return f"{entry['file']} ({entry['name']}): {fault}"
        if options.same_bits:
            fault = run_once(case, options.same_bits_by or options.hlo_run, options, options.same_bits, again)
            if fault == SKIPPED:
                return fault
            if fault:
                return f"with {options.same_bits}: {fault}"
            for entry in spec["outputs"]:
                if not has_same_bits(out / entry["file"], again / entry["file"], entry["dtype"]):
                    return f"{entry['file']} has other bits with {options.same_bits}"
    return None


def read_features():
    """What Linux says this processor has."""
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    return next((set(line.split()) for line in lines if line.startswith("flags")), set())


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="cases (default: all)")
    parser.add_argument("--hlo-run", required=True)
    parser.add_argument("--args", default="")
    parser.add_argument("--same-bits", default="")
    parser.add_argument("--same-bits-by", default="")
    parser.add_argument("--cases", type=pathlib.Path, action="append", help="folders of cases (default: cases)")
    parser.add_argument("--needs", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=float, default=120)
    options = parser.parse_args()
    missing = set(filter(None, options.needs.split(","))) - read_features()
    if missing:
        print("skipped: this processor has no", ", ".join(sorted(missing)))
        sys.exit(77)
    cases = sorted(case for folder in options.cases or [CASES] for case in folder.iterdir())
    if options.names:
        cases = [case for case in cases if case.name in options.names]
        assert len(cases) == len(options.names), "a case has no folder"
    failed = skipped = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, fault in zip(cases, pool.map(lambda c: run(c, options), cases)):
            if fault == SKIPPED:
                skipped += 1
            elif fault:
                failed += 1
                print(f"FAIL {case.name}: {fault}", flush=True)
    passed = len(cases) - failed - skipped
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(failed > 0 or not passed)


if __name__ == "__main__":
    main()
