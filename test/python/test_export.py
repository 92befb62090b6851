# SPDX-License-Identifier: Apache-2.0
"""`python -m hloc`: what it writes compiles and runs, without Python."""

import shutil
import subprocess
import sys

import pytest

from conftest import TWICE

MODEL = """
import jax.numpy as jnp
import numpy as np
import hloc

parameters = {"w": np.full((3, 2), 2, np.float32), "b": np.zeros(2, np.float32)}

def layer(parameters, x):
    return x @ parameters["w"] + parameters["b"], x.sum()

def example():
    return parameters, np.ones((4, 3), np.float32)

def scale(x, n, unused):
    return x * 3, n + 1

class inner:
    jitted = hloc.jit(scale)

def wrong(x):
    return x @ x
"""


def run(*arguments, folder, status=0):
    done = subprocess.run([sys.executable, "-m", "hloc", *map(str, arguments)], cwd=folder, capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


def build_and_run(folder, name):
    """What the program prints, without the names of the results."""
    if not shutil.which("cmake"):
        pytest.skip("cmake is not installed")
    compiler = next(filter(None, map(shutil.which, ("clang++-22", "c++"))))
    for command in (["cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_CXX_COMPILER={compiler}"],
                    ["cmake", "--build", folder / "build"]):
        subprocess.run(command, check=True, capture_output=True)
    printed = subprocess.run([folder / "build" / f"{name}_host"], check=True, capture_output=True, text=True).stdout
    return [line.split(": ")[1] for line in printed.splitlines()]


def test_file(tmp_path):
    (tmp_path / "twice.hlo").write_text(TWICE)
    assert run("twice.hlo", "-o", "out", folder=tmp_path) == "out: twice.o, twice.h, CMakeLists.txt, host.cpp\n"
    assert build_and_run(tmp_path / "out", "twice") == ["2 2 2 2 2 2"]


def test_functions(tmp_path):
    pytest.importorskip("jax")
    (tmp_path / "model.py").write_text(MODEL)
    run("model:layer", "--arguments", "example", "--threads=1", folder=tmp_path)
    assert build_and_run(tmp_path / "layer", "layer") == ["4 4 4 4 4 4 4 4", "12"]
    run("model:layer", "--arguments", "example", "--prepare=parameters", "-o", "prepared", folder=tmp_path)
    assert build_and_run(tmp_path / "prepared", "layer") == ["4 4 4 4 4 4 4 4", "12"]
    for function in ("scale", "inner.jitted"):
        run(f"model:{function}", "f32[2,5]", "s32[]", "bf16[7]", "--name=scaled", "--cpu=x86-64-v2", folder=tmp_path)
        assert build_and_run(tmp_path / "scaled", "scaled") == ["3 3 3 3 3 3 3 3 ...", "1"]
        shutil.rmtree(tmp_path / "scaled")


def test_wrong_commands(tmp_path):
    pytest.importorskip("jax")
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "bad.hlo").write_text(TWICE.replace("add(x, x)", "add(x)"))
    for arguments, message in ((["model:none"], "no attribute 'none'"), (["nothing:f"], "No module named 'nothing'"),
                               (["none.hlo"], "there is no file `none.hlo`"),
                               (["model:scale", "float[3]"], "such as f32[8,64]"), ([], "required")):
        assert message in run(*arguments, folder=tmp_path, status=2)
    assert "bad.hlo:5:" in run("bad.hlo", folder=tmp_path, status=1)
