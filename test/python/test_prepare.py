# SPDX-License-Identifier: Apache-2.0
"""Prepared parameters, which stay the same over many calls."""

import gc
import threading

import numpy as np
import pytest

import hloc

AFFINE = """HloModule affine

ENTRY main {
  w = f32[64,50]{1,0} parameter(0), metadata={op_name="params['w']"}
  x = f32[64]{0} parameter(1)
  b = f32[50]{0} parameter(2), metadata={op_name="params['b']"}
  c = bf16[50]{0} parameter(3), metadata={op_name="params['c']"}
  e = f32[64,50]{1,0} exponential(w)
  product = f32[50]{0} dot(x, e), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  wide = f32[50]{0} convert(c)
  some = f32[50]{0} add(product, b)
  ROOT sum = f32[50]{0} add(some, wide)
}
"""
W = np.linspace(0, 1, 64 * 50, dtype=np.float32).reshape(64, 50)
B = np.arange(50, dtype=np.float32)
X = np.linspace(-1, 1, 64, dtype=np.float32)


def get_c():
    return np.arange(50).astype(pytest.importorskip("ml_dtypes").bfloat16)


def expected(w=W, x=X):
    return x @ np.exp(w) + 2 * B


def check(prepared, x=X, w=W):
    np.testing.assert_allclose(prepared(x)[0], expected(w, x), rtol=1e-5)


@pytest.mark.parametrize("names", ["params", ["w", "params['b']", "c"], [0, 2, 3]])
def test_names(names):
    model = hloc.compile(AFFINE, prepare=names)
    assert [a.name for a in model.prepared_arguments] == ["params['w']", "params['b']", "params['c']"]
    assert [a.name for a in model.arguments] == ["x"]
    assert repr(model) == "<hloc.Executable affine(x: f32[64]) -> (f32[50])>"
    prepared = model.prepare(W, B, get_c())
    check(prepared)
    check(prepared, X + 1)
    assert prepared.nbytes >= W.nbytes  # what was computed from it
    assert prepared.arguments == model.arguments and prepared.results == model.results
    assert repr(prepared) == "<hloc.Prepared affine(x: f32[64]) -> (f32[50])>"


def test_what_was_prepared_does_not_depend_on_the_arrays_any_more():
    w, model = W.copy(), hloc.compile(AFFINE, prepare=0)
    prepared, other = model.prepare(w), model.prepare(w + 1)
    w[:] = 0
    for one, value in ((prepared, W), (other, W + 1)):
        np.testing.assert_allclose(one(X, B, get_c())[0], expected(value), rtol=1e-5)


def test_arrays_in_another_form():
    c = get_c()
    model = hloc.compile(AFFINE, prepare="params")
    check(model.prepare(np.asfortranarray(W), B[::-1].copy()[::-1], c))
    check(model.prepare(W, B.tolist(), np.repeat(c, 2)[::2]))


def test_not_optimized():
    check(hloc.compile(AFFINE, prepare="params", optimization=0).prepare(W, B, get_c()))


def test_saved(tmp_path):
    hloc.compile(AFFINE, prepare="params", name="saved").save(tmp_path / "saved.so")
    model = hloc.load(tmp_path / "saved.so")
    assert [a.name for a in model.prepared_arguments] == ["params['w']", "params['b']", "params['c']"]
    check(model.prepare(W, B, get_c()))


def test_together_with_bound_parameters():
    model = hloc.compile(AFFINE, bind={"w": W}, prepare=["b", "c"])
    check(model.prepare(B, get_c()))


def test_cache(tmp_path):
    hloc.compile(AFFINE, cache=tmp_path)
    model = hloc.compile(AFFINE, cache=tmp_path, prepare="params")
    check(model.prepare(W, B, get_c()))


def test_several_threads():
    prepared = hloc.compile(AFFINE, prepare="params").prepare(W, B, get_c())
    failures = []

    def run(i):
        try:
            for _ in range(50):
                check(prepared, X + i)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_results_in_the_memory_of_arguments():
    model = hloc.compile("""HloModule step, input_output_alias={ {}: (0, {}, may-alias) }

ENTRY main {
  state = f32[4]{0} parameter(0)
  w = f32[4]{0} parameter(1)
  e = f32[4]{0} exponential(w)
  ROOT next = f32[4]{0} add(state, e)
}
""", prepare="w")
    state = np.zeros(4, np.float32)
    (after,) = model.prepare(np.zeros(4, np.float32))(state, in_place=True)
    assert after is state and (state == 1).all()


def test_what_is_refused():
    with pytest.raises(hloc.CompileError, match="the entry has no parameter 'v'") as error:
        hloc.compile(AFFINE, prepare=["v"])
    assert error.value.line == 3
    model = hloc.compile(AFFINE, prepare="w")
    with pytest.raises(TypeError, match=r"`affine` has prepared parameters: call `prepare`"):
        model(X, B, get_c())
    with pytest.raises(TypeError, match="`affine` has 1 prepared parameters but 2 arrays were given"):
        model.prepare(W, B)
    with pytest.raises(TypeError, match=r"prepared argument 0 of `affine` \(`params\['w'\]`\): expected f32\[64,50\] but got float64"):
        model.prepare(W.astype(np.float64))
    with pytest.raises(TypeError, match=r"argument 1 of `affine` \(`params\['b'\]`\): expected f32\[50\] but got float32\[49\]"):
        model.prepare(W)(X, B[1:], get_c())
    with pytest.raises(TypeError, match="`affine` takes 3 arrays but 1 were given"):
        model.prepare(W)(X)
    with pytest.raises(TypeError, match="`affine` has no prepared parameters"):
        hloc.compile(AFFINE).prepare()


def predict(params, x, *, scale):
    return x @ jax.numpy.exp(params["w"]) * scale + params["b"]


jax = None


@pytest.fixture
def arrays(monkeypatch):
    monkeypatch.setitem(globals(), "jax", pytest.importorskip("jax"))
    return {"w": jax.numpy.asarray(W), "b": jax.numpy.asarray(B)}, jax.numpy.asarray(X)


def check_jax(function, params, x, scale=2.0):
    np.testing.assert_allclose(function(params, x, scale=scale), predict(params, x, scale=scale), rtol=1e-5)


@pytest.mark.parametrize("options", [{"prepare_argnums": 0}, {"prepare_argnames": "params"},
                                     {"prepare_argnums": -2, "static_argnames": "scale"},
                                     {"prepare_argnames": ("params", "scale")}])
def test_jax_function_prepares_once_for_the_same_arrays(arrays, options):
    params, x = arrays
    function = hloc.jit(predict, **options)
    check_jax(function, params, x)
    (compiled,) = function._compiled.values()
    (first,) = [prepared for _, prepared in compiled.prepared._found.values()]
    check_jax(function, params, x + 1)
    (second,) = [prepared for _, prepared in compiled.prepared._found.values()]
    assert first is second
    if "static_argnames" not in options:
        assert [a.shape for a in compiled.executable.prepared_arguments[:2]] == [(50,), (64, 50)]

    other = {**params, "w": params["w"] + 1}
    check_jax(function, other, x)
    assert len(compiled.prepared) == 2
    del other
    gc.collect()
    assert len(compiled.prepared) == 1
    check_jax(function, params, x)


def test_jax_function_in_another_one(arrays):
    params, x = arrays
    function = hloc.jit(predict, prepare_argnums=0)
    gradient = jax.grad(lambda x: function(params, x, scale=1.0).sum())(x)
    np.testing.assert_allclose(gradient, jax.numpy.exp(params["w"]).sum(1), rtol=1e-5)


def test_jax_function_as_an_executable(arrays, tmp_path):
    params, x = arrays
    executable = hloc.jit(predict, prepare_argnums=0).compile(params, x, scale=2.0)
    executable.save(tmp_path / "predict.so")
    prepared = hloc.load(tmp_path / "predict.so").prepare(B, W)
    np.testing.assert_allclose(prepared(x, 2.0)[0], predict(params, x, scale=2.0), rtol=1e-5)
    executable = hloc.compile(jax.jit(predict).lower(params, x, scale=2.0), prepare="params")
    np.testing.assert_allclose(executable.prepare(B, W)(x, 2.0)[0], predict(params, x, scale=2.0), rtol=1e-5)


def test_jax_function_with_what_may_change(arrays):
    params, x = arrays
    function = hloc.jit(predict, prepare_argnums=0)
    with pytest.raises(TypeError, match="expected prepared arguments to consist of JAX arrays but got a ndarray"):
        function({**params, "w": W}, x, scale=1.0)
    with pytest.raises(ValueError, match="cannot be prepared and donated: params"):
        hloc.jit(predict, prepare_argnums=0, donate_argnums=0)
    with pytest.raises(ValueError, match="cannot be prepared and static: params"):
        hloc.jit(predict, prepare_argnums=0, static_argnames="params")
    with pytest.raises(TypeError, match="takes prepare_argnums or prepare_argnames instead of prepare"):
        hloc.jit(predict, prepare="params")
    check_jax(function, params, x)
    params["w"].delete()
    with pytest.raises(RuntimeError, match="a prepared array, float32.* was deleted"):
        function(params, x, scale=1.0)


def test_not_in_custom_calls():
    pytest.importorskip("jax")
    import hloc.ffi

    with pytest.raises(hloc.HlocError, match="has prepared parameters, which custom calls do not"):
        hloc.ffi.register(hloc.compile(AFFINE, prepare="params"))
