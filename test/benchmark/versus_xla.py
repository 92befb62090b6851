#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hloc beside XLA:CPU, on the same HLO in the same run. Needs `pip install jax`.

    versus_xla.py [--threads N] [--mcpu NAME] [--match REGEX] [--seconds S] [--json FILE]
                  [--hlo-run PATH] [--machine-limits PATH] [MODULE.hlo...]

A line for each workload of workloads.py and the demonstration's network, or for each module given:

    XLA, hloc     milliseconds of one call, the median over at least S seconds
    ratio         XLA / hloc: above 1, hloc is faster
    limit         the share of this machine's measured peak that hloc reaches: the time in which
                  the peak does the workload's multiply-adds, or moves arguments and results once
                  (whichever is longer), over hloc's time
    compile       milliseconds to compile, XLA and hloc, the median of three

--mcpu, one of x86-64-v2, -v3 and -v4, holds hloc and the code that XLA generates to the
instructions of that level. The libraries that XLA calls for dots, convolutions and some reductions
use all that the processor has: compare those on a processor of the level. Flags of XLA in the
environment stay.

Each side runs in a process of its own, bound to the first N processors. XLA is called from Python;
the row "one call" is the least that such a call takes. Inputs are random, and the same for both
sides; a line whose results differ says so at its end. The exit status is 0 if every workload ran
on both sides with the same results."""

import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parent.parent / "build/release/bin"
DIGITS = HERE.parent / "digits/digits.hlo"


# How --mcpu is said to XLA.
XLA_ISA = {"x86-64-v2": "SSE4_2", "x86-64-v3": "AVX2", "x86-64-v4": "AVX512"}

# For XLA's process, which allocates its results anew at each call: malloc keeps what is freed.
KEEP_MEMORY = {"MALLOC_MMAP_MAX_": "0", "MALLOC_ARENA_MAX": "1",
               "MALLOC_TRIM_THRESHOLD_": str(1 << 40)}


def bound(threads, command):
    return ["taskset", "-c", f"0-{threads - 1}", *map(str, command)]


# ---- in a process of its own: XLA ----------------------------------------------------------------

def measure_xla(folder, seconds):
    """Runs module.hlo of a folder; writes inputs and results there and returns XLA's figures."""
    import statistics
    import time

    import numpy as np

    import xla
    xla.warm_heap()
    compilations = []
    for _ in range(3):  # as hlo-run --benchmark
        start = time.perf_counter()
        program = xla.Program((folder / "module.hlo").read_text())
        compilations.append(time.perf_counter() - start)
    inputs = program.random_inputs(seed=1)
    arrays = xla.put(inputs)
    results = program(arrays)
    for i, array in enumerate(inputs):
        np.save(folder / f"in{i}.npy", xla.stored(array))
    for i, result in enumerate(results):
        np.save(folder / f"xla{i}.npy", xla.wide(result))
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 5:
        start = time.perf_counter()
        program(arrays)
        times.append(time.perf_counter() - start)
    return {"run": statistics.median(times), "compile": statistics.median(compilations),
            "bytes": sum(a.nbytes for a in [*arrays, *results]),
            "types": [str(r.dtype) for r in results]}


def compare(folder, types):
    """How hloc's results differ from XLA's, in words; empty if they agree.

    The mark is loose (sums in other orders, half of the digits): it tells a wrong program from a
    right one; the tests judge properly."""
    import ml_dtypes  # noqa: F401  (makes numpy know bfloat16 and its kin)
    import numpy as np

    import xla
    for i, name in enumerate(types):
        expected = np.load(folder / f"xla{i}.npy")
        result = xla.wide(xla.unstored(np.load(folder / f"out{i}.npy"), np.empty(0, name)))
        if result.dtype.kind in "biu":  # differences of these wrap around, or do not exist
            result, expected = result.astype(float), expected.astype(float)
        if result.shape != expected.shape:
            return f"result {i} is {list(result.shape)}, not {list(expected.shape)}"
        finite = np.isfinite(expected)
        if not np.array_equal(np.isfinite(result), finite):
            return f"result {i} is not finite in the same places"
        scale = np.abs(expected[finite]).max(initial=0)
        worst = np.abs(result[finite] - expected[finite]).max(initial=0)
        if not worst <= (2e-2 if np.dtype(name).itemsize < 4 else 1e-3) * scale:
            return f"result {i} differs by {worst:.3g}, its largest element is {scale:.3g}"
    return ""


# ---- the driver ------------------------------------------------------------------------------------

def output_of(command, threads, **options):
    done = subprocess.run(bound(threads, command), capture_output=True, text=True, **options)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise RuntimeError(next((line for line in lines if "rror" in line), lines[-1]))
    return done.stdout


def run_xla(folder, options):
    flags = [os.environ.get("XLA_FLAGS", ""),
             f"--xla_cpu_multi_thread_eigen={'true' if options.threads > 1 else 'false'}"]
    if options.mcpu:
        flags.append(f"--xla_cpu_max_isa={XLA_ISA[options.mcpu]}")
    environment = os.environ | KEEP_MEMORY | {"XLA_FLAGS": " ".join(flags).strip()}
    command = [sys.executable, __file__, "--worker", folder, "--seconds", options.seconds]
    return json.loads(output_of(command, options.threads, env=environment))


def run_hloc(folder, options):
    command = [options.hlo_run, folder / "module.hlo", f"--inputs-from={folder}",
               f"--threads={options.threads}"]
    if options.mcpu:
        command.append(f"--mcpu={options.mcpu}")
    output_of([*command, f"--outputs-to={folder}"], options.threads)
    return json.loads(output_of([*command, f"--benchmark={options.seconds}", "--json"], options.threads))


def least_seconds(row, limits):
    """The time that the machine's peak allows; 0 if it says nothing of this row."""
    size = row["xla"]["bytes"]
    level = "L2" if size <= 1 << 20 else "L3" if size <= 16 << 20 else "memory"
    moved = size / (limits[level] * 1e9) if size > 1 << 14 else 0
    rate = limits["f32"] / 2 if row["unit"] == "f64" else limits.get(row["unit"], limits["f32"])
    return max(moved, row["flops"] / (rate * 1e9))


def measure(row, text, options):
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "module.hlo").write_text(text)
        for side, run in (("xla", run_xla), ("hloc", run_hloc)):
            try:
                row[side] = run(folder, options)
            except RuntimeError as error:
                row["error"] = f"{side}: {error}"
                return
        row["differs"] = compare(folder, row["xla"]["types"])


def print_row(row, limits):
    if "error" in row:
        print(f"{row['name']:34} {row['error'][:120]}", flush=True)
        return
    ours, theirs = row["hloc"], row["xla"]
    row["ratio"] = theirs["run"] / ours["run_seconds"]
    least = least_seconds(row, limits)
    limit = f"{least / ours['run_seconds']:7.0%}" if least else 7 * " "
    print(f"{row['name']:34} {1e3 * theirs['run']:10.4f} {1e3 * ours['run_seconds']:10.4f} "
          f"{row['ratio']:7.2f} {limit} {1e3 * theirs['compile']:8.0f} "
          f"{1e3 * ours['compile_seconds']:6.0f}  {row['differs']}", flush=True)


def chosen(options):
    """(row, function that gives its HLO text) for each workload or module asked for."""
    for file in options.modules:
        yield {"name": file.stem if file.stem != "module" else file.parent.name}, file.read_text
    if not options.modules:
        from workloads import WORKLOADS
        for name, workload in WORKLOADS.items():
            yield {"name": name, "flops": workload.flops, "unit": workload.unit}, workload.hlo
        yield {"name": "digits (the demonstration)"}, DIGITS.read_text


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--mcpu", choices=XLA_ISA)
    parser.add_argument("--match", default="")
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--hlo-run", default=BUILD / "hlo-run")
    parser.add_argument("--machine-limits", default=BUILD / "machine-limits")
    parser.add_argument("--worker", type=pathlib.Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        print(json.dumps(measure_xla(options.worker, options.seconds)))
        return
    limits = json.loads(output_of([options.machine_limits, options.threads], options.threads))
    print(f"{options.threads} thread(s); this machine: " + ", ".join(
        f"{name} {rate:g} {'GB/s' if name in ('L2', 'L3', 'memory') else 'Gop/s'}"
        for name, rate in limits.items()))
    print(f"{'':34} {'XLA ms':>10} {'hloc ms':>10} {'ratio':>7} {'limit':>7} {'compile':>8}")
    rows = []
    for row, text in chosen(options):
        if not re.search(options.match, row["name"]):
            continue
        row = {"flops": 0, "unit": "f32"} | row
        measure(row, text(), options)
        print_row(row, limits)
        rows.append(row)
        if options.json:
            report = {"threads": options.threads, "limits": limits, "rows": rows}
            options.json.write_text(json.dumps(report, indent=1))
    ratios = [row["ratio"] for row in rows if "ratio" in row]
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"XLA / hloc over {len(ratios)} of {len(rows)} workloads: {mean:.2f} in the geometric "
              f"mean, {min(ratios):.2f} at worst")
    sys.exit(len(ratios) != len(rows) or any(row.get("differs") for row in rows))


if __name__ == "__main__":
    main()
