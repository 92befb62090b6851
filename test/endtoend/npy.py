# SPDX-License-Identifier: Apache-2.0
"""Reads .npy files as plain Python numbers, so that the tests need no NumPy."""

import ast
import math
import struct

FORMATS = {"b1": "?", "i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q",
           "u8": "Q", "f2": "e", "f4": "f", "f8": "d", "c8": "f", "c16": "d"}


class Array:
    """A row-major array as stored: its type ("f4", "i8", ...), shape and flat values."""

    def __init__(self, file):
        data = file.read_bytes()
        if data[:6] != b"\x93NUMPY":
            raise ValueError(f"{file.name} is not an .npy file")
        size = 2 if data[6] == 1 else 4
        length = int.from_bytes(data[8:8 + size], "little")
        header = ast.literal_eval(data[8 + size:8 + size + length].decode("latin1"))
        if header["fortran_order"] and len(header["shape"]) > 1:
            raise ValueError(f"{file.name} is in Fortran order")
        self.type = header["descr"].lstrip("<|=")
        self.shape = list(header["shape"])
        body = data[8 + size + length:]
        parts = 2 if self.type[0] == "c" else 1
        count = math.prod(self.shape) * parts
        values = struct.unpack(f"<{count}{FORMATS[self.type]}", body)
        self.values = [complex(*pair) for pair in zip(values[::2], values[1::2])] if parts == 2 else values


def small_float(bits, exponent_bits, mantissa_bits, infinities):
    """The value of an IEEE-like bit pattern; without infinities only all ones is NaN."""
    sign = -1.0 if bits >> (exponent_bits + mantissa_bits) else 1.0
    exponent = bits >> mantissa_bits & (1 << exponent_bits) - 1
    mantissa = bits & (1 << mantissa_bits) - 1
    bias = (1 << exponent_bits - 1) - 1
    if exponent == (1 << exponent_bits) - 1:
        if infinities:
            return math.nan if mantissa else sign * math.inf
        if mantissa == (1 << mantissa_bits) - 1:
            return math.nan
    if exponent == 0:
        return sign * math.ldexp(mantissa, 1 - bias - mantissa_bits)
    return sign * math.ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits)


def decode(array, dtype):
    """The flat values that an array in its storage type denotes as HLO's `dtype`."""
    if dtype == "bf16":
        return list(struct.unpack(f"<{len(array.values)}f",
                                  b"".join(struct.pack("<I", v << 16) for v in array.values)))
    if dtype == "f8e5m2":
        return [small_float(v, 5, 2, True) for v in array.values]
    if dtype == "f8e4m3fn":
        return [small_float(v, 4, 3, False) for v in array.values]
    return array.values
