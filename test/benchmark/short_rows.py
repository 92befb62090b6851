#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds lengths of rows for which a kind of kernel is much slower than for others.

    short_rows.py [--mcpu NAME]... [--types LIST] [--lengths LIST] [--match REGEX]
                  [--limit FACTOR] [--seconds S] [--bin FOLDER]

Vectors seldom divide rows of a few elements, so kernels over them have many ways to be slow. For
each kind of kernel (KINDS), element type and processor, runs `hlo-run --benchmark` on arrays of
about 1 MiB whose rows have each of the lengths, and prints microseconds. A length is marked with `!`
if it takes more than FACTOR (default 3) times the median of all lengths of its line. The exit status
is 0 if none is marked."""

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

from predictions import BUILD

BYTES = {"f64": 8, "f32": 4, "s64": 8, "s32": 4, "s16": 2, "s8": 1, "u8": 1, "bf16": 2, "f16": 2}
ARRAY_BYTES = 1 << 20

# {T}: the element type, {R}: rows, {C}: their length, {D}: one more, {E}: two more, {G}: rows of
# each of 64 groups.
KINDS = {
    "scale rows": """
  p = {T}[{R},{C}] parameter(0)
  x = {T}[{R}] parameter(1)
  y = {T}[{R},{C}] broadcast(x), dimensions={{0}}
  ROOT r = {T}[{R},{C}] multiply(p, y)""",
    "scale columns": """
  p = {T}[{R},{C}] parameter(0)
  x = {T}[{C}] parameter(1)
  y = {T}[{R},{C}] broadcast(x), dimensions={{1}}
  ROOT r = {T}[{R},{C}] multiply(p, y)""",
    "sum rows": """
  p = {T}[{R},{C}] parameter(0)
  z = {T}[] constant(0)
  ROOT r = {T}[{R}] reduce(p, z), dimensions={{1}}, to_apply=add""",
    "sum columns": """
  p = {T}[{R},{C}] parameter(0)
  z = {T}[] constant(0)
  ROOT r = {T}[{C}] reduce(p, z), dimensions={{0}}, to_apply=add""",
    "sum within groups": """
  p = {T}[64,{G},{C}] parameter(0)
  z = {T}[] constant(0)
  ROOT r = {T}[64,{C}] reduce(p, z), dimensions={{1}}, to_apply=add""",
    "normalize in place": """
  p = {T}[{R},{C}] parameter(0)
  z = {T}[] constant(0)
  s = {T}[{C}] reduce(p, z), dimensions={{0}}, to_apply=add
  t = {T}[{R},{C}] broadcast(s), dimensions={{1}}
  d = {T}[{R},{C}] subtract(p, t)
  e = {T}[{R},{C}] multiply(d, d)
  v = {T}[{C}] reduce(e, z), dimensions={{0}}, to_apply=add
  w = {T}[{R},{C}] broadcast(v), dimensions={{1}}
  ROOT r = {T}[{R},{C}] multiply(d, w)""",
    "softmax": """
  p = {T}[{R},{C}] parameter(0)
  z = {T}[] constant(0)
  l = {T}[] constant(-inf)
  m = {T}[{R}] reduce(p, l), dimensions={{1}}, to_apply=largest
  n = {T}[{R},{C}] broadcast(m), dimensions={{0}}
  d = {T}[{R},{C}] subtract(p, n)
  e = {T}[{R},{C}] exponential(d)
  s = {T}[{R}] reduce(e, z), dimensions={{1}}, to_apply=add
  t = {T}[{R},{C}] broadcast(s), dimensions={{0}}
  ROOT r = {T}[{R},{C}] divide(e, t)""",
    "concatenate": """
  p = {T}[{R},{C}] parameter(0)
  q = {T}[{R},1] parameter(1)
  ROOT r = {T}[{R},{D}] concatenate(p, q), dimensions={{1}}""",
    "slice": """
  p = {T}[{R},{E}] parameter(0)
  ROOT r = {T}[{R},{C}] slice(p), slice={{[0:{R}], [1:{D}]}}""",
    "pad": """
  p = {T}[{R},{C}] parameter(0)
  z = {T}[] constant(0)
  ROOT r = {T}[{R},{E}] pad(p, z), padding=0_0x1_1""",
    "transpose": """
  p = {T}[{R},{C}] parameter(0)
  ROOT r = {T}[{C},{R}] transpose(p), dimensions={{1,0}}""",
    "gather": """
  p = {T}[1000,{C}] parameter(0)
  i = s32[{R}] parameter(1)
  ROOT r = {T}[{R},{C}] gather(p, i), offset_dims={{1}}, collapsed_slice_dims={{0}}, """
              """start_index_map={{0}}, index_vector_dim=1, slice_sizes={{1,{C}}}""",
}
FOLDS = """
add {{
  a = {T}[] parameter(0)
  b = {T}[] parameter(1)
  ROOT r = {T}[] add(a, b)
}}
largest {{
  a = {T}[] parameter(0)
  b = {T}[] parameter(1)
  ROOT r = {T}[] maximum(a, b)
}}
"""


def module(kind, element, length):
    rows = max(1, ARRAY_BYTES // BYTES[element] // length // 64) * 64
    body = FOLDS + "ENTRY main {{" + KINDS[kind] + "\n}}\n"
    return "HloModule rows\n" + body.format(T=element, R=rows, G=rows // 64, C=length, D=length + 1,
                                            E=length + 2)


def measure(text, cpu, options, folder):
    """Microseconds of one call."""
    file = folder / "module.hlo"
    file.write_text(text)
    command = [options.bin / "hlo-run", file, "--threads=1", f"--benchmark={options.seconds}",
               "--json"] + ([f"--mcpu={cpu}"] if cpu else [])
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{text}\n{done.stderr}")
    return json.loads(done.stdout)["run_seconds"] * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mcpu", action="append")
    parser.add_argument("--types", default="f32,s8,bf16,f64")
    parser.add_argument("--lengths", default="1,2,3,4,5,7,8,9,10,12,16,17,20,24,31,32,33,48,63,100")
    parser.add_argument("--match", default="")
    parser.add_argument("--limit", type=float, default=3)
    parser.add_argument("--seconds", type=float, default=0.03)
    parser.add_argument("--bin", type=pathlib.Path, default=BUILD)
    options = parser.parse_args()
    marked = 0
    with tempfile.TemporaryDirectory() as folder:
        for kind in filter(re.compile(options.match).search, KINDS):
            for element in options.types.split(","):
                if kind == "softmax" and element not in ("f64", "f32", "bf16", "f16"):
                    continue
                for cpu in options.mcpu or [""]:
                    times = {int(length): measure(module(kind, element, int(length)), cpu, options,
                                                  pathlib.Path(folder))
                             for length in options.lengths.split(",")}
                    most = options.limit * statistics.median(times.values())
                    marked += sum(time > most for time in times.values())
                    print(f"{kind}, {element}, {cpu or 'this processor'}:",
                          *(f"{length}:{time:.0f}{'!' if time > most else ''}"
                            for length, time in times.items()), flush=True)
    sys.exit(marked > 0)


if __name__ == "__main__":
    main()
