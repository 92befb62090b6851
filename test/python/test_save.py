# SPDX-License-Identifier: Apache-2.0
"""Saved modules: for C and C++, and loaded again."""

import ctypes
import subprocess
import sys

import numpy as np
import pytest

import hloc
from conftest import one_operation

LARGE = one_operation("large", ["f32[512,512]{1,0}"], "f32[512,512]{1,0}",
                      "dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}")


def test_save_and_load(twice, tmp_path):
    executable = hloc.compile(twice)
    executable.save(tmp_path / "two.so")
    assert "twice_run" in (tmp_path / "two.h").read_text()
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for options in ({}, {"threads": 1}, {"threads": 2}, {"context": hloc.Context(2)}):
        loaded = hloc.load(tmp_path / "two.so", **options)
        assert (loaded.name, loaded.arguments) == ("twice", executable.arguments)
        np.testing.assert_array_equal(loaded(x)[0], 2 * x)
    with pytest.raises(hloc.RunError, match="only what was compiled"):
        loaded.save(tmp_path / "again.so")


def test_same_bits_as_before(tmp_path):
    executable = hloc.compile(LARGE)
    executable.save(tmp_path / "large.so")
    x = np.random.default_rng(1).random((512, 512), np.float32)
    np.testing.assert_array_equal(hloc.load(tmp_path / "large.so")(x)[0], executable(x)[0])


def test_load_in_another_process(twice, tmp_path):
    hloc.compile(twice).save(tmp_path / "two.so")
    program = f"import hloc, numpy; print(hloc.load({str(tmp_path / 'two.so')!r})(numpy.ones((2, 3), 'f4'))[0].sum())"
    assert subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout == "12.0\n"


def test_without_hloc(twice, tmp_path):
    hloc.compile(twice, threads=1).save(tmp_path / "two.so")
    run = ctypes.CDLL(str(tmp_path / "two.so")).twice_run
    x, y = np.ones((2, 3), np.float32), np.zeros((2, 3), np.float32)
    pointers = ctypes.c_void_p * 1
    assert run(None, pointers(x.ctypes.data), pointers(y.ctypes.data), None, None) == 0
    assert y.sum() == 12


def test_what_cannot_be_loaded(twice, tmp_path):
    with pytest.raises(FileNotFoundError):
        hloc.load(tmp_path / "none.so")
    (tmp_path / "text.so").write_text("no library")
    for path in (tmp_path / "text.so", sys.executable):
        with pytest.raises(hloc.HlocError):
            hloc.load(path)
    with pytest.raises(hloc.RunError, match="cannot write"):
        hloc.compile(twice).save(tmp_path / "none" / "x.so")
