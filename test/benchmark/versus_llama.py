#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hloc beside llama.cpp: the same language model of random weights, in the same run.
Needs `pip install jax gguf llama-cpp-python`.

    versus_llama.py [--threads N] [--types Q8_0,Q4_0] [--layers N] [--width N] [--heads N]
                    [--key-heads N] [--hidden N] [--vocabulary N] [--context N] [--prompt N]
                    [--hlo-run PATH] [--args "..."] [--seconds S]

The model is llama's: normalizations, rotated positions, grouped queries, gated layers, weights in blocks
of 32 with a scale of 16 bits each (Q8_0, Q4_0). llama.cpp reads it from a file; hloc compiles what JAX prints
of it, the weights being parameters that the program widens where it uses them. A line for each type, and for
the prompt and each token after it:

    llama.cpp, hloc   tokens a second, of the least time
    ratio             hloc / llama.cpp: above 1, hloc is faster
    weights           gigabytes of weights that hloc reads a second, each once
    logits            the correlation of both sides' results, which differ as llama.cpp rounds activations to 8 bits

Each side runs in a process of its own, bound to the first N processors."""

import argparse
import ctypes
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
BLOCK = 32
EPSILON, ROTATION = 1e-5, 10000.0
TOKENS = 48  # after the prompt, the last of which is timed


def sizes_of(o):
    """Rows (results) and columns (contracted elements) of each matrix of a layer."""
    head = o.width // o.heads
    return {"attn_q": (o.width, o.width), "attn_k": (head * o.key_heads, o.width),
            "attn_v": (head * o.key_heads, o.width), "attn_output": (o.width, o.width),
            "ffn_gate": (o.hidden, o.width), "ffn_up": (o.hidden, o.width),
            "ffn_down": (o.width, o.hidden)}


def matrices_of(o):
    yield "token_embd", (o.vocabulary, o.width)
    for layer in range(o.layers):
        for name, size in sizes_of(o).items():
            yield f"blk.{layer}.{name}", size
    yield "output", (o.vocabulary, o.width)


def tokens_of(o):
    return np.random.default_rng(2).integers(0, o.vocabulary, o.prompt + TOKENS).astype(np.int32)


# ---- the weights: llama.cpp's file, and the same blocks as arrays --------------------------------

def write_model(path, kind, o):
    """Writes the file; returns (integers, scales) of each matrix by name."""
    import gguf
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(o.layers)
    writer.add_context_length(o.context)
    writer.add_embedding_length(o.width)
    writer.add_feed_forward_length(o.hidden)
    writer.add_head_count(o.heads)
    writer.add_head_count_kv(o.key_heads)
    writer.add_layer_norm_rms_eps(EPSILON)
    writer.add_rope_dimension_count(o.width // o.heads)
    writer.add_rope_freq_base(ROTATION)
    writer.add_vocab_size(o.vocabulary)
    writer.add_tokenizer_model("no_vocab")
    rng, blocks = np.random.default_rng(1), {}
    form = gguf.GGMLQuantizationType[kind]
    for name, (rows, columns) in matrices_of(o):
        weights = rng.standard_normal((rows, columns), np.float32) / np.float32(columns ** 0.5)
        packed = gguf.quants.quantize(weights, form)
        writer.add_tensor(name + ".weight", packed, raw_dtype=form)
        packed = packed.reshape(rows, columns // BLOCK, -1)
        scales = packed[..., :2].copy().view(np.float16)[..., 0]
        if kind == "Q8_0":
            integers = packed[..., 2:].view(np.int8)
        else:  # the first sixteen in the low halves of bytes
            integers = np.concatenate([packed[..., 2:] & 15, packed[..., 2:] >> 4], -1).astype(np.int8) - 8
        blocks[name] = (np.ascontiguousarray(integers), scales)
    for layer in range(o.layers):
        for name in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"blk.{layer}.{name}.weight", np.ones(o.width, np.float32))
    writer.add_tensor("output_norm.weight", np.ones(o.width, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return blocks


# ---- in a process of its own: llama.cpp ------------------------------------------------------------

def measure_llama(path, o):
    import llama_cpp as llama
    quiet = llama.llama_log_callback(lambda *_: None)
    llama.llama_log_set(quiet, None)
    llama.llama_backend_init()
    model = llama.llama_load_model_from_file(str(path).encode(), llama.llama_model_default_params())
    settings = llama.llama_context_default_params()
    settings.n_ctx, settings.n_batch, settings.n_ubatch = o.context, o.context, o.context
    settings.n_threads = settings.n_threads_batch = o.threads
    context = llama.llama_new_context_with_model(model, settings)
    tokens = tokens_of(o)

    def run(part):
        array = (llama.llama_token * len(part))(*map(int, part))
        start = time.perf_counter()
        if llama.llama_decode(context, llama.llama_batch_get_one(array, len(part))) != 0:
            sys.exit("llama.cpp cannot run the model")
        logits = llama.llama_get_logits_ith(context, -1)
        return time.perf_counter() - start, np.ctypeslib.as_array(logits, (o.vocabulary,)).copy()

    prompts, steps, end = [], [], time.perf_counter() + o.seconds
    while time.perf_counter() < end or len(prompts) < 3:
        llama.llama_memory_clear(llama.llama_get_memory(context), True)
        seconds, prompt_logits = run(tokens[:o.prompt])
        prompts.append(seconds)
        for at in range(o.prompt, len(tokens)):
            seconds, logits = run(tokens[at:at + 1])
        steps.append(seconds)  # the last, whose cache is as long as hloc's
    np.save(path.parent / "llama_prompt.npy", prompt_logits)
    np.save(path.parent / "llama_token.npy", logits)
    return {"prompt": min(prompts), "token": min(steps)}


# ---- hloc: the program as JAX prints it --------------------------------------------------------------

def write_program(folder, o, weights, tokens, position, cache):
    """module.hlo and its inputs: logits of the last of `tokens`, which stand from `position` on."""
    import jax
    import jax.numpy as jnp
    head, group = o.width // o.heads, o.heads // o.key_heads

    def widen(blocks):
        integers, scales = blocks
        values = integers.astype(jnp.float32) * scales.astype(jnp.float32)[..., None]
        return values.reshape(integers.shape[0], -1)

    def product(x, blocks):
        return x @ widen(blocks).T

    def normalize(x):
        return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + EPSILON)

    def rotate(x, at):  # pairs of neighbours
        angles = at[:, None] * ROTATION ** (-jnp.arange(0, head, 2) / head)
        cosine, sine = jnp.cos(angles)[:, None], jnp.sin(angles)[:, None]
        even, odd = x[..., ::2], x[..., 1::2]
        return jnp.stack([even * cosine - odd * sine, even * sine + odd * cosine], -1).reshape(x.shape)

    def model(weights, tokens, position, cache):
        count = tokens.shape[0]
        at = position + jnp.arange(count)
        integers, scales = weights["token_embd"]
        x = widen((integers[tokens], scales[tokens]))
        sees = jnp.arange(o.context)[None] <= at[:, None]
        stored = []
        for layer in range(o.layers):
            def project(x, name, layer=layer):
                return product(x, weights[f"blk.{layer}.{name}"])
            y = normalize(x)
            q = rotate(project(y, "attn_q").reshape(count, o.heads, head), at)
            k = rotate(project(y, "attn_k").reshape(count, o.key_heads, head), at)
            v = project(y, "attn_v").reshape(count, o.key_heads, head)
            keys, values = (jax.lax.dynamic_update_slice(old, new.astype(old.dtype), (position, 0, 0))
                            for old, new in zip(cache[layer], (k, v)))
            stored.append((keys, values))
            q = q.reshape(count, o.key_heads, group, head)
            scores = jnp.einsum("tkgd,skd->kgts", q, keys.astype(jnp.float32)) / head ** 0.5
            shares = jax.nn.softmax(jnp.where(sees, scores, -jnp.inf), -1)
            mixed = jnp.einsum("kgts,skd->tkgd", shares, values.astype(jnp.float32))
            x += project(mixed.reshape(count, o.width), "attn_output")
            y = normalize(x)
            x += project(jax.nn.silu(project(y, "ffn_gate")) * project(y, "ffn_up"), "ffn_down")
        return product(normalize(x[-1:]), weights["output"])[0], stored

    arguments = (weights, tokens, np.int32(position), cache)
    lowered = jax.jit(model, donate_argnums=3, keep_unused=True).lower(*arguments)
    folder.mkdir(exist_ok=True)
    (folder / "module.hlo").write_text(lowered.as_text("hlo"))
    for number, leaf in enumerate(jax.tree.leaves(arguments)):
        leaf = np.asarray(leaf)
        np.save(folder / f"in{number}.npy", leaf if leaf.dtype != jnp.int4 else leaf.astype(np.int8))


def run_hloc(folder, o, *options):
    command = ["taskset", "-c", f"0-{o.threads - 1}", o.hlo_run, folder / "module.hlo", f"--inputs-from={folder}",
               f"--threads={o.threads}", *o.args.split(), *options]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


def measure_hloc(folder, o):
    run_hloc(folder, o, f"--outputs-to={folder}")
    printed = run_hloc(folder, o, f"--benchmark={o.seconds}", "--json")
    return json.loads(printed[printed.index("{"):])["run_seconds"]


# ---- the driver ------------------------------------------------------------------------------------

def compare(kind, o, scratch):
    import ml_dtypes
    path = scratch / f"{kind}.gguf"
    weights = write_model(path, kind, o)
    if kind == "Q4_0":
        weights = {name: (integers.astype(ml_dtypes.int4), scales) for name, (integers, scales) in weights.items()}
    tokens = tokens_of(o)
    head = o.width // o.heads
    empty = [(np.zeros((o.context, o.key_heads, head), np.float16),) * 2 for _ in range(o.layers)]
    write_program(scratch / "prompt", o, weights, tokens[:o.prompt], 0, empty)
    write_program(scratch / "tokens", o, weights, tokens[:-1], 0, empty)
    run_hloc(scratch / "tokens", o, f"--outputs-to={scratch / 'tokens'}")  # for the cache
    filled = [tuple(np.load(scratch / "tokens" / f"out{1 + 2 * layer + side}.npy") for side in range(2))
              for layer in range(o.layers)]
    write_program(scratch / "token", o, weights, tokens[-1:], len(tokens) - 1, filled)
    read = sum(rows * columns for name, (rows, columns) in matrices_of(o) if name != "token_embd")
    read *= {"Q8_0": 8.5, "Q4_0": 4.5}[kind] / 8e9
    command = ["taskset", "-c", f"0-{o.threads - 1}", sys.executable, __file__, *sys.argv[1:], f"--worker={path}"]
    llama = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    for part, count in (("prompt", o.prompt), ("token", 1)):
        seconds = measure_hloc(scratch / part, o)
        same = np.corrcoef(np.load(scratch / f"llama_{part}.npy"), np.load(scratch / part / "out0.npy"))[0, 1]
        print(f"{kind} {part:8} llama.cpp {count / llama[part]:9.1f}   hloc {count / seconds:9.1f}   ratio {llama[part] / seconds:5.2f}"
              f"   weights {read / seconds:6.2f} GB/s   logits {same:.5f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    numbers = {"threads": 1, "layers": 4, "width": 1024, "heads": 16, "key-heads": 4, "hidden": 2816,
               "vocabulary": 4096, "context": 256, "prompt": 64}
    for name, value in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--types", default="Q8_0,Q4_0")
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--hlo-run", default=HERE.parent.parent / "build/release/bin/hlo-run")
    parser.add_argument("--args", default="-O3", help="further options of hlo-run")
    parser.add_argument("--worker", type=pathlib.Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        print(json.dumps(measure_llama(options.worker, options)))
        return
    for kind in options.types.split(","):
        with tempfile.TemporaryDirectory() as scratch:
            compare(kind, options, pathlib.Path(scratch))


if __name__ == "__main__":
    main()
