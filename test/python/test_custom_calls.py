# SPDX-License-Identifier: Apache-2.0
"""Custom calls that functions of Python carry out."""

import gc
import threading
import weakref

import ml_dtypes
import numpy as np
import pytest

import hloc

CALL = """
HloModule called
ENTRY main {{
  x = {operand} parameter(0)
  ROOT y = {result} custom-call(x), custom_call_target="it", api_version=API_VERSION_TYPED_FFI, backend_config={config}
}}
"""


def make(function, operand="f32[2,3]", result=None, config="{}", **options):
    text = CALL.format(operand=operand, result=result or operand, config=config)
    return hloc.compile(text, custom_calls={"it": function}, **options)


@pytest.mark.parametrize("threads", [None, 1, 2])
def test_arrays_and_attributes(threads):
    seen = {}

    def scale(x, **attributes):
        seen.update(attributes)
        return x * attributes["factor"]

    config = '{factor = 2.5 : f32, n = 3 : i64, yes = true, name = "a", all = array<i64: 1, 2>}'
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    (y,) = make(scale, config=config, threads=threads)(x)
    assert (y == x * np.float32(2.5)).all()
    assert seen == {"factor": 2.5, "n": 3, "yes": True, "name": "a", "all": (1, 2)}


@pytest.mark.parametrize("dtype, hlo", [(np.bool_, "pred"), (np.int8, "s8"), (np.uint64, "u64"), (np.complex128, "c128"),
                                        (ml_dtypes.bfloat16, "bf16"), (ml_dtypes.float8_e4m3fn, "f8e4m3fn"),
                                        (ml_dtypes.int4, "s4")])
@pytest.mark.parametrize("layout", ["{1,0}", "{0,1}"])
def test_types_and_layouts(dtype, hlo, layout):
    x = (np.arange(6).reshape(2, 3) % 2).astype(dtype)
    call = make(lambda x: (x.T.copy(), x[:, :0]), f"{hlo}[2,3]{layout}", f"({hlo}[3,2]{layout}, {hlo}[2,0]{layout})")
    y, nothing = call(x)
    assert y.dtype == dtype and (y == x.T).all() and nothing.shape == (2, 0)


def test_what_is_wrong_is_told():
    x = np.zeros((2, 3), np.float32)
    with pytest.raises(hloc.RunError, match=r"custom call `it`: TypeError: result 0: expected f32\[2,3\] but got float64\[2, 3\]"):
        make(lambda x: x.astype(np.float64))(x)
    with pytest.raises(hloc.RunError, match="expected as many results as the call has, 1, but got 2"):
        make(lambda x: (x, x))(x)
    with pytest.raises(hloc.RunError, match="KeyError: 'width'") as caught:
        make(lambda x: {}["width"])(x)
    assert caught.value.code == "call failed"
    with pytest.raises(hloc.RunError) as caught:
        hloc.compile(CALL.format(operand="f32[2]", result="f32[2]", config="{}"))(np.zeros(2, np.float32))
    assert caught.value.code == "not found"


def test_several_threads_call_it():
    call = make(lambda x: x + 1)
    arrays = [np.full((2, 3), i, np.float32) for i in range(8)]
    results = [None] * 8

    def run(i):
        for _ in range(50):
            results[i] = call(arrays[i])[0]

    threads = [threading.Thread(target=run, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((result == array + 1).all() for result, array in zip(results, arrays))


def test_a_call_that_calls_modules():
    inner = make(lambda x: x * 2)
    (y,) = make(lambda x: inner(x)[0] + 1)(np.ones((2, 3), np.float32))
    assert (y == 3).all()


def test_a_function_that_refers_to_its_module_is_collected():
    holder = {}
    holder["call"] = make(lambda x: x if holder else x)
    found = weakref.ref(holder["call"])
    del holder
    gc.collect()
    assert found() is None
