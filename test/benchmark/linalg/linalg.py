#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hloc's kernels beside the same computations through linalg, by upstream's tools alone.

    linalg.py [--match REGEX] [--seconds S] [--large-pages] [--hloc PATH] [--keep FOLDER]
              [--llvm-suffix=-22]

Each kernel is a pair: NAME.hlo for hloc, and NAME.mlir, the same as linalg on tensors with its result
as destination. NAME.mlir names its schedule at its top, a program of the transform dialect in
schedules/; schedules/lower.mlir and the passes below are common to all. Columns:

    run       microseconds of one call on one processor, the least of many, in turns; the ratio is
              linalg's over hloc's: above 1, hloc is faster
    compile   milliseconds of processor time of all processes together, the least of some, and in
              brackets less what an empty program takes
    object    bytes of code and constants
    error     largest difference from numpy's result in f64, in units of 1e-7 of the largest element
    lines     of the kernel's text; for linalg, and of its schedule; without comments

Arrays lie in pages of 4 KB, as malloc gives them, or of 2 MB. Needs numpy, mlir-opt, mlir-translate
and clang. The exit status is 1 if a result is wrong."""

import argparse
import ctypes
import mmap
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
LOWER_SCHEDULE = HERE / "schedules/lower.mlir"
HLOC = HERE.parent.parent.parent / "build/release/bin/hloc"
TYPES = {"f32": np.float32, "c64": np.complex64, "s32": np.int32}

ARENA = 1 << 24  # bytes, more than any of the modules here needs

# Each kernel in f64.
REFERENCES = {
    "column_sum": lambda a: a.sum(0),
    "complex_multiply": lambda a, b: a * b,
    "convolution": lambda a, f: sum(
        np.einsum("byxi,io->byxo", a[:, y:y + 56, x:x + 56], f[y, x])
        for y in range(3) for x in range(3)),
    "gemm_512": lambda a, b: a @ b,
    "gemm_ragged": lambda a, b: a @ b,
    "layer_norm": lambda a, g, b: (
        (a - a.mean(1, keepdims=True)) / np.sqrt(a.var(1, keepdims=True) + 1e-5) * g + b),
    "pieces": lambda table, rows, b: np.maximum(
        0, np.pad(np.concatenate([table[rows], b], 1), ((0, 0), (1, 3)))),
    "softmax": lambda a: (lambda e: e / e.sum(1, keepdims=True))(
        np.exp(a - a.max(1, keepdims=True))),
    "transpose_add": lambda a, b: a.T + b,
}
REFERENCES["pieces_by_hand"] = REFERENCES["pieces"]

# What follows a schedule: destinations become buffers, buffers are lowered to LLVM's dialect.
BUFFERS = [
    "canonicalize", "cse", "eliminate-empty-tensors", "empty-tensor-to-alloc-tensor",
    "one-shot-bufferize{bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map buffer-alignment=64}",
    "canonicalize", "drop-equivalent-buffer-results", "canonicalize", "cse",
    "func.func(buffer-hoisting,buffer-loop-hoisting)",
    "func.func(promote-buffers-to-stack{max-alloc-size-in-bytes=65536})",
    "buffer-deallocation-pipeline", "canonicalize", "cse",
]
LOWER = [
    "canonicalize", "cse", "func.func(convert-linalg-to-loops)",
    "func.func(convert-vector-to-scf{full-unroll target-rank=1})",
    "func.func(test-math-polynomial-approximation)", "func.func(lower-vector-multi-reduction)",
    "fold-memref-alias-ops", "canonicalize", "cse",
    "expand-strided-metadata", "lower-affine", "loop-invariant-code-motion",
    "convert-complex-to-standard", "convert-scf-to-cf",
    "convert-vector-to-llvm{reassociate-fp-reductions}", "convert-complex-to-llvm",
    "expand-strided-metadata", "lower-affine", "convert-math-to-llvm", "convert-index-to-llvm",
    "finalize-memref-to-llvm", "convert-func-to-llvm{use-bare-ptr-memref-call-conv}",
    "convert-arith-to-llvm", "convert-cf-to-llvm", "convert-ub-to-llvm",
    "reconcile-unrealized-casts", "canonicalize", "cse",
]

# Calls a function N times and returns the nanoseconds of the quickest call.
TIMER = r"""
#include <time.h>
typedef void (*fn4)(void *, void *, void *, void *, void *);
double timed(fn4 f, void **a, int n) {
  double best = 1e30;
  for (int i = 0; i < n; ++i) {
    struct timespec s, e;
    clock_gettime(CLOCK_MONOTONIC, &s);
    f(a[0], a[1], a[2], a[3], a[4]);
    clock_gettime(CLOCK_MONOTONIC, &e);
    double t = (e.tv_sec - s.tv_sec) * 1e9 + (e.tv_nsec - s.tv_nsec);
    if (t < best) best = t;
  }
  return best;
}
"""


def run(command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))[:400]}\n{done.stderr[:4000]}")
    return done.stdout


def least_seconds(programs, times=7):
    """The least processor time of each program's commands, as whole processes, in turns."""
    def spent():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    best = [float("inf")] * len(programs)
    for _ in range(times):
        for i, commands in enumerate(programs):
            start = spent()
            for command in commands:
                run(command)
            best[i] = min(best[i], spent() - start)
    return best


def linalg_commands(source, stem, schedules, suffix):
    def interpret(entry):
        return f"transform-interpreter{{entry-point={entry}}}"

    library = ",".join(str(s) for s in schedules)
    pipeline = ",".join([f"transform-preload-library{{transform-library-paths={library}}}",
                         interpret("schedule"), *BUFFERS, interpret("lower"), *LOWER])
    return [["mlir-opt" + suffix, source, f"--pass-pipeline=builtin.module({pipeline})",
             "-o", f"{stem}.llvm.mlir"],
            ["mlir-translate" + suffix, "--mlir-to-llvmir", f"{stem}.llvm.mlir", "-o", f"{stem}.ll"],
            ["clang" + suffix, "-O2", "-march=native", "-fno-math-errno", "-Wno-override-module",
             "-fPIC", "-c", f"{stem}.ll", "-o", f"{stem}.o"]]


def code_bytes(path, suffix):
    sizes = run(["llvm-size" + suffix, path]).splitlines()[1].split()
    return int(sizes[0]) + int(sizes[1])


def shapes(text):
    """Element types and shapes of the entry's parameters in order, then of its result."""
    entry = text[text.index("ENTRY"):]
    found = re.findall(r"(ROOT )?[\w.]+ = (\w+)\[([\d,]*)\]\S* (\w[\w-]*)\((\d*)", entry)
    found = [(root, op, int(n or 0), (TYPES[t], [int(d) for d in dims.split(",") if d]))
             for root, t, dims, op, n in found]
    parameters = sorted((f for f in found if f[1] == "parameter"), key=lambda f: f[2])
    return [f[3] for f in parameters], next(f[3] for f in found if f[0])


def random(dtype, shape, generator):
    if dtype == np.int32:  # indices
        return generator.integers(0, 100, shape, dtype=np.int32)
    values = generator.standard_normal(shape)
    if dtype == np.complex64:
        values = values + 1j * generator.standard_normal(shape)
    return values.astype(dtype)


def placed(array, large_pages):
    """A copy of an array in pages of its own of the kind asked for."""
    page = 1 << 21
    memory = mmap.mmap(-1, array.nbytes + page)
    memory.madvise(mmap.MADV_HUGEPAGE if large_pages else mmap.MADV_NOHUGEPAGE)
    raw = np.frombuffer(memory, np.uint8)
    start = -raw.ctypes.data % page
    copy = raw[start:start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def pointers(arrays):
    return (ctypes.c_void_p * 5)(*[a.ctypes.data for a in arrays])


def best_of_turns(timed, calls, seconds):
    """The least nanoseconds of each of the calls, which take turns for a while."""
    rounds = [max(1, int(2e7 / timed(f, p, 3))) for f, p in calls]
    best, end = [float("inf")] * len(calls), time.perf_counter() + seconds
    while time.perf_counter() < end:
        best = [min(b, timed(f, p, n)) for b, (f, p), n in zip(best, calls, rounds)]
    return best


def measure(name, folder, options, timer):
    suffix = options.llvm_suffix
    source, module = HERE / f"{name}.mlir", HERE / f"{name}.hlo"
    stem = folder / name
    schedule = HERE / "schedules" / re.search(r"// Schedule: (\S+)", source.read_text()).group(1)
    commands = linalg_commands(source, stem, [schedule, LOWER_SCHEDULE], suffix)
    for command in commands:
        run(command)
    run(["clang" + suffix, "-shared", f"{stem}.o", "-o", f"{stem}.so", "-lm"])
    run([options.hloc, module, "--threads=1", "--emit=shared", "-o", folder / f"h_{name}.so"])
    ours = [[options.hloc, module, "--threads=1", "-o", folder / f"h_{name}.o"]]

    inputs, (dtype, shape) = shapes(module.read_text())
    generator = np.random.default_rng(1)
    arguments = [placed(random(*i, generator), options.large_pages) for i in inputs]
    results = [placed(np.zeros(shape, dtype), options.large_pages) for _ in range(2)]
    arena = placed(np.zeros(ARENA, np.uint8), options.large_pages)
    upstream = ctypes.CDLL(f"{stem}.so").kernel
    hloc = getattr(ctypes.CDLL(str(folder / f"h_{name}.so")), f"h_{name}_run")
    a, r = pointers(arguments), pointers(results[:1])
    calls = [(hloc, (ctypes.c_void_p * 5)(None, ctypes.addressof(a), ctypes.addressof(r),
                                          arena.ctypes.data, None)),
             (upstream, pointers([*arguments, results[1]]))]
    least = best_of_turns(timer, calls, options.seconds)
    wide = {np.float32: np.float64, np.complex64: np.complex128, np.int32: np.int32}
    expected = REFERENCES[name](*[x.astype(wide[x.dtype.type]) for x in arguments])
    errors = [np.max(np.abs(x - expected)) / np.max(np.abs(expected)) for x in results]

    (folder / "empty.mlir").write_text("module {}\n")
    (folder / "one.hlo").write_text("HloModule one\n\nENTRY e {\n  ROOT p = f32[] parameter(0)\n}\n")
    none = [HERE / "schedules/none.mlir", LOWER_SCHEDULE]
    ours, our_base, theirs, base = least_seconds([
        [[options.hloc, module, "--threads=1", "-o", folder / f"h_{name}.o"]],
        [[options.hloc, folder / "one.hlo", "--threads=1", "-o", folder / "one.o"]],
        commands, linalg_commands(folder / "empty.mlir", folder / "empty", none, suffix)])

    def lines(path):
        return sum(1 for l in path.read_text().splitlines()
                   if l.strip() and not l.strip().startswith("//"))

    print(f"{name:18} {least[0] / 1e3:10.1f} {least[1] / 1e3:10.1f} {least[1] / least[0]:6.2f}"
          f"  {ours * 1e3:6.1f} ({(ours - our_base) * 1e3:5.1f})"
          f"  {theirs * 1e3:6.1f} ({(theirs - base) * 1e3:5.1f})"
          f"  {code_bytes(folder / f'h_{name}.o', suffix):7} {code_bytes(f'{stem}.o', suffix):7}"
          f" {errors[0] * 1e7:6.2f} {errors[1] * 1e7:6.2f}"
          f" {lines(module):6} {lines(source):5}+{lines(schedule)}", flush=True)
    return max(errors) < 1e-4


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--match", default="")
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--large-pages", action="store_true")
    parser.add_argument("--hloc", type=pathlib.Path, default=HLOC)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--llvm-suffix", default="-22")
    options = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "timer.c").write_text(TIMER)
        run(["clang" + options.llvm_suffix, "-O2", "-shared", "-fPIC", folder / "timer.c", "-o",
             folder / "timer.so"])
        timed = ctypes.CDLL(str(folder / "timer.so")).timed
        timed.restype = ctypes.c_double

        print(f"{'':18} {'run, us':>28}  {'compile, ms':>31} {'object':>15} {'error':>13} {'lines':>6}")
        print(f"{'kernel':18} {'hloc':>10} {'linalg':>10} {'ratio':>6}  {'hloc':>14}  {'linalg':>14}"
              f"  {'hloc':>7} {'linalg':>7} {'hloc':>6} {'linalg':>6} {'hloc':>6} {'linalg':>6}")
        same = [measure(source.stem, folder, options, timed)
                for source in sorted(HERE.glob("*.mlir"))
                if re.search(options.match, source.stem)]
    return 0 if all(same) else 1


if __name__ == "__main__":
    sys.exit(main())
