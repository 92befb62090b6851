# SPDX-License-Identifier: Apache-2.0
"""The programs that versus_xla.py measures, as JAX functions.

A workload has arguments (shape, element type), and the operations it cannot do without: `flops`
in the arithmetic of `unit` (a rate that machine-limits prints)."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jax import lax

WORKLOADS = {}


@dataclass
class Workload:
    function: object
    arguments: list      # of (shape, dtype)
    flops: float = 0
    unit: str = "f32"

    def hlo(self):
        arguments = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in self.arguments]
        with jax.enable_x64("float64" in [dtype for _, dtype in self.arguments]):
            return jax.jit(self.function, keep_unused=True).lower(*arguments).as_text("hlo")


def add(name, function, *arguments, flops=0, unit="f32"):
    specs = [a if a and isinstance(a[0], tuple) else (a, "float32") for a in arguments]
    WORKLOADS[name] = Workload(function, specs, flops, unit)


# Matrix products, named rows x depth x columns.

def product(result):
    return lambda a, b: jnp.matmul(a, b, preferred_element_type=result)


def gemm(m, k, n, dtype="float32", result="float32", unit="f32"):
    label = "" if dtype == "float32" else f" {dtype}"
    add(f"gemm {m}x{k}x{n}{label}", product(result), ((m, k), dtype), ((k, n), dtype),
        flops=2 * m * k * n, unit=unit)


for size in (64, 128, 256, 512, 1024, 2048):
    gemm(size, size, size)
gemm(1, 4096, 4096)
gemm(16, 4096, 1024)
gemm(4096, 64, 4096)
gemm(509, 1021, 251)
gemm(1024, 1024, 1024, "float64", "float64", "f64")
gemm(1024, 1024, 1024, "bfloat16", "bfloat16", "bf16")
gemm(1024, 1024, 1024, "int8", "int32", "s8")
add("gemm 64 x [128x64x128]", jnp.matmul, (64, 128, 64), (64, 64, 128), flops=2 * 64 * 128 * 64 * 128)
add("gemm 512 + bias, gelu", lambda a, b, c: jax.nn.gelu(a @ b + c), (512, 512), (512, 512), (512,),
    flops=2 * 512**3)


# Convolutions, NHWC with HWIO filters.

def convolution(stride, groups):
    return lambda x, w: lax.conv_general_dilated(
        x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"),
        feature_group_count=groups)


def conv(name, side, channels, kernel, filters, stride=1, groups=1):
    out = -(-side // stride)
    add(name, convolution(stride, groups), (1, side, side, channels),
        (kernel, kernel, channels // groups, filters),
        flops=2 * out * out * filters * kernel * kernel * channels // groups)


conv("conv 3x3 56x56x64 to 64", 56, 64, 3, 64)
conv("conv 1x1 14x14x256 to 1024", 14, 256, 1, 1024)
conv("conv 7x7 /2 224x224x3 to 64", 224, 3, 7, 64, stride=2)
conv("conv 3x3 112x112x32 depthwise", 112, 32, 3, 32, groups=32)


# Row by row.

def layer_norm(x, gain, bias):
    centred = x - x.mean(-1, keepdims=True)
    return centred * lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * gain + bias


def attention(q, k, v):
    return jax.nn.softmax(q @ k.swapaxes(-1, -2) * q.shape[-1]**-0.5) @ v


add("softmax 1024x1024", jax.nn.softmax, (1024, 1024))
add("layer norm 1024x1024", layer_norm, (1024, 1024), (1024,), (1024,))
add("attention 12x512x64", attention, (12, 512, 64), (12, 512, 64), (12, 512, 64),
    flops=4 * 12 * 512 * 512 * 64)
add("row sums 4096x4096", lambda x: x.sum(1), (4096, 4096))
add("column sums 4096x4096", lambda x: x.sum(0), (4096, 4096))
add("sum 16M", jnp.sum, (1 << 24,))
add("argmax rows 1024x4096", lambda x: x.argmax(1), (1024, 4096))
add("cumulative sum 1M", jnp.cumsum, (1 << 20,))


# Element by element.

def chain(x):
    for i in range(10):
        x = x * 1.01 + 0.5 * i
    return x


add("x + y 64k", jnp.add, (1 << 16,), (1 << 16,))
add("a * x + y 16M", lambda x, y: 2.5 * x + y, (1 << 24,), (1 << 24,))
add("chain of ten 16M", chain, (1 << 24,))
add("exp 4M", jnp.exp, (1 << 22,))
add("tanh 4M", jnp.tanh, (1 << 22,))
add("sin 4M", jnp.sin, (1 << 22,))
add("gelu 4M", jax.nn.gelu, (1 << 22,))
add("transpose 4096x4096", jnp.transpose, (4096, 4096))


# Order and places. Index arguments are reduced to their range inside.

add("sort 1M", jnp.sort, (1 << 20,))
add("argsort rows 512x1024", lambda x: jnp.argsort(x, axis=1), (512, 1024))
add("top 100 of 1M", lambda x: lax.top_k(x, 100), (1 << 20,))
add("gather 256k rows of 16", lambda x, i: x[i % 65536], (65536, 16), ((1 << 18,), "uint32"))
add("scatter-add 1M into 64k", lambda x, i: jnp.zeros(65536).at[i % 65536].add(x), (1 << 20,),
    ((1 << 20,), "uint32"))
add("fft 1M", lambda x: jnp.fft.fft(x), ((1 << 20,), "complex64"))


# Loops.

def lorenz(state):
    def slope(s):
        x, y, z = s[0], s[1], s[2]
        return jnp.stack([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])

    def step(_, s):
        k1 = slope(s)
        k2 = slope(s + 0.005 * k1)
        k3 = slope(s + 0.005 * k2)
        k4 = slope(s + 0.01 * k3)
        return s + 0.01 / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    return lax.fori_loop(0, 10_000, step, state)


def lstm(inputs, state, weights_x, weights_h):
    def step(carry, x):
        h, c = carry
        i, f, g, o = jnp.split(weights_x @ x + weights_h @ h, 4)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    return lax.scan(step, (state, state), inputs)[1]


def heat(grid):
    def step(_, u):
        return u + 0.1 * (jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1)
                          + jnp.roll(u, -1, 1) - 4 * u)

    return lax.fori_loop(0, 100, step, grid)


add("one call: x + 1", lambda x: x + 1, ())
add("Lorenz, 10k Runge-Kutta steps", lorenz, (3,))
add("LSTM, 256 steps of 128", lstm, (256, 128), (128,), (512, 128), (512, 128),
    flops=256 * 2 * 2 * 512 * 128)
add("heat equation 256x256, 100 steps", heat, (256, 256), flops=100 * 256 * 256 * 7)
