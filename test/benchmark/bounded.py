#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What sizes known at run time cost: programs of bounded sizes beside the same ones of static sizes.

    test/benchmark/bounded.py [--hlo-run PATH] [--match REGEX] [--args "..."] [--most 1.2]

Each program runs on arrays as large as the bounds, in turn with its static form; the least time of each
counts. Prints the ratio of the two; exit code 1 if one is greater than --most. Times say something only
on a machine that does nothing else."""

import argparse
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ROUNDS, SECONDS = 5, 0.1
ADD = "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[] add(a, b)\n}\n\n"
# `<N>` is a size that is bounded in one form and static in the other.
PROGRAMS = {
    "chain": """ENTRY main {
  x = f32[<1024>,1024] parameter(0)
  y = f32[<1024>,1024] parameter(1)
  s = f32[<1024>,1024] add(x, y)
  m = f32[<1024>,1024] multiply(s, x)
  d = f32[<1024>,1024] subtract(m, y)
  ROOT r = f32[<1024>,1024] maximum(d, x)
}""",
    "chain of functions": """ENTRY main {
  x = f32[<512>,512] parameter(0)
  t = f32[<512>,512] tanh(x)
  e = f32[<512>,512] exponential(t)
  ROOT r = f32[<512>,512] multiply(e, x)
}""",
    "chain in rows": """ENTRY main {
  x = f32[1024,<1024>] parameter(0)
  y = f32[1024,<1024>] parameter(1)
  s = f32[1024,<1024>] add(x, y)
  ROOT r = f32[1024,<1024>] multiply(s, x)
}""",
    "dot, bounded rows": """ENTRY main {
  x = f32[<512>,512] parameter(0)
  y = f32[512,512] parameter(1)
  ROOT r = f32[<512>,512] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}""",
    "dot, bounded depth": """ENTRY main {
  x = f32[512,<512>] parameter(0)
  y = f32[<512>,512] parameter(1)
  ROOT r = f32[512,512] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}""",
    "dot, all bounded": """ENTRY main {
  x = f32[<512>,<512>] parameter(0)
  y = f32[<512>,<512>] parameter(1)
  ROOT r = f32[<512>,<512>] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}""",
    "batch of dots": """ENTRY main {
  x = f32[<16>,128,64] parameter(0)
  y = f32[<16>,64,128] parameter(1)
  ROOT r = f32[<16>,128,128] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
}""",
    "matrix times vector, bounded depth": """ENTRY main {
  x = f32[1024,<1024>] parameter(0)
  y = f32[<1024>] parameter(1)
  ROOT r = f32[1024] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}""",
    "vector times matrix, bounded depth": """ENTRY main {
  x = f32[<1024>] parameter(0)
  y = f32[<1024>,1024] parameter(1)
  ROOT r = f32[1024] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}
}""",
    "sum of rows": ADD + """ENTRY main {
  x = f32[1024,<1024>] parameter(0)
  zero = f32[] constant(0)
  ROOT r = f32[1024] reduce(x, zero), dimensions={1}, to_apply=add
}""",
    "sum of columns": ADD + """ENTRY main {
  x = f32[<1024>,1024] parameter(0)
  zero = f32[] constant(0)
  ROOT r = f32[1024] reduce(x, zero), dimensions={0}, to_apply=add
}""",
    "sum of all": ADD + """ENTRY main {
  x = f32[<1024>,<1024>] parameter(0)
  zero = f32[] constant(0)
  ROOT r = f32[] reduce(x, zero), dimensions={0,1}, to_apply=add
}""",
    "mean square of rows": ADD + """ENTRY main {
  x = f32[<1024>,1024] parameter(0)
  s = f32[<1024>,1024] multiply(x, x)
  zero = f32[] constant(0)
  m = f32[<1024>] reduce(s, zero), dimensions={1}, to_apply=add
  b = f32[<1024>,1024] broadcast(m), dimensions={0}
  ROOT r = f32[<1024>,1024] divide(x, b)
}""",
}


def write_array(path, form, shape, values):
    """A .npy file of numbers of the type `form`; the option of hlo-run that reads it."""
    sizes = "".join(f"{size}," for size in shape)
    header = f"{{'descr': '{form}', 'fortran_order': False, 'shape': ({sizes})}}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    code = {"<f4": "f", "<u2": "H", "<i4": "i"}[form]
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{code}", *values))
    return f"--input={path}"


def write_inputs(text, folder):
    """Small numbers for each parameter, of the full sizes."""
    options = []
    for number, sizes in enumerate(re.findall(r"= f32\[([\d,]*)\] parameter\(\d+\)", text[text.index("ENTRY"):])):
        shape = [int(size) for size in sizes.split(",")]
        values = [(i * 37 % 64) / 64 - 0.5 for i in range(math.prod(shape))]
        options.append(write_array(folder / f"in{number}.npy", "<f4", shape, values))
    return options


def measure(command):
    done = subprocess.run([*command, "--json", f"--benchmark={SECONDS}"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout[done.stdout.index("{"):])["run_seconds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hlo-run", default="build/release/bin/hlo-run")
    parser.add_argument("--match", default="", help="programs, a regular expression")
    parser.add_argument("--args", default="-O3 --threads=1", help="further options of hlo-run")
    parser.add_argument("--most", type=float, default=1.2, help="the greatest ratio that is well")
    options = parser.parse_args()
    worst = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for program, body in PROGRAMS.items():
            if not re.search(options.match, program):
                continue
            commands = []
            for form, mark in (("static", ""), ("bounded", "<=")):
                text = f"HloModule {form}\n\n" + re.sub(r"<(\d+)>", rf"{mark}\1", body) + "\n"
                path = folder / f"{form}.hlo"
                path.write_text(text)
                inputs = write_inputs(text, folder) if form == "static" else inputs
                commands.append([options.hlo_run, path, *inputs, *options.args.split()])
            times = [min(pair) for pair in zip(*[[measure(command) for command in commands] for _ in range(ROUNDS)])]
            ratio = times[1] / times[0]
            worst = max(worst, ratio)
            print(f"{program:36} static {times[0] * 1e6:9.1f} us   bounded {times[1] * 1e6:9.1f} us   {ratio:5.2f}", flush=True)
    return 1 if worst > options.most else 0


if __name__ == "__main__":
    sys.exit(main())
