#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares compiled code with the evaluator on random modules of bounded dynamic sizes.

    test/fuzz/bounded.py --hlo-run PATH [--seed N] [--modules N | --seconds S] [--keep DIR] [--args "..."]...

A module is made together with its inputs: sizes from 0 to the bounds are drawn, and operations are
chosen that fit them. Numbers are small integers, so that results must agree to the bit. Each module is
compiled with each of --args: without any, at -O0 and -O3. Module i of seed N is module 0 of seed N + i.
One that fails is cut down to the instructions that are needed. Exit code 1 if any failed."""

import argparse
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from exchanges import Exchanges

# The format of an element type in .npy files, and in struct.
STORED = {"s32": ("<i4", "i"), "f32": ("<f4", "f"), "s8": ("|i1", "b"), "s64": ("<i8", "q"), "f64": ("<f8", "d")}
REDUCERS = {"sum": "add", "most": "maximum", "least": "minimum", "product": "multiply"}


def braces(numbers):
    return "{" + ",".join(map(str, numbers)) + "}"


def npy(element, shape, rng):
    """The bytes of an .npy file of small numbers."""
    import struct
    kind, packed = STORED[element]
    sizes = "(" + "".join(f"{n}, " for n in shape) + ")"
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {sizes}}}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    values = [rng.randint(-4, 4) for _ in range(math.prod(shape))]
    body = struct.pack("<" + packed * len(values), *values)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + body


class Value:
    """An array: bounds, which dimensions are bounded, and the sizes that they have in this run."""

    def __init__(self, name, element, bounds, dynamic, sizes=()):
        self.name, self.element = name, element
        self.bounds, self.dynamic, self.sizes = tuple(bounds), tuple(dynamic), tuple(sizes)

    @property
    def rank(self):
        return len(self.bounds)

    def type(self):
        return type_text(self.element, self.bounds, self.dynamic)


def type_text(element, bounds, dynamic):
    return f"{element}[{','.join(('<=' if d else '') + str(b) for b, d in zip(bounds, dynamic))}]"


class Module(Exchanges):
    """`participants`, all of one `kind`, run it together; `inputs` and what is `fed` are files for each of them. `finals` are results that
    are not of the same size on all."""

    value, type_of = Value, staticmethod(type_text)

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.participants = self.random.choice([1, 1, 2, 3])
        self.kind = self.random.choice(["replica", "replica", "partition"])
        self.instructions, self.values, self.finals, self.inputs, self.fed, self.computations = [], [], [], [], {}, {}
        for element in STORED:
            for name, opcode in REDUCERS.items():
                self.reducer(name, element, opcode)
            self.computation(f"less.{element}", f"a = {element}[] parameter(0)\n  b = {element}[] parameter(1)\n"
                             "  ROOT r = pred[] compare(a, b), direction=LT")
            self.computation(f"atleast.{element}", f"a = {element}[] parameter(0)\n  b = {element}[] parameter(1)\n"
                             "  ROOT r = pred[] compare(a, b), direction=GE")
            self.computation(f"lesspair.{element}", f"a = {element}[] parameter(0)\n  b = {element}[] parameter(1)\n"
                             "  c = s32[] parameter(2)\n  d = s32[] parameter(3)\n  ROOT r = pred[] compare(a, b), direction=LT")
            self.computation(f"second.{element}", f"a = {element}[] parameter(0)\n  ROOT b = {element}[] parameter(1)")
            self.computation(f"argmax.{element}", f"""a = {element}[] parameter(0)
  i = s32[] parameter(1)
  b = {element}[] parameter(2)
  j = s32[] parameter(3)
  gt = pred[] compare(a, b), direction=GT
  eq = pred[] compare(a, b), direction=EQ
  lt = pred[] compare(i, j), direction=LT
  tie = pred[] and(eq, lt)
  keep = pred[] or(gt, tie)
  x = {element}[] select(keep, a, b)
  y = s32[] select(keep, i, j)
  ROOT r = ({element}[], s32[]) tuple(x, y)""")
        for _ in range(self.random.randint(2, 4)):
            self.parameter()
        steps = self.random.randint(2, 9)
        makers = [getattr(self, name) for name in dir(self) if name.startswith("make_")]
        tries = 0
        while steps and tries < 200:
            tries += 1
            if self.random.choice(makers)():
                steps -= 1

    # Text.

    def computation(self, name, body):
        self.computations[name] = f"{name} {{\n  {body}\n}}"

    def reducer(self, name, element, opcode):
        self.computation(f"{name}.{element}", f"a = {element}[] parameter(0)\n  b = {element}[] parameter(1)\n"
                         f"  ROOT r = {element}[] {opcode}(a, b)")

    def raw(self, type_, rest):
        name = f"v{len(self.instructions)}"
        self.instructions.append((name, type_, rest))
        return name

    def add(self, element, bounds, dynamic, sizes, rest):
        if any(s > b or (s != b and not d) for s, b, d in zip(sizes, bounds, dynamic)):
            return None
        value = Value(self.raw(type_text(element, bounds, dynamic), rest), element, bounds, dynamic, sizes)
        if element[0] == "f" and any(word in rest for word in ("multiply", "dot(", "reduce", "convolution", "add", "scatter")):
            low, high = self.scalar(element, -64), self.scalar(element, 64)
            value = Value(self.raw(value.type(), f"clamp({low}, {value.name}, {high})"), element, bounds, dynamic, sizes)
        self.values.append(value)
        return value

    def scalar(self, element, number):
        return self.raw(f"{element}[]", f"constant({number})")

    def input(self, element, bounds, dynamic, sizes):
        name = self.raw(type_text(element, bounds, dynamic), f"parameter({len(self.inputs)})")
        self.inputs.append(self.files(element, sizes))
        return Value(name, element, bounds, dynamic, sizes)

    def files(self, element, sizes):
        return [npy(element, sizes, self.random) for _ in range(self.participants)]

    def feed(self, name, a):
        """The instruction takes `a` from the host."""
        self.fed[name] = self.files(a.element, a.sizes)
        return name

    def fresh(self):
        """An array that nothing has made yet."""
        rank = self.random.choice([1, 1, 2, 2, 3])
        bounds = [self.random.choice([1, 2, 3, 4, 5, 8, 17]) for _ in range(rank)]
        dynamic = [self.random.random() < 0.6 for _ in range(rank)]
        sizes = [self.size(b) if d else b for b, d in zip(bounds, dynamic)]
        return Value(None, self.random.choice(["s32"] * 4 + ["f32"] * 3 + ["s8", "s64", "f64"]), bounds, dynamic, sizes)

    def parameter(self):
        a = self.fresh()
        self.values.append(self.input(a.element, a.bounds, a.dynamic, a.sizes))

    def size(self, bound):
        return self.random.choice([0, 1, bound, self.random.randint(0, bound), self.random.randint(0, bound)])

    def pick(self, test=lambda v: True):
        fitting = [v for v in self.values if test(v)]
        return self.random.choice(fitting[-6:] if self.random.random() < 0.5 else fitting) if fitting else None

    def where(self, chosen, d):
        return [i for i in range(len(chosen)) if i != d]

    # Operations. Each gives what it added, or None if nothing fits.

    def make_elementwise(self):
        a = self.pick()
        if self.random.random() < 0.3:
            return self.add(a.element, a.bounds, a.dynamic, a.sizes, f"negate({a.name})")
        b = self.pick(lambda v: v.element == a.element and v.bounds == a.bounds and
                      all(x == y or (dx and dy and 1 in (x, y)) or (dx != dy and bound == 0 or dx != dy)
                          for x, y, dx, dy, bound in zip(a.sizes, v.sizes, a.dynamic, v.dynamic, a.bounds)))
        sizes = []
        for x, y, dx, dy in zip(a.sizes, b.sizes, a.dynamic, b.dynamic):
            sizes.append(x if dx and not dy else y if dy and not dx else x if y == 1 else y)
        dynamic = [x or y for x, y in zip(a.dynamic, b.dynamic)]
        opcode = self.random.choice(["add", "subtract", "multiply", "maximum", "minimum"])
        return self.add(a.element, a.bounds, dynamic, sizes, f"{opcode}({a.name}, {b.name})")

    def make_convert(self):
        """Converts to another type, or bitcasts to one of the same width."""
        a = self.pick()
        element = self.random.choice([e for e in STORED if e != a.element])
        kind = "bitcast-convert" if STORED[element][0][2] == STORED[a.element][0][2] and element[0] == "s" and self.random.random() < 0.3 else "convert"
        name = a.name
        if element[0] == "f":
            low, high = self.scalar(a.element, -64), self.scalar(a.element, 64)
            name = self.raw(a.type(), f"clamp({low}, {name}, {high})")
        return self.add(element, a.bounds, a.dynamic, a.sizes, f"{kind}({name})")

    def make_set_size(self):
        a = self.pick(lambda v: v.rank)
        d = self.random.randrange(a.rank)
        size = self.size(a.bounds[d])
        dynamic, sizes = list(a.dynamic), list(a.sizes)
        dynamic[d], sizes[d] = True, size
        given = size if self.random.random() < 0.8 or 0 < size < a.bounds[d] else (-3 if size == 0 else 99)
        return self.add(a.element, a.bounds, dynamic, sizes, f"set-dimension-size({a.name}, {self.scalar('s32', given)}), dimensions={{{d}}}")

    def make_get_size(self):
        a = self.pick(lambda v: v.rank)
        d = self.random.randrange(a.rank)
        name = self.raw("s32[]", f"get-dimension-size({a.name}), dimensions={{{d}}}")
        return self.add("s32", (3,), (False,), (3,), f"broadcast({name}), dimensions={{}}")

    def make_transpose(self):
        a = self.pick(lambda v: v.rank > 1)
        if not a:
            return None
        p = self.random.sample(range(a.rank), a.rank)
        return self.add(a.element, [a.bounds[i] for i in p], [a.dynamic[i] for i in p], [a.sizes[i] for i in p],
                        f"transpose({a.name}), dimensions={braces(p)}")

    def make_reverse(self):
        a = self.pick(lambda v: v.rank)
        dims = sorted(self.random.sample(range(a.rank), self.random.randint(1, a.rank)))
        return self.add(a.element, a.bounds, a.dynamic, a.sizes, f"reverse({a.name}), dimensions={braces(dims)}")

    def make_slice(self):
        a = self.pick(lambda v: v.rank)
        bounds, sizes, parts = [], [], []
        for b, s in zip(a.bounds, a.sizes):
            start = self.random.choice([0, 0, self.random.randint(0, b)])
            limit, stride = self.random.choice([b, self.random.randint(start, b)]), self.random.choice([1, 1, 2, 3])
            bounds.append(-(-(limit - start) // stride))
            sizes.append(max(-(-(min(limit, s) - start) // stride), 0))
            parts.append(f"[{start}:{limit}:{stride}]")
        return self.add(a.element, bounds, a.dynamic, sizes, f"slice({a.name}), slice={{{', '.join(parts)}}}")

    def make_pad(self):
        a = self.pick(lambda v: v.rank)
        bounds, sizes, parts = [], [], []
        for b, s in zip(a.bounds, a.sizes):
            low, high, interior = self.random.choice([0, 0, 1, 2, -1]), self.random.choice([0, 0, 1, 3, -1]), self.random.choice([0, 0, 1])
            padded = lambda n: low + high + (n + (n - 1) * interior if n else 0)
            if padded(b) < 0:
                return None
            bounds.append(padded(b))
            sizes.append(max(padded(s), 0))
            parts.append(f"{low}_{high}_{interior}")
        if math.prod(bounds) > 3000:
            return None
        return self.add(a.element, bounds, a.dynamic, sizes, f"pad({a.name}, {self.scalar(a.element, 7)}), padding={'x'.join(parts)}")

    def make_concatenate(self):
        a = self.pick(lambda v: v.rank)
        d = self.random.randrange(a.rank)
        parts = [a]
        for _ in range(self.random.randint(1, 2)):
            b = self.pick(lambda v: v.element == a.element and v.rank == a.rank and
                          all(v.bounds[i] == a.bounds[i] and v.sizes[i] == a.sizes[i] for i in self.where(a.bounds, d)))
            parts.append(b)
        bounds, dynamic, sizes = list(a.bounds), [any(p.dynamic[i] for p in parts) for i in range(a.rank)], list(a.sizes)
        bounds[d], sizes[d] = sum(p.bounds[d] for p in parts), sum(p.sizes[d] for p in parts)
        return self.add(a.element, bounds, dynamic, sizes, f"concatenate({', '.join(p.name for p in parts)}), dimensions={{{d}}}")

    def make_broadcast(self):
        a = self.pick(lambda v: v.rank < 3)
        if not a:
            return None
        place, extra = self.random.randint(0, a.rank), self.random.choice([1, 2, 5])
        put = lambda numbers, new: list(numbers[:place]) + [new] + list(numbers[place:])
        dims = [i + (i >= place) for i in range(a.rank)]
        return self.add(a.element, put(a.bounds, extra), put(a.dynamic, False), put(a.sizes, extra), f"broadcast({a.name}), dimensions={braces(dims)}")

    def make_reduce(self):
        a = self.pick(lambda v: v.rank)
        dims = sorted(self.random.sample(range(a.rank), self.random.randint(1, a.rank)))
        kept = [i for i in range(a.rank) if i not in dims]
        parts = [[numbers[i] for i in kept] for numbers in (a.bounds, a.dynamic, a.sizes)]
        if self.random.random() < 0.3:
            where = self.raw(type_text("s32", a.bounds, [False] * a.rank), f"iota(), iota_dimension={dims[0]}")
            rest = f"reduce({a.name}, {where}, {self.scalar(a.element, -9)}, {self.scalar('s32', 99)}), dimensions={braces(dims)}, to_apply=argmax.{a.element}"
            if any(a.dynamic):
                return None  # the evaluator takes arrays of one run-time shape
            pair = self.raw(f"({type_text(a.element, *parts[:2])}, {type_text('s32', *parts[:2])})", rest)
            self.add(a.element, *parts, f"get-tuple-element({pair}), index=0")
            return self.add("s32", *parts, f"get-tuple-element({pair}), index=1")
        name = self.random.choice(["sum", "most", "least"])
        init = self.random.choice([0, 3, -2])
        return self.add(a.element, *parts, f"reduce({a.name}, {self.scalar(a.element, init)}), dimensions={braces(dims)}, to_apply={name}.{a.element}")

    def make_argmax(self):
        """Two arrays of one run-time shape."""
        a = self.pick(lambda v: v.rank)
        b = self.pick(lambda v: v.element == "s32" and v.bounds == a.bounds and v.sizes == a.sizes)
        if not b:
            return None
        d = self.random.randrange(a.rank)
        dynamic = [x or y for x, y in zip(a.dynamic, b.dynamic)]
        parts = [[numbers[i] for i in self.where(a.bounds, d)] for numbers in (a.bounds, dynamic, a.sizes)]
        rest = f"reduce({a.name}, {b.name}, {self.scalar(a.element, -9)}, {self.scalar('s32', 99)}), dimensions={{{d}}}, to_apply=argmax.{a.element}"
        pair = self.raw(f"({type_text(a.element, *parts[:2])}, {type_text('s32', *parts[:2])})", rest)
        self.add(a.element, *parts, f"get-tuple-element({pair}), index=0")
        return self.add("s32", *parts, f"get-tuple-element({pair}), index=1")

    def window(self, a):
        """Attributes of random windows, and the bounds and sizes that they give."""
        lists, bounds, sizes = [[] for _ in range(5)], [], []
        for b, s in zip(a.bounds, a.sizes):
            size, stride, low, high, dilation = (self.random.choice(c) for c in ([1, 1, 2, 3], [1, 1, 2], [0, 0, 1], [0, 0, 1, 2], [1, 1, 1, 2]))
            def count(n):
                padded = ((n - 1) * dilation + 1 if n else 0) + low + high
                return 0 if padded < size else (padded - size) // stride + 1
            bounds.append(count(b))
            sizes.append(count(s))
            for values, value in zip(lists, (size, stride, f"{low}_{high}", dilation)):
                values.append(str(value))
        texts = ["x".join(values) for values in lists]
        return f"window={{size={texts[0]} stride={texts[1]} pad={texts[2]} lhs_dilate={texts[3]}}}", bounds, sizes

    def make_reduce_window(self):
        a = self.pick(lambda v: v.rank)
        window, bounds, sizes = self.window(a)
        name = self.random.choice(["sum", "most"])
        return self.add(a.element, bounds, a.dynamic, sizes,
                        f"reduce-window({a.name}, {self.scalar(a.element, 0)}), {window}, to_apply={name}.{a.element}")

    def make_select_and_scatter(self):
        a = self.pick(lambda v: v.rank and all(v.bounds))
        if not a:
            return None
        parts = [[], []]
        for b in a.bounds:
            parts[0].append(self.random.choice([1, 2]))
            parts[1].append(self.random.choice([1, 2]))
        if any(w > b for w, b in zip(parts[0], a.bounds)):
            return None
        count = lambda n, w, s: 0 if n < w else (n - w) // s + 1
        bounds = [count(b, w, s) for b, w, s in zip(a.bounds, *parts)]
        sizes = [count(n, w, s) for n, w, s in zip(a.sizes, *parts)]
        source = self.input(a.element, bounds, a.dynamic, sizes)
        text = ["x".join(map(str, part)) for part in parts]
        return self.add(a.element, a.bounds, a.dynamic, a.sizes,
                        f"select-and-scatter({a.name}, {source.name}, {self.scalar(a.element, 0)}), window={{size={text[0]} stride={text[1]}}}, "
                        f"select=atleast.{a.element}, scatter=sum.{a.element}")

    def make_dot(self):
        a = self.pick(lambda v: v.rank)
        l = self.random.randrange(a.rank)
        b = self.pick(lambda v: v.element == a.element and any(v.bounds[r] == a.bounds[l] and
                      (v.sizes[r] == a.sizes[l] or not v.dynamic[r] or not a.dynamic[l]) for r in range(v.rank)))
        if not b:
            return None
        r = self.random.choice([r for r in range(b.rank) if b.bounds[r] == a.bounds[l] and
                                (b.sizes[r] == a.sizes[l] or not b.dynamic[r] or not a.dynamic[l])])
        parts = [[x[i] for i in self.where(x, l)] + [y[i] for i in self.where(y, r)]
                 for x, y in ((a.bounds, b.bounds), (a.dynamic, b.dynamic), (a.sizes, b.sizes))]
        if math.prod(parts[0]) > 3000:
            return None
        return self.add(a.element, *parts, f"dot({a.name}, {b.name}), lhs_contracting_dims={{{l}}}, rhs_contracting_dims={{{r}}}")

    def make_convolution(self):
        a = self.pick(lambda v: v.rank == 3 and v.bounds[1])
        if not a:
            return None
        groups = 2 if a.bounds[2] % 2 == 0 and a.sizes[2] % 2 == 0 and self.random.random() < 0.5 else 1
        out = self.random.choice([1, 3]) * groups
        width = self.random.choice([1, 2, 3])
        if width > a.bounds[1]:
            return None
        shorter = self.random.random() < 0.3
        length = self.size(width) if shorter else width
        kernel = self.input(a.element, (width, a.bounds[2] // groups, out), (shorter, a.dynamic[2], False), (length, a.sizes[2] // groups, out))
        low, high, stride = self.random.choice([0, 1]), self.random.choice([0, 1]), self.random.choice([1, 2])
        count = lambda n, k: 0 if n + low + high < k else (n + low + high - k) // stride + 1
        bound = count(a.bounds[1], width)
        backwards = self.random.choice(["", " rhs_reversal=1"])
        return self.add(a.element, (a.bounds[0], bound, out), (a.dynamic[0], a.dynamic[1] or shorter, False),
                        (a.sizes[0], min(count(a.sizes[1], length), bound), out),
                        f"convolution({a.name}, {kernel.name}), window={{size={width} stride={stride} pad={low}_{high}{backwards}}}, "
                        f"dim_labels=b0f_0io->b0f, feature_group_count={groups}")

    def make_fft(self):
        """There and back again: integers, which may be rounded."""
        a = self.pick(lambda v: v.element == "f32" and v.rank and 0 not in v.bounds)
        if not a:
            return None
        lengths = a.bounds[-self.random.randint(1, min(3, a.rank)):]
        type_ = type_text("c64", a.bounds, a.dynamic)
        numbers = self.raw(type_, f"complex({a.name}, {a.name})")
        for kind in ("FFT", "IFFT"):
            numbers = self.raw(type_, f"fft({numbers}), fft_type={kind}, fft_length={braces(lengths)}")
        part = self.raw(a.type(), f"{self.random.choice(['real', 'imag'])}({numbers})")
        whole = self.raw(a.type(), f"round-nearest-even({part})")
        return self.add("s32", a.bounds, a.dynamic, a.sizes, f"convert({whole})")

    def make_sort(self):
        a = self.pick(lambda v: v.rank)
        d = self.random.randrange(a.rank)
        b = self.pick(lambda v: v.element == "s32" and v.bounds == a.bounds and v.sizes == a.sizes)
        if b and self.random.random() < 0.5:
            pair = self.raw(f"({a.type()}, {b.type()})", f"sort({a.name}, {b.name}), dimensions={{{d}}}, is_stable=true, to_apply=lesspair.{a.element}")
            self.add(a.element, a.bounds, a.dynamic, a.sizes, f"get-tuple-element({pair}), index=0")
            return self.add("s32", b.bounds, b.dynamic, b.sizes, f"get-tuple-element({pair}), index=1")
        return self.add(a.element, a.bounds, a.dynamic, a.sizes, f"sort({a.name}), dimensions={{{d}}}, is_stable=true, to_apply=less.{a.element}")

    def make_topk(self):
        a = self.pick(lambda v: v.rank and v.bounds[-1] and v.sizes[-1])
        if not a:
            return None
        k = self.random.randint(1, a.sizes[-1])
        parts = [*a.bounds[:-1], k], [*a.dynamic[:-1], False], [*a.sizes[:-1], k]
        pair = self.raw(f"({type_text(a.element, *parts[:2])}, {type_text('s32', *parts[:2])})",
                        f"topk({a.name}), k={k}, largest={self.random.choice(['true', 'false'])}")
        self.add(a.element, *parts, f"get-tuple-element({pair}), index=0")
        return self.add("s32", *parts, f"get-tuple-element({pair}), index=1")

    def index(self, bound):
        return self.scalar("s32", self.random.randint(-2, bound + 2))

    def make_dynamic_slice(self):
        a = self.pick(lambda v: v.rank)
        slice_ = [self.random.randint(0, s) for s in a.sizes]
        starts = ", ".join(self.index(b) for b in a.bounds)
        return self.add(a.element, slice_, [False] * a.rank, slice_, f"dynamic-slice({a.name}, {starts}), dynamic_slice_sizes={braces(slice_)}")

    def make_dynamic_update_slice(self):
        a = self.pick(lambda v: v.rank)
        bounds = [self.random.randint(0, b) for b in a.bounds]
        dynamic = [s < b or self.random.random() < 0.4 for b, s in zip(bounds, a.sizes)]
        sizes = [self.random.randint(0, min(b, s)) if d else b for b, s, d in zip(bounds, a.sizes, dynamic)]
        update = self.input(a.element, bounds, dynamic, sizes)
        starts = ", ".join(self.index(b) for b in a.bounds)
        return self.add(a.element, a.bounds, a.dynamic, a.sizes, f"dynamic-update-slice({a.name}, {update.name}, {starts})")

    def indices(self):
        """Index vectors of one component, s32[n,1] or s32[<=n,1]."""
        bound = self.random.choice([1, 3, 6])
        dynamic = self.random.random() < 0.6
        return self.input("s32", (bound, 1), (dynamic, False), (self.size(bound) if dynamic else bound, 1))

    def make_gather(self):
        a = self.pick(lambda v: v.rank and v.sizes[0])
        if not a:
            return None
        i = self.indices()
        slice_ = [1, *a.bounds[1:]]
        return self.add(a.element, [i.bounds[0], *a.bounds[1:]], [i.dynamic[0], *a.dynamic[1:]], [i.sizes[0], *a.sizes[1:]],
                        f"gather({a.name}, {i.name}), offset_dims={braces(range(1, a.rank))}, collapsed_slice_dims={{0}}, "
                        f"start_index_map={{0}}, index_vector_dim=1, slice_sizes={braces(slice_)}")

    def make_scatter(self):
        a = self.pick(lambda v: v.rank)
        i = self.indices()
        rest = a.bounds[1:]
        dynamic = [d or self.random.random() < 0.3 for d in a.dynamic[1:]]
        sizes = [self.random.randint(0, s) if d else s for s, d in zip(a.sizes[1:], dynamic)]
        if any(s != b and not d for s, b, d in zip(sizes, rest, dynamic)):
            return None
        update = self.input(a.element, (i.bounds[0], *rest), (i.dynamic[0], *dynamic), (i.sizes[0], *sizes))
        name = self.random.choice(["sum", "most", "second"])
        return self.add(a.element, a.bounds, a.dynamic, a.sizes,
                        f"scatter({a.name}, {i.name}, {update.name}), update_window_dims={braces(range(1, a.rank))}, inserted_window_dims={{0}}, "
                        f"scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, to_apply={name}.{a.element}")

    def make_reshape(self):
        """Merges two dimensions, or splits one of a static size off."""
        a = self.pick(lambda v: v.rank > 1 and sum(v.dynamic) <= 1)
        if not a:
            return None
        d = self.random.randrange(a.rank - 1)
        merge = lambda numbers, f: [*numbers[:d], f(numbers[d], numbers[d + 1]), *numbers[d + 2:]]
        product = lambda x, y: x * y
        return self.add(a.element, merge(a.bounds, product), merge(a.dynamic, lambda x, y: x or y), merge(a.sizes, product), f"reshape({a.name})")

    def make_dynamic_reshape(self):
        a = self.pick(lambda v: v.rank)
        bounds = [math.prod(a.bounds)]
        if self.random.random() < 0.6 and bounds[0] % 2 == 0:
            bounds = self.random.choice([[2, bounds[0] // 2], [bounds[0] // 2, 2]])
        dynamic = [self.random.random() < 0.7 for _ in bounds]
        sizes = [self.size(b) if d else b for b, d in zip(bounds, dynamic)]
        given = ", ".join(self.scalar("s32", s) for s in sizes)
        return self.add(a.element, bounds, dynamic, sizes, f"dynamic-reshape({a.name}, {given})")

    def make_custom_calls(self):
        a = self.pick(lambda v: v.rank)
        static = type_text(a.element, a.bounds, [False] * a.rank)
        whole = self.raw("(" + ", ".join([static] + ["s32[]"] * a.rank) + ")", f'custom-call({a.name}), custom_call_target="PadToStatic"')
        data = self.add(a.element, a.bounds, [False] * a.rank, a.bounds, f"get-tuple-element({whole}), index=0")
        sizes = [self.raw("s32[]", f"get-tuple-element({whole}), index={1 + d}") for d in range(a.rank)]
        return self.add(a.element, a.bounds, a.dynamic, a.sizes, f'custom-call({data.name}, {", ".join(sizes)}), custom_call_target="SliceToDynamic"')

    def make_while(self):
        """A loop that doubles an array, and one that makes a dimension shorter at every step."""
        a = self.pick(lambda v: v.rank and v.element == "s32" and v.dynamic[0])
        if not a:
            return None
        steps, state = self.random.randint(0, 3), f"(s32[], {a.type()})"
        name = f"w{len(self.instructions)}"
        self.computation(name + ".go", f"t = {state} parameter(0)\n  i = s32[] get-tuple-element(t), index=0\n"
                         f"  n = s32[] constant({steps})\n  ROOT r = pred[] compare(i, n), direction=LT")
        shorter = self.random.random() < 0.5
        body = f"t = {state} parameter(0)\n  i = s32[] get-tuple-element(t), index=0\n  x = {a.type()} get-tuple-element(t), index=1\n"
        body += f"  one = s32[] constant(1)\n  j = s32[] add(i, one)\n  y = {a.type()} add(x, x)\n"
        if shorter:
            body += "  n = s32[] get-dimension-size(y), dimensions={0}\n  m = s32[] subtract(n, one)\n"
            body += f"  z = {a.type()} set-dimension-size(y, m), dimensions={{0}}\n"
        self.computation(name + ".step", body + f"  ROOT r = {state} tuple(j, {'z' if shorter else 'y'})")
        start = self.raw(state, f"tuple({self.scalar('s32', 0)}, {a.name})")
        loop = self.raw(state, f"while({start}), condition={name}.go, body={name}.step")
        sizes = [max(a.sizes[0] - steps, 0) if shorter else a.sizes[0], *a.sizes[1:]]
        return self.add("s32", a.bounds, a.dynamic, sizes, f"get-tuple-element({loop}), index=1")

    def make_conditional(self):
        a = self.pick(lambda v: v.rank)
        name = f"b{len(self.instructions)}"
        self.computation(name + ".yes", f"x = {a.type()} parameter(0)\n  ROOT r = {a.type()} negate(x)")
        self.computation(name + ".no", f"x = {a.type()} parameter(0)\n  ROOT r = {a.type()} add(x, x)")
        choice = self.scalar("pred", self.random.choice(["true", "false"]))
        return self.add(a.element, a.bounds, a.dynamic, a.sizes,
                        f"conditional({choice}, {a.name}, {a.name}), true_computation={name}.yes, false_computation={name}.no")

    def count_name(self):
        return "replica_count" if self.kind == "replica" else "num_partitions"

    def text(self, roots):
        """Only what `roots` need; and the files that are left, each with its bytes for each participant."""
        import re
        needed, kept = {v.name for v in roots}, []
        for name, type_, rest in reversed(self.instructions):
            if name in needed:
                kept.append((name, type_, rest))
                needed.update(re.findall(r"v\d+", rest))
        kept.reverse()
        inputs, fed, lines = [], [], []
        for name, type_, rest in kept:
            if rest.startswith("parameter("):
                inputs.append(self.inputs[int(rest[10:-1])])
                rest = f"parameter({len(inputs) - 1})"
            if name in self.fed:
                fed.append(self.fed[name])
            lines.append(f"  {name} = {type_} {rest}")
        lines.append(f"  ROOT out = ({', '.join(v.type() for v in roots)}) tuple({', '.join(v.name for v in roots)})")
        used = [body for name, body in self.computations.items() if re.search(rf"={re.escape(name)}(,|$)", "\n".join(lines), re.M)]
        return "\n\n".join([f"HloModule bounded, {self.count_name()}={self.participants}", *used, "ENTRY main {\n" + "\n".join(lines) + "\n}\n"]), {
            f"{kind}{i}": data for kind, list_ in (("in", inputs), ("infeed", fed)) for i, data in enumerate(list_)}


def run(hlo_run, text, inputs, arguments, folder, module):
    """What is wrong, or nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "module.hlo").write_text(text)
    for old in folder.glob("*.npy"):
        old.unlink()
    for name, files in inputs.items():
        for i, data in enumerate(files):
            (folder / (f"{name}.p{i}.npy" if len(files) > 1 else f"{name}.npy")).write_bytes(data)
    command = [hlo_run, folder / "module.hlo", "--compare", "--ulp=0", "--check-buffers", f"--{module.kind}s={module.participants}", *arguments.split()]
    if inputs:
        command.append(f"--inputs-from={folder}")
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120)
    except subprocess.TimeoutExpired:
        return "no end within 120 seconds"
    if done.returncode == 0:
        return None
    lines = [line for line in (done.stderr + done.stdout).splitlines() if "error" in line] or [done.stderr.strip()[-200:]]
    return f"exit {done.returncode}: {lines[0].replace(str(folder), '')}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hlo-run", required=True)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--modules", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--args", action="append")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    end, faults, i = time.monotonic() + options.seconds, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        while i < options.modules or time.monotonic() < end:
            module = Module(options.seed + i)
            work = pathlib.Path(folder) / str(i)
            for arguments in options.args or ["-O3 --threads=1", "-O0 --threads=1"]:
                roots = module.values + module.finals
                text, inputs = module.text(roots)
                fault = run(options.hlo_run, text, inputs, arguments, work, module)
                if not fault:
                    continue
                faults += 1
                for value in roots:  # the first value that is wrong is enough
                    small, few = module.text([value])
                    if again := run(options.hlo_run, small, few, arguments, work, module):
                        text, inputs, fault = small, few, again
                        break
                print(f"module {options.seed + i} {arguments}: {fault}\n{text}", flush=True)
                if options.keep:
                    run(options.hlo_run, text, inputs, arguments, options.keep / f"{options.seed + i}", module)
                break
            i += 1
    print(f"{i} modules, {faults} faults")
    return faults > 0


if __name__ == "__main__":
    sys.exit(main())
