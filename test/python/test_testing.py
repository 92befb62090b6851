# SPDX-License-Identifier: Apache-2.0
"""The plugin hloc.testing, in a pytest of its own."""

import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("jax", reason="JAX is not installed")
from hloc.testing import describe_difference  # noqa: E402

GOOD = """
import functools
import jax
import jax.numpy as jnp

@jax.jit
def layer(x):
    return {"y": jnp.tanh(x @ x.T), "n": x.sum().astype(jnp.int32)}

@functools.partial(jax.jit, static_argnames="n", donate_argnums=0)
def power(x, n):
    return x ** n

class Model:
    @functools.partial(jax.jit, static_argnums=0)
    def scaled(self, x):
        return x * 2

def test_layer():
    assert layer(jnp.ones((3, 4)))["n"] == 12

def test_donated_and_static():
    x = jnp.full(3, 2.0)
    assert power(x, n=3)[0] == 8

def test_traced():
    assert jax.grad(lambda x: layer(x)["y"].sum())(jnp.ones((2, 2))).shape == (2, 2)
    assert Model().scaled(jnp.ones(2)).shape == (2,)
    assert layer.lower(jnp.ones((2, 2))).as_text()

def test_keys():
    key = jax.jit(jax.random.key)(0)
    assert jax.jit(lambda key: jax.random.normal(jax.random.split(key)[0], (3,)))(key).shape == (3,)

def test_traced_without_tracers():
    from jax.experimental import checkify
    def positive(x):
        checkify.check(x > 0, "not positive")
        return x
    error, _ = checkify.checkify(jax.jit(positive))(jnp.float32(-1))
    assert error.get()

def test_as_the_tests_of_jax_do():
    from jax._src import api
    assert api.jit(lambda x: x + 1)(1.0) == 2

def test_rounding_is_no_fault():
    jax.jit(lambda x: jnp.sum((x - 1.5) * 1e3))(jnp.linspace(1, 2, 1000))

def test_derivatives_by_integers():
    jax.jit(jax.grad(lambda n: n * 2.0, allow_int=True))(1)

def test_callback():
    assert jax.jit(lambda x: jax.pure_callback(lambda x: x, x, x))(1.0) == 1

def test_callback_with_effects():
    seen = []
    jax.jit(lambda x: jax.experimental.io_callback(seen.append, None, x))(1.0)
    jax.effects_barrier()
    assert seen == [1]

def test_errors_are_the_functions_own():
    import pytest
    with pytest.raises(ZeroDivisionError):
        jax.jit(lambda x: x * (1 // 0))(1.0)
"""

BAD = """
import hloc, jax, jax.numpy as jnp

call = hloc.Executable.__call__

def faulty(self, *arguments):
    results = call(self, *arguments)
    if len(results[0]) == 4:
        raise KeyError("a fault of its own")
    return tuple(result + 1 for result in results)

hloc.Executable.__call__ = faulty

def test_raises():
    jax.jit(lambda x: x * 3)(jnp.ones(4))

def test_wrong():
    assert jax.jit(lambda x: x * 2)(jnp.ones(3))[0] == 2
"""


def run(folder, text):
    pytest.importorskip("jax", reason="JAX is not installed")
    (folder / "test_it.py").write_text(text)
    done = subprocess.run([sys.executable, "-m", "pytest", "-p", "hloc.testing", "-p", "no:cacheprovider", "test_it.py"],
                          cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout


def test_agreement(tmp_path):
    status, printed = run(tmp_path, GOOD)
    assert status == 0, printed
    assert "9 of 10 calls ran both, 0 results differ; 1 not supported, 0 refused, 0 failed; 0 not looked at" in printed, printed
    assert "python_cpu_callback', a Python function of the process that printed the module, is neither registered nor built in (first in test_it.py::test_callback_with_effects)" in printed, printed


def test_difference(tmp_path):
    status, printed = run(tmp_path, BAD)
    assert status == 1
    assert "result 0 of <lambda>: 3 of 3 elements differ, the first at [0]: 3.0 instead of 2.0" in printed, printed
    assert "<lambda> raises KeyError: 'a fault of its own'" in printed, printed
    assert "1 of 2 calls ran both, 1 results differ; 0 not supported, 0 refused, 1 failed" in printed, printed


def test_what_counts_as_different():
    one = np.array([1, 2, np.nan, np.inf], np.float32)
    assert not describe_difference(one, one + np.float32(1e-5))
    assert "2 of 4" in describe_difference(one, np.array([1, 2.1, 3, np.inf], np.float32))
    assert "1 of 4" in describe_difference(one, np.array([1, 2, np.nan, -np.inf], np.float32))
    assert "1 of 2" in describe_difference(np.array([1, 2]), np.array([1, 3]))
    assert "instead of" in describe_difference(np.zeros(2), np.zeros(3))
    noise = np.array([1e-7, 2e-7], np.float32)
    assert "2 of 2" in describe_difference(noise, noise * 2, noise * 2)
    assert not describe_difference(noise, noise * 2, noise * 3)
    assert "1 of 2" in describe_difference(noise, np.array([1e-7, np.nan], np.float32), noise * 3)
    assert not describe_difference(np.zeros((0, 2)), np.zeros((0, 2)))
