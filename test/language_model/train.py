# SPDX-License-Identifier: Apache-2.0
"""Trains the network on stories and writes what a C++ program needs of it, to the folder where it is called:

    train.py [--keep]

model.safetensors has its numbers as bf16 (--keep takes those that are there); prefill.hlo and decode.hlo are
the functions of those names in model.py; expected.txt is what JAX makes of BEGINNINGS with these. All are
checked in: only another network needs this script, with `pip install flax optax safetensors` and some minutes
on one core. All randomness comes from SEED."""

import random
import re
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
import optax.contrib
from flax import nnx
from safetensors.flax import load_file, save_file

import model
import stories

SEED = 8
STEPS = 1200
BATCH = 8
BEGINNINGS = ["", "Ida the goose", "Leo the otter lived on the island. One day he lost his yellow drum."]
LEAST_MARGIN = 0.01  # between the best score and the next, so that rounding decides nothing in expected.txt


def make_batch(chance):
    """A story a row, between zeros."""
    rows = np.zeros((BATCH, model.CONTEXT), np.uint8)
    for row in rows:
        text = stories.tell(chance).encode()
        row[1:len(text) + 1] = np.frombuffer(text, np.uint8)
    return rows


def loss(params, rows):
    """Nats a byte, the zero after each story included."""
    net = nnx.merge(model.GRAPH, params)
    scores = jax.vmap(lambda row: net(model.empty_cache(), row, 0)[1])(rows)
    losses = optax.softmax_cross_entropy_with_integer_labels(scores[:, :-1], rows[:, 1:])
    counts = (rows[:, :-1] != 0).at[:, 0].set(True)
    return jnp.sum(losses * counts) / jnp.sum(counts)


def train():
    rate = optax.warmup_cosine_decay_schedule(0, 8e-3, STEPS // 20, STEPS, 2e-4)
    optimizer = optax.chain(optax.clip_by_global_norm(1), optax.contrib.muon(rate, consistent_rms=0.2))

    @jax.jit
    def step(params, state, rows):
        value, gradients = jax.value_and_grad(loss)(params, rows)
        updates, state = optimizer.update(gradients, state, params)
        return optax.apply_updates(params, updates), state, value

    params = nnx.state(model.Model(nnx.Rngs(SEED)))
    state = optimizer.init(params)
    chance = random.Random(SEED)
    for number in range(STEPS):
        params, state, value = step(params, state, make_batch(chance))
        if number % 50 == 49:
            print(f"step {number + 1}: {value:.3f} nats a byte", flush=True)
    return params


def save(params, file):
    """`layers.0.query.kernel` and so on."""
    save_file({".".join(map(str, path)): leaf[...].astype(jnp.bfloat16) for path, leaf in nnx.to_flat_state(params)},
              file)


def load(file):
    arrays = load_file(file)
    return nnx.from_flat_state([(path, leaf.replace(arrays[".".join(map(str, path))]))
                                for path, leaf in nnx.to_flat_state(model.PARAMS)])


def write_module(function, params, *arguments):
    """The function's HLO. The memory of the cache that it is given becomes that of the new one."""
    text = jax.jit(function, donate_argnames="cache").lower(params, model.empty_cache(), *arguments).as_text("hlo")
    # Arguments have their names there, results those of operations.
    results = re.findall(r"[\w.]+", re.search(r"\n  ROOT .* tuple\((.*)\)", text[text.index("\nENTRY "):])[1])
    for operation, name in zip(results, ("keys", "values", "scores")):
        text = re.sub(rf"(?<![\w.]){re.escape(operation)}(?![\w.])", name, text)
    Path(f"{function.__name__}.hlo").write_text(text)


def go_on(params, beginning):
    """The story with this beginning, of the likeliest bytes, and by how much they were that at least."""
    prefill, decode = map(jax.jit, (model.prefill, model.decode))
    text, margin, cache = b"\0" + beginning.encode(), np.inf, model.empty_cache()
    for position in range(0, len(text), model.CHUNK):
        piece = text[position:position + model.CHUNK]
        padded = np.frombuffer(piece.ljust(model.CHUNK, b"\0"), np.uint8)
        cache, scores = prefill(params, cache, padded, position, len(piece))
    while len(text) < model.CONTEXT:
        second, first = np.argsort(scores)[-2:]
        margin = min(margin, scores[first] - scores[second])
        if first == 0:
            break
        cache, scores = decode(params, cache, np.uint8(first), len(text))
        text += bytes([first])
    return text[1:].decode(), margin


def main():
    if "--keep" not in sys.argv:
        save(train(), "model.safetensors")
    params = load("model.safetensors")
    zero, text = np.int32(0), np.zeros(model.CHUNK, np.uint8)
    write_module(model.prefill, params, text, zero, zero)
    write_module(model.decode, params, text[0], zero)
    told, margins = zip(*(go_on(params, beginning) for beginning in BEGINNINGS))
    print(*told, sep="\n")
    if min(margins) < LEAST_MARGIN:
        raise SystemExit(f"two bytes are nearly as likely, {min(margins):.3f}: try other BEGINNINGS")
    Path("expected.txt").write_text("\n".join(told) + "\n")


if __name__ == "__main__":
    main()
