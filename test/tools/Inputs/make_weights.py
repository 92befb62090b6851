# SPDX-License-Identifier: Apache-2.0
"""make_weights.py FILE [NAME TYPE SHAPE VALUES]...: a file of weights, whose form its ending says:
.safetensors, .npz, .packed.npz (deflated), .npy or .gguf. TYPE is HLO's, SHAPE as 2x3 or "scalar",
VALUES as 1,2,3; they repeat until the array is full. bf16 is cut from f32. Nothing but Python is
needed."""

import json
import math
import struct
import sys
import zipfile

FORMATS = {"pred": "?", "s8": "b", "u8": "B", "s16": "h", "u16": "H", "s32": "i", "u32": "I", "s64": "q", "u64": "Q",
           "f16": "e", "f32": "f", "f64": "d", "f8e4m3fn": "B", "f8e5m2": "B"}
SAFETENSORS = {"pred": "BOOL", "bf16": "BF16", "f8e4m3fn": "F8_E4M3", "f8e5m2": "F8_E5M2"}
NUMPY = {"pred": "|b1", "bf16": "|V2", "f8e4m3fn": "|V1", "f8e5m2": "|V1"}
GGUF = {"f32": 0, "f16": 1, "q4_0": 2, "q8_0": 8, "s8": 24, "s16": 25, "s32": 26, "s64": 27, "f64": 28, "bf16": 30}


def elements(kind, shape, values):
    values = [values[i % len(values)] for i in range(math.prod(shape))]
    if kind == "q8_0":  # all blocks with a scale of 0.5
        return b"".join(struct.pack("<e32b", 0.5, *(int(2 * v) for v in values[i:i + 32]))
                        for i in range(0, len(values), 32))
    if kind == "q4_0":
        return bytes(18 * (len(values) // 32))
    if kind == "bf16":
        return b"".join(struct.pack("<f", v)[2:] for v in values)
    number = float if kind[0] == "f" and kind[1] != "8" else int
    return struct.pack(f"<{len(values)}{FORMATS[kind]}", *map(number, values))


def numpy_type(kind):
    letters = {"s": "i", "u": "u", "f": "f"}
    return NUMPY.get(kind) or f"<{letters[kind[0]]}{int(kind[1:]) // 8}"


def npy(kind, shape, data):
    header = f"{{'descr': '{numpy_type(kind)}', 'fortran_order': False, 'shape': ({''.join(f'{n}, ' for n in shape)}), }}"
    header = header.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def safetensors(arrays):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, kind, shape, bytes in arrays:
        header[name] = {"dtype": SAFETENSORS.get(kind) or kind.upper().replace("S", "I"), "shape": shape,
                        "data_offsets": [len(data), len(data) + len(bytes)]}
        data += bytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def gguf(arrays):
    def text(string):
        return struct.pack("<Q", len(string)) + string.encode()
    facts = text("general.name") + struct.pack("<I", 8) + text("test") \
        + text("some.list") + struct.pack("<IIQ3f", 9, 6, 3, 1, 2, 3)
    out, data = b"GGUF" + struct.pack("<IQQ", 3, len(arrays), 2) + facts, b""
    for name, kind, shape, bytes in arrays:
        out += text(name) + struct.pack("<I", len(shape)) + b"".join(struct.pack("<Q", n) for n in shape[::-1])
        out += struct.pack("<IQ", GGUF[kind], len(data))
        data += bytes + b"\0" * (-len(bytes) % 32)
    return out + b"\0" * (-len(out) % 32) + data


file, *rest = sys.argv[1:]
arrays = []
for name, kind, shape, values in zip(*[iter(rest)] * 4):
    shape = [] if shape == "scalar" else [int(n) for n in shape.split("x")]
    arrays.append((name, kind, shape, elements(kind, shape, [float(v) for v in values.split(",")])))
if file.endswith(".npz"):
    method = zipfile.ZIP_DEFLATED if file.endswith(".packed.npz") else zipfile.ZIP_STORED
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, kind, shape, bytes in arrays:
            archive.writestr(name + ".npy", npy(kind, shape, bytes))
else:
    with open(file, "wb") as out:
        if file.endswith(".npy"):
            out.write(npy(*arrays[0][1:]))
        else:
            out.write((safetensors if file.endswith(".safetensors") else gguf)(arrays))
