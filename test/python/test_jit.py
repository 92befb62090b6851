# SPDX-License-Identifier: Apache-2.0
"""hloc.jit gives what jax.jit gives."""

import functools
import gzip
import tracemalloc

import numpy as np
import pytest

import hloc

jax = pytest.importorskip("jax", reason="JAX is not installed")
import jax.numpy as jnp  # noqa: E402


def check(function, *arguments, **options):
    expected = jax.jit(function)(*arguments)
    got = hloc.jit(function, **options)(*arguments)
    assert jax.tree_util.tree_structure(got) == jax.tree_util.tree_structure(expected)
    for one, other in zip(jax.tree_util.tree_leaves(got), jax.tree_util.tree_leaves(expected)):
        assert isinstance(one, jax.Array) and one.dtype == other.dtype
        np.testing.assert_allclose(np.asarray(one, np.float64), np.asarray(other, np.float64), rtol=2e-5, atol=1e-5)


def test_trees():
    def f(tree, scale):
        return {"sum": tree["a"] + tree["b"][0], "rest": (tree["b"][1] * scale, [tree["a"].sum()], None)}

    check(f, {"a": jnp.ones(3), "b": (np.arange(3, dtype=np.float32), jnp.eye(2))}, 2.5)


def test_classes_that_hold_arrays_and_others():
    @jax.tree_util.register_pytree_node_class
    class Scale:
        def __init__(self, factor):
            self.factor = factor

        def tree_flatten(self):  # what only describes an array is no array
            is_array = isinstance(self.factor, (jax.Array, np.ndarray))
            return ((self.factor,), None) if is_array else ((), self.factor)

        @classmethod
        def tree_unflatten(cls, other, children):
            return cls(*children) if children else cls(other)

    check(lambda scale, x: Scale(scale.factor * x), Scale(jnp.ones(3)), jnp.ones(3))
    check(lambda scale, x: x * scale.factor, Scale(3), jnp.ones(3))


def test_layer():
    key = jax.random.key(0)
    w, x = jax.random.normal(key, (64, 32)), jax.random.normal(key, (8, 64))
    check(lambda w, x: jax.nn.softmax(jnp.tanh(x @ w)), w, x)
    check(jax.grad(lambda w, x: (jnp.tanh(x @ w) ** 2).sum()), w, x)


def test_decorator_and_keywords():
    @hloc.jit
    def f(x, *, y):
        """Says what it does."""
        return x - y

    assert f(3.0, y=1) == 2 and f.__doc__ == "Says what it does." and f.__name__ == "f"

    @hloc.jit(threads=1, static_argnames="n")
    def power(x, n):
        return x ** n

    assert power(2.0, 3) == 8 and power(2.0, n=4) == 16 and power(2.0, 3) == 8
    assert len(power._compiled) == 2


def test_static_arguments():
    traced = []

    @functools.partial(hloc.jit, static_argnums=(0, -1))
    def f(kind, x, n):
        traced.append(n)
        return x + n if kind == "plus" else x * n

    assert f("plus", 1.0, 2) == 3 and f("times", 3.0, 2) == 6 and f("plus", 5.0, 2) == 7
    assert f("plus", jnp.ones(2), 2).shape == (2,)
    assert len(traced) == 3


def test_methods():
    class Scale:
        factor = 3

        @functools.partial(hloc.jit, static_argnums=0)
        def scaled(self, x):
            return x * self.factor

    assert Scale().scaled(2.0) == 6 and Scale.scaled(Scale(), 2.0) == 6


def test_compiled_once_for_a_kind():
    traced = []

    @hloc.jit
    def f(x):
        traced.append(x.shape)
        return x + 1

    for x in (jnp.ones(2), jnp.zeros(2), np.zeros(2, np.float32), jnp.ones(3), jnp.ones(2, jnp.int32)):
        f(x)
    assert len(traced) <= 4
    f(jnp.ones(3)), f(jnp.ones(2))
    assert len(traced) <= 4


def test_types():
    for dtype in (jnp.bfloat16, jnp.float16, jnp.int8, jnp.uint32, jnp.bool_, jnp.complex64, jnp.float8_e4m3fn):
        x = jnp.array([0, 1, 1, 0]).astype(dtype)
        y = hloc.jit(lambda x: x[::-1])(x)
        assert y.dtype == x.dtype
        np.testing.assert_array_equal(np.asarray(y).astype(np.complex64), np.asarray(x[::-1]).astype(np.complex64))


def test_wide_numbers_become_narrow_as_in_jax():
    assert hloc.jit(lambda x: x + 1)(np.array([1.5])).dtype == jnp.float32
    assert hloc.jit(lambda x: x + 1)(np.array([1])).dtype == jnp.int32


def test_random_keys():
    key = jax.random.key(3)
    check(lambda key: jax.random.normal(key, (4,)), key)
    first = hloc.jit(lambda key: jax.random.split(key))(key)
    assert (jax.random.key_data(first) == jax.random.key_data(jax.random.split(key))).all()


def test_unused_arguments_and_constants():
    table = jnp.asarray(np.random.default_rng(0).random((50, 7), np.float32))
    check(lambda x, unused: table[x], jnp.array([3, 1]), jnp.zeros(5))
    check(lambda: jnp.arange(3))


def test_within_other_transformations():
    f = hloc.jit(lambda x: jnp.sin(x) * 2)
    assert np.allclose(jax.grad(f)(0.0), 2)
    assert np.allclose(jax.jit(lambda x: f(x) + 1)(0.0), 1)
    assert jax.vmap(f)(jnp.zeros(3)).shape == (3,)


def test_traced_without_tracers():
    one = hloc.jit(lambda: jnp.ones(3))
    assert "stablehlo.add" in jax.jit(lambda: one() + one()).lower().as_text()
    inside = []
    jax.jit(lambda x: inside.append(one()) or x)(1.0)
    assert isinstance(inside[0], jax.core.Tracer)


def test_derivatives_by_integers():
    f = jax.grad(lambda x, n: (x * n).sum(), (0, 1), allow_int=True)
    expected, got = jax.jit(f)(jnp.ones(3), jnp.arange(3)), hloc.jit(f)(jnp.ones(3), jnp.arange(3))
    assert got[1].dtype == expected[1].dtype == jax.dtypes.float0 and got[1].shape == (3,)
    assert (got[0] == expected[0]).all()


def test_donated_arguments():
    f = hloc.jit(lambda state, x: (state[0] + x, state[1]), donate_argnums=0)
    state = (jnp.ones(4), jnp.zeros(2))
    for _ in range(3):
        before, state = state, f(state, 1.0)
        assert all(leaf.is_deleted() for leaf in before)
    x = jnp.ones(3)
    assert hloc.jit(lambda y, x: x + y, donate_argnums=-1)(1.0, x)[0] == 2 and x.is_deleted()
    np.testing.assert_array_equal(state[0], 4 * np.ones(4))


def test_compile_and_save(tmp_path):
    lowered = jax.jit(lambda x: jnp.cos(x)).lower(jnp.ones(3))
    for executable in (hloc.compile(lowered), hloc.jit(jnp.cos).compile(jnp.ones(3))):
        np.testing.assert_allclose(executable(np.zeros(3, np.float32))[0], 1)
    executable.save(tmp_path / "cos.so")
    np.testing.assert_allclose(hloc.load(tmp_path / "cos.so")(jnp.zeros(3))[0], 1)


def test_asked_as_jax_jit_is():
    count = []
    f = hloc.jit(lambda x: count.append(1) or jnp.sin(x).sum(0))
    x = jnp.ones((2, 3))
    assert f.eval_shape(x).shape == (3,)
    assert [v.aval.shape for v in f.trace(x).jaxpr.jaxpr.outvars] == [(3,)]
    f(x), f(x)
    traced = len(count)
    f.clear_cache()
    f(x)
    assert len(count) == traced + 1


def test_exported():
    exported = jax.export.export(jax.jit(jnp.cos))(jax.ShapeDtypeStruct((3,), jnp.float32))
    np.testing.assert_allclose(hloc.compile(exported)(np.zeros(3, np.float32))[0], 1)


def test_exported_for_any_size():
    exported = jax.export.export(jax.jit(lambda x: jnp.cos(x).sum(0) + x.shape[0]))(
        jax.ShapeDtypeStruct(jax.export.symbolic_shape("n, 3"), jnp.float32))
    x = np.zeros((4, 3), np.float32)
    np.testing.assert_allclose(hloc.jit(exported.call)(x), [8, 8, 8])
    np.testing.assert_allclose(hloc.compile(jax.jit(exported.call).lower(x))(x)[0], [8, 8, 8])
    with pytest.raises(TypeError, match=r"argument 0 is float32\[n,3\]; compile it for the sizes of a call"):
        hloc.compile(exported)


def test_modules_of_xla():
    (module,) = jax.jit(jnp.cos).lower(jnp.zeros(3)).compile().runtime_executable().hlo_modules()
    for source in (module, module.as_serialized_hlo_module_proto()):
        np.testing.assert_allclose(hloc.compile(source)(np.zeros(3, np.float32))[0], 1)


def test_stablehlo(tmp_path):
    lowered = jax.jit(lambda x: jnp.cos(x) + jnp.arange(500.0)[:3]).lower(jnp.ones(3))
    exported = jax.export.export(jax.jit(lambda x: jnp.cos(x) + jnp.arange(3.0)))(jnp.ones(3))
    (tmp_path / "f.mlir").write_text(lowered.as_text())
    (tmp_path / "f.mlir.gz").write_bytes(gzip.compress(lowered.as_text(debug_info=True).encode()))
    for module in (lowered.as_text(), exported.mlir_module_serialized, tmp_path / "f.mlir", tmp_path / "f.mlir.gz"):
        np.testing.assert_allclose(hloc.compile(module)(np.zeros(3, np.float32))[0], [1, 2, 3])
    assert hloc.compile(tmp_path / "f.mlir").name == hloc.compile(tmp_path / "f.mlir.gz").name == "f"


def test_users_line_in_errors():
    def f(x):
        return jnp.cos(x)

    text = jax.jit(f).lower(jnp.ones(3)).as_text("hlo", debug_info=True)
    with pytest.raises(hloc.CompileError) as caught:
        hloc.compile(text.replace("f32[3]{0} cosine(", "f32[4]{0} cosine("))
    assert caught.value.python_file == __file__
    assert caught.value.python_line == f.__code__.co_firstlineno + 1


def test_callbacks_into_python(capsys):
    @hloc.jit
    def f(x, n):
        jax.debug.print("x is {}", x)
        wide = jax.pure_callback(lambda x: np.repeat(x, 2, -1), jax.ShapeDtypeStruct((2, 6), x.dtype), x)
        return wide.sum(), jax.pure_callback(lambda n: n + 1, n, n)

    for factor in (1, 2):
        total, next_n = f(factor * jnp.ones((2, 3), jnp.bfloat16), np.int8(factor))
        assert (float(total), int(next_n)) == (12 * factor, factor + 1)
    assert capsys.readouterr().out.count("x is [[") == 2


def test_callbacks_of_two_functions():
    double, triple = (hloc.jit(lambda x, factor=factor: jax.pure_callback(lambda x: x * np.float32(factor), x, x))
                      for factor in (2, 3))
    x = jnp.arange(4.0)
    assert (double(x) == 2 * x).all() and (triple(x) == 3 * x).all() and (double(x) == 2 * x).all()


def test_callbacks_with_an_order():
    seen = []

    @hloc.jit
    def f(x):
        for i in range(3):
            jax.experimental.io_callback(lambda x, i=i: seen.append((i, float(x))), None, x, ordered=True)
        return x + 1

    assert f(jnp.float32(5)) == 6
    assert seen == [(0, 5.0), (1, 5.0), (2, 5.0)]


def test_a_callback_that_fails():
    def fail(x):
        raise ValueError("not a good number")

    with pytest.raises(hloc.RunError, match="not a good number") as caught:
        hloc.jit(lambda x: jax.pure_callback(fail, x, x))(jnp.ones(3))
    assert caught.value.code == "call failed"


def test_no_copy_of_results(monkeypatch):
    places = []
    call = hloc.Executable.__call__

    def watched(*arguments, **options):
        results = call(*arguments, **options)
        places.extend(result.ctypes.data for result in results)
        return results

    monkeypatch.setattr(hloc.Executable, "__call__", watched)
    x = jnp.ones(1 << 18)
    *large, small = hloc.jit(lambda x: (x + 1, x.astype(jnp.bfloat16), x.sum()))(x)
    assert [result.unsafe_buffer_pointer() for result in large] == places[:2]
    assert small == 1 << 18 and (large[0] == 2).all() and large[1].dtype == jnp.bfloat16


def test_no_copy_of_arguments():
    x = jax.device_put(np.ones(1 << 20, np.float32))
    compiled = hloc.jit(lambda x: x[:1])
    compiled(x)
    tracemalloc.start()
    compiled(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 17
