#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calls a compiled module from Python: the digit classifier as a shared library, through ctypes.

    python.py --hloc PATH --digits FOLDER

Reads what the module says of itself (hlort_module in hlort/hlort.h), gives it NumPy's memory, and
checks its answers."""

import argparse
import ctypes
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ELEMENT_TYPES = {1: np.bool_, 4: np.int32, 11: np.float32, 12: np.float64}  # hlort_element_type


class Port(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("element_type", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("dims", ctypes.POINTER(ctypes.c_int64)),
                ("minor_to_major", ctypes.POINTER(ctypes.c_int64)), ("bytes", ctypes.c_int64),
                ("alias", ctypes.c_int64), ("sizes", ctypes.POINTER(ctypes.c_int64)), ("size_of", ctypes.c_int64)]

    def empty(self):
        array = np.empty(self.dims[:self.rank], ELEMENT_TYPES[self.element_type])
        assert self.minor_to_major[:self.rank] == list(reversed(range(self.rank)))
        assert array.nbytes == self.bytes
        return array


class Status(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int32), ("message", ctypes.c_char * 256)]


Pointers = ctypes.POINTER(ctypes.c_void_p)
Entry = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, Pointers, Pointers, ctypes.c_void_p,
                         ctypes.POINTER(Status))


class Module(ctypes.Structure):
    _fields_ = [("abi_version", ctypes.c_int32), ("reserved", ctypes.c_int32), ("name", ctypes.c_char_p),
                ("target", ctypes.c_char_p), ("run", Entry), ("argument_count", ctypes.c_int64),
                ("arguments", ctypes.POINTER(Port)), ("result_count", ctypes.c_int64),
                ("results", ctypes.POINTER(Port)), ("arena_bytes", ctypes.c_int64),
                ("arena_alignment", ctypes.c_int64)]

    def __call__(self, *arguments):
        """Results as arrays; the memory for temporaries is left to the module."""
        results = [port.empty() for port in self.results[:self.result_count]]
        status = Status()
        self.run(None, pointers(arguments), pointers(results), None, ctypes.byref(status))
        if status.code:
            raise RuntimeError(status.message.decode())
        return results


def pointers(arrays):
    return (ctypes.c_void_p * len(arrays))(*(a.ctypes.data if a is not None else None for a in arrays))


def read_pictures(file):
    levels = "0123456789abcdefg"
    rows = [line.split() for line in file.read_text().splitlines()]
    labels = np.array([int(label) for label, _ in rows])
    pictures = np.array([[levels.index(c) for c in pixels] for _, pixels in rows], np.float32)
    return pictures.reshape(-1, 8, 8), labels


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hloc", required=True)
    parser.add_argument("--digits", type=pathlib.Path, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        library = pathlib.Path(scratch, "digits.so")
        subprocess.run([options.hloc, options.digits / "digits.hlo", "--emit=shared", "--check-buffers", "-o", library],
                       check=True)
        loaded = ctypes.CDLL(library)
    module = Module.in_dll(loaded, "digits_module")
    assert module.name == b"digits", module.name
    assert module.argument_count == 1 and module.result_count == 1
    assert module.arguments[0].name == b"image", module.arguments[0].name

    pictures, labels = read_pictures(options.digits / "heldout.txt")
    answers = [module(np.ascontiguousarray(picture))[0] for picture in pictures]
    for probabilities in answers:
        assert abs(probabilities.sum() - 1) < 1e-5
    accuracy = np.mean([a.argmax() for a in answers] == labels)
    print(f"{accuracy:.2%} of {len(labels)} pictures right")
    if accuracy < 0.98:
        sys.exit("too few")

    try:
        module(None)
    except RuntimeError as error:
        print(f"without a picture: {error}")
    else:
        sys.exit("a null argument was accepted")


if __name__ == "__main__":
    main()
