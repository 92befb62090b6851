#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hloc beside XLA:CPU, on the same HLO in the same run. Needs `pip install jax`.

    versus_xla.py [--threads N] [--match REGEX] [--seconds S] [--json FILE]
                  [--hlo-run PATH] [--machine-limits PATH]

A line for each workload (workloads.py):

    XLA, hloc     milliseconds of one call, the median over at least S seconds (--seconds)
    ratio         XLA / hloc: above 1, hloc is faster
    limit         the time that this machine's measured peak allows (multiply-adds in registers,
                  and arguments and results moved once at the bandwidth of the cache they fit, or
                  of memory) over hloc's time; empty where it says nothing
    compile       milliseconds to compile, XLA and hloc

Each side runs in a process of its own, bound to the first N processors. XLA is called from Python
through its compiled executable; the row "one call" is the least that this can take. Inputs are the
same for both sides; a line whose results differ says so at its end. The exit status is 0 if every
workload ran on both sides with the same results."""

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


def bound(threads, command):
    return ["taskset", "-c", f"0-{threads - 1}", *map(str, command)]


# ---- in a process of its own: XLA --------------------------------------------------------------

def random_array(rng, shape, dtype):
    import numpy as np
    if dtype == "int8":
        return rng.integers(-128, 128, shape, np.int8)
    if dtype == "uint32":
        return rng.integers(0, 1 << 32, shape, np.uint32)
    values = rng.standard_normal(shape)
    if dtype == "complex64":
        return (values + 1j * rng.standard_normal(shape)).astype(np.complex64)
    return values.astype(dtype)


def storage(array):
    """What stands for an array in an .npy file: bfloat16 as its bits."""
    import numpy as np
    return np.asarray(array).view(np.uint16) if array.dtype.name == "bfloat16" else np.asarray(array)


def measure_xla(name, seconds, folder):
    """Writes module.hlo, inputs and XLA's outputs into folder; returns XLA's figures."""
    import statistics
    import time

    import jax
    import numpy as np

    from workloads import WORKLOADS, bytes_moved
    jax.config.update("jax_enable_x64", "float64" in name)
    workload = WORKLOADS[name]
    rng = np.random.default_rng(1)
    arrays = [jax.device_put(random_array(rng, s, jax.numpy.dtype(d) if d == "bfloat16" else d))
              for s, d in workload.arguments]
    lowered = jax.jit(workload.function, keep_unused=True).lower(*arrays)
    (folder / "module.hlo").write_text(lowered.as_text("hlo"))
    start = time.perf_counter()
    executable = lowered.compile()
    compiled = time.perf_counter() - start
    results = jax.block_until_ready(executable(*arrays))
    for i, array in enumerate(arrays):
        np.save(folder / f"in{i}.npy", storage(array))
    for i, result in enumerate(jax.tree.leaves(results)):
        np.save(folder / f"xla{i}.npy", storage(result))
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 5:
        start = time.perf_counter()
        jax.block_until_ready(executable(*arrays))
        times.append(time.perf_counter() - start)
    return {"run": statistics.median(times), "compile": compiled, "flops": workload.flops,
            "unit": workload.unit, "bytes": bytes_moved(workload)}


# ---- the driver ----------------------------------------------------------------------------------

def xla(name, options, folder):
    environment = dict(os.environ, JAX_PLATFORMS="cpu", XLA_FLAGS="--xla_cpu_multi_thread_eigen="
                       + ("true" if options.threads > 1 else "false"))
    command = [sys.executable, __file__, "--worker", name, "--seconds", options.seconds, "--folder", folder]
    done = subprocess.run(bound(options.threads, command), env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        return {"error": (done.stderr.strip().splitlines() or ["failed"])[-1]}
    return json.loads(done.stdout.splitlines()[-1])


def hloc(folder, options):
    command = [options.hlo_run, folder / "module.hlo", f"--inputs-from={folder}", f"--threads={options.threads}"]

    def run(*more):
        done = subprocess.run(bound(options.threads, [*command, *more]), capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError((done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[0])
        return done.stdout

    try:
        figures = json.loads(run(f"--benchmark={options.seconds}", "--json"))
        run(f"--outputs-to={folder}")
    except RuntimeError as error:
        return {"error": str(error)}
    return figures


def values(file, wide):
    """An array's values for comparing, bfloat16 decoded."""
    import numpy as np
    array = np.load(file)
    if array.dtype == np.uint16:
        array = (array.astype(np.uint32) << 16).view(np.float32)
    return array.astype(wide)


def difference(folder):
    """How hloc's results differ from XLA's, in words; empty if they agree.

    The mark is loose (sums in other orders, half of the digits): it tells a wrong program from a
    right one, which the tests do properly."""
    import numpy as np
    for expected in sorted(folder.glob("xla*.npy")):
        wide = np.complex128 if np.load(expected, mmap_mode="r").dtype.kind == "c" else np.float64
        x, y = values(folder / expected.name.replace("xla", "out"), wide), values(expected, wide)
        scale = np.abs(y).max() if y.size else 0
        worst = np.abs(x - y).max() if y.size else 0
        tolerance = 2e-2 if np.load(expected, mmap_mode="r").dtype == np.uint16 else 1e-3
        if not worst <= tolerance * scale:
            return f"results differ by {worst:.3g}, the largest is {scale:.3g}"
    return ""


def least_seconds(row, limits):
    """The time that the machine's peak allows; 0 if the peak says nothing of this row."""
    size = row["bytes"]
    level = "L2" if size <= 1 << 20 else "L3" if size <= 16 << 20 else "memory"
    moved = size / (limits[level] * 1e9) if size > 1 << 14 else 0
    rate = limits.get(row["unit"], limits["f32"])
    if "float64" in row["name"]:
        rate = limits["f32"] / 2
    return max(moved, row["flops"] / (rate * 1e9))


def print_row(row, limits):
    ours, theirs = row["hloc"], row["xla"]
    name = f"{row['name']:34}"
    if "error" in theirs or "error" in ours:
        side = "XLA" if "error" in theirs else "hloc"
        print(f"{name} {side}: {(theirs if side == 'XLA' else ours)['error'][:100]}", flush=True)
        return None
    ratio = theirs["run"] / ours["run_seconds"]
    least = least_seconds(row, limits)
    limit = f"{least / ours['run_seconds']:7.0%}" if least else 7 * " "
    print(f"{name} {1e3 * theirs['run']:10.4f} {1e3 * ours['run_seconds']:10.4f} {ratio:7.2f} {limit} "
          f"{1e3 * theirs['compile']:8.0f} {1e3 * ours['compile_seconds']:6.0f}  {row['differs']}", flush=True)
    return ratio


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--match", default="")
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--hlo-run", default=BUILD / "hlo-run")
    parser.add_argument("--machine-limits", default=BUILD / "machine-limits")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=pathlib.Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        print(json.dumps(measure_xla(options.worker, options.seconds, options.folder)))
        return
    from workloads import WORKLOADS
    limits = json.loads(subprocess.run(bound(options.threads, [options.machine_limits, options.threads]),
                                       capture_output=True, text=True, check=True).stdout)
    print(f"{options.threads} thread(s); this machine: " + ", ".join(
        f"{name} {rate:g} {'GB/s' if name in ('L2', 'L3', 'memory') else 'Gop/s'}" for name, rate in limits.items()))
    print(f"{'':34} {'XLA ms':>10} {'hloc ms':>10} {'ratio':>7} {'limit':>7} {'compile':>8} {'':>6}")
    rows, ratios = [], []
    for name in [n for n in WORKLOADS if re.search(options.match, n)]:
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            row = {"name": name, "xla": xla(name, options, folder), "hloc": {}, "differs": ""}
            if "error" not in row["xla"]:
                row |= {key: row["xla"][key] for key in ("flops", "unit", "bytes")}
                row["hloc"] = hloc(folder, options)
                if "error" not in row["hloc"]:
                    row["differs"] = difference(folder)
        ratio = print_row(row, limits)
        rows.append(row)
        ratios += [ratio] if ratio else []
        if options.json:
            options.json.write_text(json.dumps({"threads": options.threads, "limits": limits, "rows": rows}, indent=1))
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"XLA / hloc over {len(ratios)} of {len(rows)} workloads: {mean:.2f} in the geometric mean, "
              f"{min(ratios):.2f} at worst")
    sys.exit(len(ratios) != len(rows) or any(row["differs"] for row in rows))


if __name__ == "__main__":
    main()
