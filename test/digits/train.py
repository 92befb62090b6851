#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the demonstration's digit classifier and writes it as HLO text.

Writes digits.hlo (the network, its weights inside) and heldout.txt (the pictures kept out of
training) beside this file. Both are checked in: only changing the network needs this script,
with `pip install jax scikit-learn` and half a minute on one core.

The data are the 1,797 handwritten digits of 8x8 pixels, grey levels 0 to 16, that scikit-learn
ships. One in five is held out. All randomness comes from SEED.
"""

import pathlib
import re

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from sklearn.datasets import load_digits

HERE = pathlib.Path(__file__).resolve().parent
SEED = 8
EPOCHS = 60
BATCH = 32
LEVELS = "0123456789abcdefg"  # one character for each grey level
LEAST_ACCURACY = 0.98


def initial_weights(key):
    """He initialization; shapes are HWIO for convolutions, inputs x outputs for dense layers."""
    shapes = {"conv1": (3, 3, 1, 16), "conv2": (3, 3, 16, 32), "conv3": (3, 3, 32, 48),
              "dense1": (2 * 2 * 48, 64), "dense2": (64, 10)}
    weights = {}
    for (name, shape), layer_key in zip(shapes.items(), jax.random.split(key, len(shapes))):
        scale = np.sqrt(2.0 / np.prod(shape[:-1]))
        weights[name] = {"w": scale * jax.random.normal(layer_key, shape), "b": jnp.zeros(shape[-1])}
    return weights


def convolve(layer, x):
    dimensions = ("NHWC", "HWIO", "NHWC")
    x = lax.conv_general_dilated(x, layer["w"], (1, 1), "SAME", dimension_numbers=dimensions)
    return jax.nn.relu(x + layer["b"])


def halve(x):
    """2x2 max-pooling."""
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def scores(weights, pictures):
    """Logits [n, 10] of pictures [n, 8, 8] whose grey levels are 0 to 16."""
    x = pictures[..., None] * (1 / 16)
    x = halve(convolve(weights["conv2"], convolve(weights["conv1"], x)))
    x = halve(convolve(weights["conv3"], x))
    x = x.reshape(x.shape[0], -1)
    x = jax.nn.relu(x @ weights["dense1"]["w"] + weights["dense1"]["b"])
    return x @ weights["dense2"]["w"] + weights["dense2"]["b"]


def loss(weights, pictures, labels):
    log_probabilities = jax.nn.log_softmax(scores(weights, pictures))
    return -jnp.mean(jnp.take_along_axis(log_probabilities, labels[:, None], axis=1))


@jax.jit
def adam_step(weights, moments, step, pictures, labels):
    rate = 1e-3 * 0.5 * (1 + jnp.cos(jnp.pi * step / (EPOCHS * 1438 / BATCH)))
    gradients = jax.grad(loss)(weights, pictures, labels)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], gradients)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, moments[1], gradients)
    def move(w, m, v):
        return w - rate * (m / (1 - 0.9**step) / (jnp.sqrt(v / (1 - 0.999**step)) + 1e-8) + 1e-3 * w)
    return jax.tree.map(move, weights, first, second), (first, second)


def shifted(pictures, rng):
    """Each picture moved by up to one pixel in either direction, so that place matters less."""
    padded = np.pad(pictures, ((0, 0), (1, 1), (1, 1)))
    places = rng.integers(0, 3, (len(pictures), 2))
    return np.stack([p[y:y + 8, x:x + 8] for p, (y, x) in zip(padded, places)])


def train(pictures, labels, rng):
    weights = initial_weights(jax.random.key(SEED))
    zeros = jax.tree.map(jnp.zeros_like, weights)
    moments, step = (zeros, zeros), 0
    for _ in range(EPOCHS):
        order = rng.permutation(len(pictures))
        for start in range(0, len(order) - BATCH + 1, BATCH):
            batch = order[start:start + BATCH]
            step += 1
            weights, moments = adam_step(weights, moments, step, shifted(pictures[batch], rng), labels[batch])
    # Four decimals keep the answers and halve the text.
    return jax.tree.map(lambda w: np.round(np.asarray(w), 4), weights)


def write_module(weights, file):
    """One picture in, the probability of each digit out; weights as constants."""
    def classify(image):
        return jax.nn.softmax(scores(weights, image[None]))[0]

    lowered = jax.jit(classify).lower(jax.ShapeDtypeStruct((8, 8), jnp.float32))
    text = lowered.as_text("hlo")
    assert "{...}" not in text, "an elided constant"
    # Parameters have the names of Python's arguments; the result gets one too.
    entry = text.index("\nENTRY ")
    file.write_text(text[:entry] + re.sub(r"ROOT \S+ =", "ROOT probabilities =", text[entry:]))


def write_pictures(pictures, labels, file):
    """A line for each: the digit, a space, and 64 characters, one for each pixel, row by row."""
    lines = [f"{label} " + "".join(LEVELS[int(level)] for level in picture.ravel())
             for picture, label in zip(pictures, labels)]
    file.write_text("\n".join(lines) + "\n")


def main():
    data = load_digits()
    rng = np.random.default_rng(SEED)
    order = rng.permutation(len(data.target))
    pictures, labels = data.images[order].astype(np.float32), data.target[order].astype(np.int32)
    held = len(labels) // 5
    weights = train(pictures[held:], labels[held:], rng)
    answers = np.asarray(scores(weights, jnp.asarray(pictures[:held]))).argmax(axis=1)
    accuracy = np.mean(answers == labels[:held])
    count = sum(w.size for w in jax.tree.leaves(weights))
    print(f"{count} weights; {accuracy:.2%} of {held} held-out digits right")
    if accuracy < LEAST_ACCURACY:
        raise SystemExit(f"below {LEAST_ACCURACY:.0%}: not written")
    write_module(weights, HERE / "digits.hlo")
    write_pictures(pictures[:held], labels[:held], HERE / "heldout.txt")


if __name__ == "__main__":
    main()
