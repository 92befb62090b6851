# SPDX-License-Identifier: Apache-2.0
"""Compiled modules inside functions of JAX."""

import numpy as np
import pytest

import hloc
from conftest import one_operation

jax = pytest.importorskip("jax", reason="JAX is not installed")
import jax.numpy as jnp  # noqa: E402

import hloc.ffi  # noqa: E402


def test_inside_jit(twice):
    f = hloc.ffi.register(hloc.compile(twice))
    x = jnp.arange(6, dtype=jnp.float32).reshape(2, 3)
    np.testing.assert_array_equal(f(x)[0], 2 * x)
    g = jax.jit(lambda x: f(jnp.sin(x))[0] + 1)
    for _ in range(3):
        np.testing.assert_allclose(g(x), 2 * np.sin(x) + 1, rtol=1e-6)


def test_several_modules_arrays_and_threads():
    first = hloc.ffi.register(hloc.jit(lambda x, y: (x @ y, x.sum())).compile(jnp.ones((200, 100)), jnp.ones((100, 50))))
    second = hloc.ffi.register(hloc.compile(jax.jit(lambda x: x.astype(jnp.bfloat16)).lower(jnp.ones((200, 50))), threads=1))

    @jax.jit
    def both(x, y):
        product, total = first(x, y)
        return second(product)[0], total

    narrow, total = both(jnp.ones((200, 100)), jnp.full((100, 50), 0.5))
    assert narrow.dtype == jnp.bfloat16 and (narrow == 50).all() and total == 20000


def test_layouts():
    text = one_operation("moved", ["f32[2,3]{0,1}"], "f32[2,3]{1,0}", "copy(a)")
    f = hloc.ffi.register(hloc.compile(text))
    x = jnp.arange(6, dtype=jnp.float32).reshape(2, 3)
    np.testing.assert_array_equal(jax.jit(lambda x: f(x)[0])(x), x)


def test_vmap_and_loops(twice):
    f = hloc.ffi.register(hloc.compile(twice))
    x = jnp.arange(24, dtype=jnp.float32).reshape(4, 2, 3)
    np.testing.assert_array_equal(jax.jit(jax.vmap(lambda x: f(x)[0]))(x), 2 * x)
    y = jax.jit(lambda x: jax.lax.fori_loop(0, 5, lambda i, x: f(x)[0], x))(x[0])
    np.testing.assert_array_equal(y, 32 * x[0])


def test_loaded_module(twice, tmp_path):
    hloc.compile(twice).save(tmp_path / "two.so")
    f = hloc.ffi.register(hloc.load(tmp_path / "two.so"))
    assert jax.jit(lambda x: f(x)[0].sum())(jnp.ones((2, 3))) == 12


def test_wrong_arrays(twice):
    f = hloc.ffi.register(hloc.compile(twice))
    for wrong in (jnp.ones(3), jnp.ones((2, 3), jnp.int32)):
        with pytest.raises(TypeError, match=r"`x` of `twice`: expected f32\[2,3\] but got"):
            jax.jit(f)(wrong)
    with pytest.raises(TypeError, match="takes 1 arrays but 2"):
        f(jnp.ones((2, 3)), jnp.ones(2))


def test_calls_that_fail():
    text = one_operation("calls", ["f32[2]{0}"], "f32[2]{0}", 'custom-call(a), custom_call_target="nobody_has_this"')
    f = hloc.ffi.register(hloc.compile(text))
    with pytest.raises(Exception, match="calls: .*nobody_has_this"):
        jax.block_until_ready(jax.jit(f)(jnp.ones(2)))
    with pytest.raises(Exception, match="no such program in this process"):
        result = jax.ShapeDtypeStruct((2,), jnp.float32)
        jax.block_until_ready(jax.ffi.ffi_call("hloc_run", result)(jnp.ones(2), program=np.int64(12345)))
