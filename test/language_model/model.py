# SPDX-License-Identifier: Apache-2.0
"""The network: a transformer over bytes, in Flax. What is stored as bf16 is computed with as f32.

It reads a piece of a text whose beginning is in a cache: keys and values of all bytes so far. A piece is a
whole text while it is trained, CHUNK bytes of a prompt, or the one byte that was chosen last."""

import jax
import jax.numpy as jnp
from flax import nnx

BYTES = 256
WIDTH = 64
LAYERS = 3
HEADS = 4
HEAD = WIDTH // HEADS
CONTEXT = 320  # bytes that the cache has room for
CHUNK = 64     # divides CONTEXT


def empty_cache():
    return {name: jnp.zeros((LAYERS, CONTEXT, HEADS, HEAD)) for name in ("keys", "values")}


def rotate(x, places):
    """Rotary positions: pairs of numbers in x[n, HEADS, HEAD] turned by angles that grow with the place."""
    angles = places[:, None] * 10000.0 ** (-jnp.arange(0, HEAD, 2) / HEAD)
    sine, cosine = jnp.sin(angles)[:, None], jnp.cos(angles)[:, None]
    a, b = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([a * cosine - b * sine, a * sine + b * cosine], axis=-1)


class Layer(nnx.Module):
    def __init__(self, number, rngs):
        def norm():
            return nnx.RMSNorm(WIDTH, dtype=jnp.float32, rngs=rngs)

        def linear(inputs, outputs):
            return nnx.Linear(inputs, outputs, use_bias=False, dtype=jnp.float32, rngs=rngs)

        self.number = number
        self.attention_norm, self.feed_norm = norm(), norm()
        self.query, self.key, self.value, self.out = (linear(WIDTH, WIDTH) for _ in range(4))
        self.up, self.down = linear(WIDTH, 4 * WIDTH), linear(4 * WIDTH, WIDTH)

    def __call__(self, cache, x, position):
        """x[n, WIDTH] of the bytes at `position` and after it."""
        places = position + jnp.arange(x.shape[0])
        y = self.attention_norm(x)
        query, key, value = (f(y).reshape(-1, HEADS, HEAD) for f in (self.query, self.key, self.value))
        cache = {name: jax.lax.dynamic_update_slice(cache[name], new[None], (self.number, position, 0, 0))
                 for name, new in (("keys", rotate(key, places)), ("values", value))}
        keys, values = cache["keys"][self.number], cache["values"][self.number]
        scores = jnp.einsum("qhd,khd->hqk", rotate(query, places), keys) * HEAD**-0.5
        seen = jnp.arange(CONTEXT) <= places[:, None]
        weights = jax.nn.softmax(jnp.where(seen, scores, -jnp.inf))
        x = x + self.out(jnp.einsum("hqk,khd->qhd", weights, values).reshape(x.shape))
        return cache, x + self.down(jax.nn.gelu(self.up(self.feed_norm(x))))


class Model(nnx.Module):
    def __init__(self, rngs):
        self.embed = nnx.Embed(BYTES, WIDTH, dtype=jnp.float32, rngs=rngs)
        self.layers = nnx.List([Layer(number, rngs) for number in range(LAYERS)])
        self.norm = nnx.RMSNorm(WIDTH, dtype=jnp.float32, rngs=rngs)

    def __call__(self, cache, text, position):
        """The cache with text[n] in it, and scores [n, BYTES] of what comes after each byte."""
        x = self.embed(text)
        for layer in self.layers:
            cache, x = layer(cache, x, position)
        return cache, self.embed.attend(self.norm(x))


# The network without its numbers, and their names, shapes and types.
GRAPH, PARAMS = nnx.split(nnx.eval_shape(lambda: Model(nnx.Rngs(0))))


def prefill(params, cache, text, position, length):
    """Reads text[CHUNK], which a prompt fills up to `length`; scores of what comes after that. What the rest
    leaves in the cache is written over before anything looks at it."""
    cache, scores = nnx.merge(GRAPH, params)(cache, text, position)
    return cache, scores[length - 1]


def decode(params, cache, byte, position):
    """Reads one byte; scores of what comes after it."""
    cache, scores = nnx.merge(GRAPH, params)(cache, byte[None], position)
    return cache, scores[0]
