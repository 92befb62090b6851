# SPDX-License-Identifier: Apache-2.0
"""HLO text through the XLA:CPU of the installed jaxlib. Needs `pip install jax`.

Uses jaxlib's private interface, as of version 0.10."""

import ctypes
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
import jaxlib._jax as _jax  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
from jax._src.lib import xla_client  # noqa: E402
from jaxlib import _hlo, lapack  # noqa: E402

jax.config.update("jax_enable_x64", True)


def stored(array):
    """The array as .npy files hold it: 16- and 8-bit floats as bit patterns, 4-bit integers as bytes."""
    array = np.asarray(array)
    if array.dtype.kind != "V" and array.dtype.type.__module__ == "numpy":
        return array
    name = array.dtype.name
    if "int" in name:
        return array.astype(np.uint8 if name.startswith("u") else np.int8)
    return array.view(np.uint16 if array.dtype.itemsize == 2 else np.uint8)


def wide(array):
    """The values of an array, in a type that holds them all exactly."""
    array = np.asarray(array)
    if array.dtype.kind == "c":
        return array.astype(np.complex128)
    return array if array.dtype.kind in "biu" else array.astype(np.float64)


def unstored(array, like):
    """What a stored array holds, in the element type of `like`."""
    like = np.asarray(like).dtype
    if array.dtype == like:
        return array
    return array.astype(like) if "int" in like.name else array.view(like)


def random_array(rng, dtype, shape):
    """Normal floats; integers over the whole type, but small where they are likely to be indices."""
    name = np.dtype(dtype).name
    if name == "bool":
        return rng.random(shape) < 0.5
    if name in ("int16", "int32", "int64"):
        return rng.integers(0, 100, shape).astype(dtype)
    if "int" in name:
        bounds = ml_dtypes.iinfo(dtype)
        return rng.integers(bounds.min, int(bounds.max) + 1, shape,
                            np.int64 if bounds.min < 0 else np.uint64).astype(dtype)
    values = rng.standard_normal(shape)
    if "complex" in name:
        values = values + 1j * rng.standard_normal(shape)
    return np.asarray(values).astype(dtype)


class Program:
    """A module for one device, compiled."""

    def __init__(self, text):
        if "lapack_" in text:
            lapack._lapack.initialize()  # registers SciPy's functions
        module = _hlo.hlo_module_from_text(text)
        computation = _hlo.XlaComputation(module.as_serialized_hlo_module_proto())
        shapes = computation.program_shape().parameter_shapes()
        self.parameters = [(s.numpy_dtype(), s.dimensions()) for s in shapes]
        device = jax.devices()[0]
        options = xla_client.CompileOptions()
        options.device_assignment = _jax.DeviceAssignment.create(np.array([[0]]))
        stable = _jax.mlir.xla_computation_to_mlir_module(computation)
        self.loaded = device.client.compile_and_load(stable, _jax.DeviceList((device,)), options)

    def random_inputs(self, seed):
        rng = np.random.default_rng(seed)
        return [random_array(rng, dtype, shape) for dtype, shape in self.parameters]

    def __call__(self, arrays):
        """Results as arrays of the device, complete."""
        results = self.loaded.execute_sharded(arrays).disassemble_into_single_device_arrays()
        return jax.block_until_ready([r[0] for r in results])


def warm_heap():
    """Leaves a large free block in malloc's heap, its pages in place.

    XLA allocates its results anew at each call; this, in a process whose malloc gives nothing back
    to the system (KEEP_MEMORY in versus_xla.py), spares it a page fault for every 4 KB of them."""
    size, libc = 1 << 30, ctypes.CDLL(None)
    libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    libc.free.argtypes = [ctypes.c_void_p]
    block = libc.malloc(size)
    ctypes.memset(block, 0, size)
    libc.malloc(1 << 16)  # stays, between the block and the end of the heap
    libc.free(block)


def put(arrays):
    return [jax.device_put(a) for a in arrays]
