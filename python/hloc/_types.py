# SPDX-License-Identifier: Apache-2.0
"""HLO's element types and NumPy's."""

from __future__ import annotations

import numpy as np

# The number of each in hlort.h (XLA's), its name in HLO, and NumPy's or ml_dtypes' name for it.
_TYPES = {
    1: ("pred", "bool"), 2: ("s8", "int8"), 3: ("s16", "int16"), 4: ("s32", "int32"), 5: ("s64", "int64"),
    6: ("u8", "uint8"), 7: ("u16", "uint16"), 8: ("u32", "uint32"), 9: ("u64", "uint64"),
    10: ("f16", "float16"), 11: ("f32", "float32"), 12: ("f64", "float64"), 15: ("c64", "complex64"),
    16: ("bf16", "bfloat16"), 18: ("c128", "complex128"), 19: ("f8e5m2", "float8_e5m2"),
    20: ("f8e4m3fn", "float8_e4m3fn"), 21: ("s4", "int4"), 22: ("u4", "uint4"),
    23: ("f8e4m3b11fnuz", "float8_e4m3b11fnuz"), 24: ("f8e5m2fnuz", "float8_e5m2fnuz"),
    25: ("f8e4m3fnuz", "float8_e4m3fnuz"), 26: ("s2", "int2"), 27: ("u2", "uint2"),
    28: ("f8e4m3", "float8_e4m3"), 29: ("f8e3m4", "float8_e3m4"), 32: ("f4e2m1fn", "float4_e2m1fn"),
    33: ("f8e8m0fnu", "float8_e8m0fnu")}

_PACKED_BITS = {21: 4, 22: 4, 26: 2, 27: 2, 32: 4}


def hlo_name(number: int) -> str:
    """HLO's name of an element type, such as "f32"."""
    return _TYPES[number][0] if number in _TYPES else f"element type {number}"


def packed_bits(number: int) -> int:
    """Bits of an element of a type that is packed in memory; 0 for other types."""
    return _PACKED_BITS.get(number, 0)


def numpy_type(number: int) -> np.dtype:
    """The type of NumPy arrays with such elements; many are from the package ml_dtypes."""
    if number not in _TYPES:
        raise TypeError(f"NumPy has no arrays of {hlo_name(number)}")
    hlo, name = _TYPES[number]
    if number <= 15 or number == 18:
        return np.dtype(name)
    try:
        import ml_dtypes
    except ImportError:
        raise TypeError(f"arrays of {hlo} need the package ml_dtypes") from None
    if not hasattr(ml_dtypes, name):
        raise TypeError(f"arrays of {hlo} need a newer package ml_dtypes")
    return np.dtype(getattr(ml_dtypes, name))


def pack(array: np.ndarray, bits: int) -> np.ndarray:
    """Packs elements of less than a byte, the first in the low bits, into a one-dimensional array of bytes."""
    count = 8 // bits
    elements = array.reshape(-1).view(np.uint8) & np.uint8((1 << bits) - 1)
    elements = np.concatenate([elements, np.zeros(-len(elements) % count, np.uint8)]).reshape(-1, count)
    shifts = np.arange(count, dtype=np.uint8) * np.uint8(bits)
    return np.bitwise_or.reduce(elements << shifts, axis=1).astype(np.uint8)


def unpack(data: np.ndarray, bits: int, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """The inverse of `pack`."""
    shifts = np.arange(8 // bits, dtype=np.uint8) * np.uint8(bits)
    elements = (data[:, None] >> shifts).reshape(-1) & np.uint8((1 << bits) - 1)
    elements = elements[:int(np.prod(shape, dtype=np.int64))]
    if dtype.name.startswith("int"):
        sign = 1 << (bits - 1)
        return ((elements.astype(np.int8) ^ sign) - sign).astype(dtype).reshape(shape)
    return elements.view(dtype).reshape(shape)
