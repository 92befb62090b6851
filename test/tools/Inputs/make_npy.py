# SPDX-License-Identifier: Apache-2.0
"""make_npy.py FILE TYPE SHAPE [VALUE...]: an .npy file, such as make_npy.py x.npy "<f4" 2x3 1 2.

SHAPE "scalar" is rank 0, and "fortran:2x3" column-major. A complex value is two, its real and its
imaginary part. Values repeat until the array is full (0 without any)."""

import math
import struct
import sys

FORMATS = {"b1": "?", "i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q",
           "u8": "Q", "f2": "e", "f4": "f", "f8": "d", "c8": "f", "c16": "d"}

file, kind, shape, *values = sys.argv[1:]
order, _, dims = shape.rpartition(":")
dims = [] if dims == "scalar" else [int(n) for n in dims.split("x")]
numbers = [float(v) if kind[1] in "fc" else int(v, 0) for v in values] or [0]
count = math.prod(dims) * (2 if kind[1] == "c" else 1)
header = f"{{'descr': '{kind}', 'fortran_order': {order == 'fortran'}, 'shape': ({''.join(f'{n}, ' for n in dims)}), }}"
header = header.ljust(117) + "\n"
with open(file, "wb") as out:
    out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    out.write(struct.pack(f"{'>' if kind[0] == '>' else '<'}{count}{FORMATS[kind[1:]]}",
                          *(numbers[i % len(numbers)] for i in range(count))))
