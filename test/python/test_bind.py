# SPDX-License-Identifier: Apache-2.0
"""Parameters that are bound to arrays and files."""

import subprocess
import sys

import numpy as np
import pytest

import hloc

AFFINE = """HloModule affine

ENTRY main {
  x = f32[3]{0} parameter(0)
  w = f32[3,50]{1,0} parameter(1), metadata={op_name="params['layers'][0]['w']"}
  b = f32[50]{0} parameter(2), metadata={op_name="params['b']"}
  product = f32[50]{0} dot(x, w), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  ROOT sum = f32[50]{0} add(product, b)
}
"""
W = np.arange(150, dtype=np.float32).reshape(3, 50)
B = np.arange(50, dtype=np.float32)
X = np.array([1, 2, 3], np.float32)
EXPECTED = X @ W + B


def check(executable):
    assert [a.name for a in executable.arguments] == ["x"]
    np.testing.assert_array_equal(executable(X)[0], EXPECTED)


def test_arrays_and_trees():
    check(hloc.compile(AFFINE, bind={"params": {"layers": [{"w": W}], "b": B}}))
    check(hloc.compile(AFFINE, bind={"w": W, "params['b']": B}))
    executable = hloc.compile(AFFINE, bind={"w": np.asfortranarray(W), "b": B[::-1][::-1]})
    check(executable)
    assert [(b.name, b.type) for b in executable.bound] == [("params['layers'][0]['w']", "f32[3,50]"), ("params['b']", "f32[50]")]
    assert repr(executable) == "<hloc.Executable affine(x: f32[3]) -> (f32[50])>"


def test_files(tmp_path):
    np.savez(tmp_path / "weights.npz", **{"layers.0.w": W, "b": B})
    np.save(tmp_path / "b.npy", B)
    check(hloc.compile(AFFINE, bind_all=tmp_path / "weights.npz"))
    check(hloc.compile(AFFINE, bind={"b": tmp_path / "b.npy"}, bind_all=[str(tmp_path / "weights.npz")]))
    executable = hloc.compile(AFFINE, bind={"w": f"{tmp_path / 'weights.npz'}:layers.0.w", "b": B})
    assert executable.bound[0].source == "weights.npz:layers.0.w"
    check(executable)


def test_types_that_numpy_lacks():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    text = """HloModule types

ENTRY main {
  a = bf16[4]{0} parameter(0)
  b = s4[4]{0} parameter(1)
  fa = f32[4]{0} convert(a)
  fb = f32[4]{0} convert(b)
  ROOT sum = f32[4]{0} add(fa, fb)
}
"""
    executable = hloc.compile(text, bind={"a": np.array([1, 2, 3, 4], ml_dtypes.bfloat16),
                                          "b": np.array([1, -1, 7, -8], ml_dtypes.int4)})
    np.testing.assert_array_equal(executable()[0], [2, 1, 10, -4])


def test_saved(tmp_path):
    executable = hloc.compile(AFFINE, bind={"w": W, "b": B}, name="net")
    executable.save(tmp_path / "affine.so")
    assert executable.weights_file == "net.weights"
    assert (tmp_path / "net.weights").read_bytes() == executable.weights
    check(hloc.load(tmp_path / "affine.so"))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "affine.so").rename(tmp_path / "elsewhere" / "affine.so")
    program = f"""import hloc, numpy
try:
    hloc.load("elsewhere/affine.so")(numpy.ones(3, "f4"))
except hloc.RunError as error:
    print(error)
print(hloc.load("elsewhere/affine.so", weights="net.weights")(numpy.ones(3, "f4"))[0][:2])"""
    said = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert "elsewhere/net.weights cannot be opened: No such file" in said
    assert said.endswith("[150. 154.]\n")


def test_what_is_refused(tmp_path):
    with pytest.raises(hloc.CompileError, match=r"the parameter 'params\['b'\]' is f32\[50\], but an array is f32\[49\]") as error:
        hloc.compile(AFFINE, bind={"b": B[1:]})
    assert error.value.line == 6
    with pytest.raises(hloc.CompileError, match="is f64"):
        hloc.compile(AFFINE, bind={"b": B.astype(np.float64)})
    with pytest.raises(hloc.CompileError, match="the entry has no parameter 'c'"):
        hloc.compile(AFFINE, bind={"c": B})
    with pytest.raises(hloc.CompileError, match="No such file"):
        hloc.compile(AFFINE, bind_all=tmp_path / "none.npz")
    with pytest.raises(TypeError, match="bound to an array of <U1"):
        hloc.compile(AFFINE, bind={"b": np.array(["a"])})


def test_jax_function():
    jax = pytest.importorskip("jax")
    params = {"layers": [{"w": jax.numpy.asarray(W)}], "b": jax.numpy.asarray(B)}

    def predict(params, x):
        return x @ params["layers"][0]["w"] + params["b"]

    executable = hloc.compile(jax.jit(predict).lower(params, X), bind={"params": params})
    check(executable)
