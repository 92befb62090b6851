#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What ragged dots cost beside the dots they stand for: one of static sizes for each group.

    test/benchmark/ragged.py [--hlo-run PATH] [--match REGEX] [--args "..."] [--most 1.2]

Groups have sizes that are data to the ragged dot and are known when the dots beside it are compiled. The two
programs run in turn; the least time of each counts. Prints the ratio of the two; exit code 1 if one is
greater than --most. Times say something only on a machine that does nothing else."""

import argparse
import math
import pathlib
import re
import struct
import sys
import tempfile

from bounded import ROUNDS, measure, write_array

EVEN, UNEVEN = [64] * 8, [37, 0, 131, 3, 150, 96, 22, 73]
SKEWED, LONG = [1, 0, 3, 900, 20, 50, 50, 0], [0, 700, 1, 1203, 80, 1500, 300, 312]
MANY = [i * 29 % 33 for i in range(64)]
SHORT = [20, 0, 51, 33, 47, 8, 64, 29, 3, 70, 41, 18, 0, 55, 38, 35]
# Rows of groups times a matrix each: sizes of groups, contracted elements, columns.
ROWS = {
    "rows, even": (EVEN, 256, 512),
    "rows, uneven": (UNEVEN, 256, 512),
    "rows, skewed": (SKEWED, 512, 512),
    "rows, many groups": (MANY, 256, 256),
    "rows, one group": ([512], 512, 512),
    "rows, few": ([2, 1, 0, 5, 0, 4, 1, 3], 1024, 1024),
}
# Products over a part of the depth each: sizes of groups, rows, columns.
DEPTH = {
    "depth, even": (EVEN, 256, 256),
    "depth, uneven": (UNEVEN, 512, 512),
    "depth, short groups": (SHORT, 256, 256),
    "depth, long groups": (LONG, 256, 256),
    "depth, one group": ([512], 512, 512),
}


def write_rows(kind, sizes, depth, columns):
    """The parameters of both programs, the ragged dot, and the dots with their results' names."""
    total, count = sum(sizes), len(sizes)
    shapes = [[total, depth], [count, depth, columns]]
    ragged = (f"{kind}[{total},{columns}] ragged-dot(a, b, sizes), lhs_contracting_dims={{1}}, "
              "rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}")
    dots, results, at = [], [], 0
    for g, size in enumerate(sizes):
        if size > 0:
            dots += [f"a{g} = {kind}[{size},{depth}] slice(a), slice={{[{at}:{at + size}],[0:{depth}]}}",
                     f"b{g} = {kind}[1,{depth},{columns}] slice(b), slice={{[{g}:{g + 1}],[0:{depth}],[0:{columns}]}}",
                     f"c{g} = {kind}[{depth},{columns}] reshape(b{g})",
                     f"d{g} = {kind}[{size},{columns}] dot(a{g}, c{g}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}"]
            results.append(f"d{g}")
        at += size
    return shapes, ragged, dots, results


def write_depth(kind, sizes, rows, columns):
    """The same for groups of the contracting dimension."""
    total, count = sum(sizes), len(sizes)
    shapes = [[rows, total], [total, columns]]
    ragged = (f"{kind}[{count},{rows},{columns}] ragged-dot(a, b, sizes), lhs_contracting_dims={{1}}, "
              "rhs_contracting_dims={0}, lhs_ragged_dims={1}")
    dots, results, at = [f"zero = {kind}[] constant(0)"], [], 0
    for g, size in enumerate(sizes):
        dots += [f"a{g} = {kind}[{rows},{size}] slice(a), slice={{[0:{rows}],[{at}:{at + size}]}}",
                 f"b{g} = {kind}[{size},{columns}] slice(b), slice={{[{at}:{at + size}],[0:{columns}]}}",
                 f"d{g} = {kind}[{rows},{columns}] dot(a{g}, b{g}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}"
                 if size > 0 else f"d{g} = {kind}[{rows},{columns}] broadcast(zero), dimensions={{}}"]
        results.append(f"d{g}")
        at += size
    return shapes, ragged, dots, results


def write_programs(folder, kind, writer, sizes, *shape):
    """Files and inputs of the two programs."""
    shapes, ragged, dots, results = writer(kind, sizes, *shape)
    inputs = []
    for number, dims in enumerate(shapes):
        values = [(i * 37 % 64) / 64 - 0.5 for i in range(math.prod(dims))]
        if kind == "bf16":
            values = [struct.unpack("<I", struct.pack("<f", value))[0] >> 16 for value in values]
        inputs.append(write_array(folder / f"in{number}.npy", "<u2" if kind == "bf16" else "<f4", dims, values))
    parameters = [f"{name} = {kind}[{','.join(map(str, dims))}] parameter({i})" for i, (name, dims) in enumerate(zip("ab", shapes))]
    groups = f"sizes = s32[{len(sizes)}] parameter(2)"
    programs = {"ragged": [*parameters, groups, f"ROOT r = {ragged}"], "dots": [*parameters, *dots, f"ROOT r = tuple({', '.join(results)})"]}
    for name, lines in programs.items():
        (folder / f"{name}.hlo").write_text(f"HloModule {name}\n\nENTRY main {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n")
    return [[folder / "dots.hlo", *inputs], [folder / "ragged.hlo", *inputs, write_array(folder / "in2.npy", "<i4", [len(sizes)], sizes)]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hlo-run", default="build/release/bin/hlo-run")
    parser.add_argument("--match", default="", help="programs, a regular expression")
    parser.add_argument("--args", default="-O3 --threads=1", help="further options of hlo-run")
    parser.add_argument("--most", type=float, default=1.2, help="the greatest ratio that is well")
    options = parser.parse_args()
    worst = 0
    cases = [(f"{name}, {kind}", kind, writer, case) for kind in ("f32", "bf16")
             for writer, table in ((write_rows, ROWS), (write_depth, DEPTH)) for name, case in table.items()]
    with tempfile.TemporaryDirectory() as name:
        for program, kind, writer, case in cases:
            if not re.search(options.match, program):
                continue
            programs = write_programs(pathlib.Path(name), kind, writer, *case)
            commands = [[options.hlo_run, *program, *options.args.split()] for program in programs]
            times = [min(pair) for pair in zip(*[[measure(command) for command in commands] for _ in range(ROUNDS)])]
            ratio = times[1] / times[0]
            worst = max(worst, ratio)
            print(f"{program:36} dots {times[0] * 1e6:9.1f} us   ragged {times[1] * 1e6:9.1f} us   {ratio:5.2f}", flush=True)
    return 1 if worst > options.most else 0


if __name__ == "__main__":
    sys.exit(main())
