# SPDX-License-Identifier: Apache-2.0
"""What may be an argument, and that it is read where it is."""

import array
import threading
import tracemalloc

import numpy as np
import pytest

import hloc
from conftest import one_operation


def identity(shape, name="same"):
    return hloc.compile(one_operation(name, [shape], shape, "copy(a)"))


@pytest.mark.parametrize("hlo, dtype", [
    ("pred", "bool"), ("s8", "int8"), ("s16", "int16"), ("s32", "int32"), ("s64", "int64"), ("u8", "uint8"),
    ("u16", "uint16"), ("u32", "uint32"), ("u64", "uint64"), ("f16", "float16"), ("f32", "float32"),
    ("f64", "float64"), ("c64", "complex64"), ("c128", "complex128")])
def test_types_of_numpy(hlo, dtype):
    x = np.array([[0, 1, 1], [1, 0, 1]]).astype(dtype)
    y, = identity(f"{hlo}[2,3]{{1,0}}")(x)
    assert y.dtype == x.dtype
    np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("hlo, name", [
    ("bf16", "bfloat16"), ("f8e5m2", "float8_e5m2"), ("f8e4m3fn", "float8_e4m3fn"), ("f8e4m3", "float8_e4m3"),
    ("f8e3m4", "float8_e3m4"), ("f8e4m3b11fnuz", "float8_e4m3b11fnuz"), ("f8e5m2fnuz", "float8_e5m2fnuz"),
    ("f8e4m3fnuz", "float8_e4m3fnuz"), ("s4", "int4"), ("u4", "uint4"), ("s2", "int2"), ("u2", "uint2"),
    ("f4e2m1fn", "float4_e2m1fn")])
def test_types_of_ml_dtypes(hlo, name):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    dtype = getattr(ml_dtypes, name)
    low, high = (0, 4) if name == "uint2" else (-2, 2) if name == "int2" else (0, 16) if name == "uint4" else (-4, 5)
    x = np.random.default_rng(0).integers(low, high, (3, 5)).astype(dtype)
    executable = identity(f"{hlo}[3,5]{{1,0}}")
    y, = executable(x)
    assert y.dtype == x.dtype and y.shape == x.shape
    np.testing.assert_array_equal(x.astype(np.float32), y.astype(np.float32))
    with pytest.raises(TypeError, match="expected"):
        executable(x.astype(np.float32))


def test_scalars_and_empty_arrays():
    y, = identity("f32[]")(np.float32(2.5))
    assert y.shape == () and y == 2.5
    assert identity("f32[]")(1.5)[0] == 1.5
    assert identity("f32[2,0]{1,0}")(np.zeros((2, 0), np.float32))[0].shape == (2, 0)
    pytest.importorskip("ml_dtypes")
    assert float(identity("bf16[]")(1.5)[0]) == 1.5


def test_numbers_and_lists():
    same = identity("f32[2,2]{1,0}")
    np.testing.assert_array_equal(same([[1, 2], [3, 4.5]])[0], [[1, 2], [3, 4.5]])
    integers = identity("s32[2]{0}")
    np.testing.assert_array_equal(integers([1, 2])[0], [1, 2])
    for wrong in ([1.5, 2], [1j, 2], ["a", "b"]):
        with pytest.raises(TypeError, match=r"argument 0 of `same` \(`a`\): expected s32\[2\] but got"):
            integers(wrong)


@pytest.mark.parametrize("wrong, got", [
    (np.zeros(3, np.float32), r"float32\[3\]"), (np.zeros((2, 2), np.float64), r"float64\[2, 2\]"),
    (np.zeros((2, 2), np.int32), "int32"), (None, "object"), ("text", "<U4|str")])
def test_wrong_arguments(wrong, got):
    with pytest.raises(TypeError, match=r"expected f32\[2,2\] but got .*(" + got + ")"):
        identity("f32[2,2]{1,0}")(wrong)


def test_wrong_number_of_arguments(twice):
    with pytest.raises(TypeError, match="takes 1 arrays but 2 were given"):
        hloc.compile(twice)(1, 2)


def test_not_as_they_lie_in_memory():
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    same = identity("f32[4,6]{1,0}")
    bytes_ = np.zeros(97, np.uint8)
    unaligned = bytes_[1:].view(np.float32).reshape(4, 6)
    unaligned[:] = x
    for other in (np.asfortranarray(x), np.repeat(x, 2, axis=1)[:, ::2], x[::-1][::-1], x.astype(">f4"), unaligned):
        np.testing.assert_array_equal(same(other)[0], x)
    frozen = x.copy()
    frozen.flags.writeable = False
    np.testing.assert_array_equal(same(frozen)[0], x)


def test_layouts():
    text = one_operation("moved", ["f32[2,3,4]{0,2,1}"], "f32[2,3,4]{1,0,2}", "copy(a)")
    moved = hloc.compile(text)
    assert moved.arguments[0].minor_to_major == (0, 2, 1)
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    y, = moved(x)
    np.testing.assert_array_equal(x, y)
    assert y.strides == (12, 4, 24)
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for hlo, dtype in (("bf16", ml_dtypes.bfloat16), ("s4", ml_dtypes.int4)):
        small = np.arange(24).reshape(2, 3, 4).astype(np.int8).astype(dtype) if hlo == "bf16" else \
            (np.arange(24).reshape(2, 3, 4) % 8).astype(dtype)
        y, = hloc.compile(text.replace("f32", hlo))(small)
        np.testing.assert_array_equal(small.astype(np.float32), y.astype(np.float32))


def memory_of_call(executable, argument):
    """What NumPy takes while the module is called: a copy of a large argument is seen in it."""
    tracemalloc.start()
    executable(argument)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_no_copy():
    text = one_operation("first", ["f32[1048576]{0}"], "f32[1]{0}", "slice(a), slice={[0:1]}")
    first = hloc.compile(text)
    x = np.ones(1 << 20, np.float32)
    for argument in (x, memoryview(x), array.array("f", x), Exchanged(x)):
        assert memory_of_call(first, argument) < 1 << 16, type(argument)
    assert memory_of_call(first, x[::-1]) > 1 << 20


class Exchanged:
    """An array that has DLPack and nothing else."""

    def __init__(self, data):
        self.data = data

    def __dlpack__(self, **options):
        return self.data.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.data.__dlpack_device__()


def test_results_are_aligned_and_owned(twice):
    executable = hloc.compile(twice)
    x = np.ones((2, 3), np.float32)
    results = [executable(x)[0] for _ in range(10)]
    assert all(r.ctypes.data % 64 == 0 for r in results)
    assert len({r.ctypes.data for r in results}) == 10
    del executable
    assert all((r == 2).all() for r in results)
    results[0][:] = 5
    assert (results[1] == 2).all()


def test_in_place():
    text = one_operation("step", ["f32[4]{0}", "f32[4]{0}"], "f32[4]{0}", "add(a, b)").replace(
        "HloModule step,", "HloModule step, input_output_alias={ {}: (0, {}, may-alias) },")
    step = hloc.compile(text)
    a, b = np.arange(4, dtype=np.float32), np.ones(4, np.float32)
    y, = step(a, b)
    assert y is not a and a[0] == 0
    y, = step(a, b, in_place=True)
    assert y is a
    np.testing.assert_array_equal(a, [1, 2, 3, 4])
    a.flags.writeable = False
    y, = step(a, b, in_place=True)
    assert y is not a
    np.testing.assert_array_equal(y, [2, 3, 4, 5])


def test_torch(twice):
    torch = pytest.importorskip("torch")
    x = torch.ones(2, 3)
    y, = hloc.compile(twice)(x)
    assert torch.from_dlpack(y).sum() == 12


def test_threads_at_once(twice):
    executable = hloc.compile(twice)
    wrong = []

    def work(seed):
        x = np.random.default_rng(seed).random((2, 3), np.float32)
        for _ in range(200):
            if not (executable(x)[0] == x + x).all():
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
