# SPDX-License-Identifier: Apache-2.0
"""Random HLO modules whose results are exact.

Numbers are small integers in every element type, clamped after each operation that lets them grow, so
that compiled code must give what the evaluator gives. Index operands are parameters or constants, some
of them out of range. The same seed makes the same module."""

import math
import re

from builder import COMPLEX, FLOATS, GREATEST, LEAST, NARROW, POWERS, TYPES, GraphBuilder, braces, shape
from outside import OutsideOperations
from participants import CollectiveOperations
from rounded import RoundedOperations
from siblings import SiblingOperations
from special import SpecialOperations


class Graph(GraphBuilder, SpecialOperations, SiblingOperations, OutsideOperations, CollectiveOperations, RoundedOperations):
    """`outputs` are the values that the module gives, `aliases` pairs of an output and a parameter;
    `replicas` times `partitions` participants run it together; some results are `rounded`."""

    def __init__(self, seed):
        super().__init__(seed)
        self.aliases, self.rounded, self.siblings = [], [], []
        self.draw_participants()
        for _ in range(self.random.choice([1, 2, 3])):
            sizes = self.random_sizes()
            for _ in range(2):
                self.small(self.random.choice(TYPES), sizes)
        steps = self.named("op_")
        for _ in range(self.random.choice([5, 12, 20, 30])):
            self.apply(self.random.choice(steps), self.values)
        used = {name for _, _, rest in self.instructions for name in re.findall(r"\bv\d+\b", rest)}
        self.outputs = [self.values[-1]] + [v for v in self.values if self.random.random() < (0.08 if v.name in used else 0.4)]
        self.outputs += [v for v in self.siblings if v not in self.outputs]
        if self.random.random() < 0.3:
            for _ in range(self.random.choice([1, 3, 8])):
                self.apply(self.random.choice(self.named("rounded_")), self.rounded)
            self.outputs += self.rounded
        self.donate()

    def apply(self, operation, results):
        """Applies an operation to a value that it fits, which shows by its results."""
        before = len(results)
        for _ in range(5):
            operation(self.pick())
            if len(results) > before:
                break

    def named(self, prefix):
        """The operations to choose from; collectives where there are several participants."""
        return [getattr(self, name) for name in sorted(dir(self))
                if name.startswith(prefix) and (self.participants > 1 or not hasattr(CollectiveOperations, name))]

    def donate(self):
        """Parameters may give their memory to results of their shape."""
        free = {v.name: v for v in self.values}
        for number, output in enumerate(self.outputs):
            for name, type_text, rest in self.instructions:
                if rest.startswith("parameter(") and name in free and type_text == shape(output.element, output.sizes) and self.random.random() < 0.5:
                    del free[name]
                    self.aliases.append((number, int(rest[10:-1])))
                    break

    # Operations: each takes a value and adds what uses it, or nothing where that does not fit.

    def op_binary(self, x):
        y = self.pick(x.like)
        if x.element == "pred":
            opcodes = ["and", "or", "xor"]
        elif x.element == POWERS:
            opcodes = ["maximum", "minimum"]
        else:
            opcodes = ["add", "subtract", "multiply"] + ([] if x.element in COMPLEX else ["maximum", "minimum"])
        if x.is_integer:
            opcodes += ["and", "or", "xor", "divide", "remainder", "shift-left", "shift-right-logical", "shift-right-arithmetic"]
        self.tamed(x.element, x.sizes, f"{self.random.choice(opcodes)}({x.name}, {y.name})")

    op_binary_again = op_binary

    def op_unary(self, x):
        if x.element == "pred":
            opcodes = ["not"]
        elif x.is_integer:
            opcodes = ["not", "popcnt", "count-leading-zeros", "copy"] + (["negate", "abs", "sign"] if x.element[0] == "s" else [])
        else:
            opcodes = ["copy"] + (["negate"] if x.element != POWERS else []) + (["abs", "sign"] if x.is_float else [])
        self.add(x.element, x.sizes, f"{self.random.choice(opcodes)}({x.name})")

    def op_convert(self, x):
        element = self.random.choice(TYPES)
        if x.element in COMPLEX or element in COMPLEX or element == x.element:
            return
        if element == POWERS:
            if not x.is_float and not x.is_integer or GREATEST.get(x.element) == 0:
                return
            x = self.add(x.element, x.sizes, f"maximum({x.name}, {self.raw(shape(x.element, x.sizes), f'broadcast({self.one(x.element)}), dimensions={{}}')})")
        elif element in FLOATS and (x.is_float or x.is_integer):
            low = self.scalar(x.element, 0 if x.element[0] == "u" else max(-3, LEAST.get(x.element, -3)))
            high = self.scalar(x.element, GREATEST.get(x.element, 3))
            x = self.add(x.element, x.sizes, f"clamp({low}, {x.name}, {high})")
        elif element in FLOATS and x.element == POWERS:
            x = self.add(x.element, x.sizes, f"clamp({self.one(x.element)}, {x.name}, {self.scalar(x.element, 4)})")
        self.add(element, x.sizes, f"convert({x.name})")

    def op_bitcast(self, x):
        if x.is_integer:
            self.add({"s": "u", "u": "s"}[x.element[0]] + x.element[1:], x.sizes, f"bitcast-convert({x.name})")

    def op_clamp(self, x):
        if x.is_integer:
            low, high = self.pick(lambda v: v.element == x.element and v.sizes in (x.sizes, ())), self.one(x.element)
            self.add(x.element, x.sizes, f"clamp({low.name}, {x.name}, {high})")

    def op_compare(self, x):
        if x.element not in COMPLEX:
            direction = self.random.choice(["LT", "LE", "GT", "GE", "EQ", "NE"])
            self.add("pred", x.sizes, f"compare({x.name}, {self.pick(x.like).name}), direction={direction}")

    def op_select(self, x):
        choice = self.pick(lambda v: v.element == "pred" and v.sizes in (x.sizes, ()))
        if choice:
            self.add(x.element, x.sizes, f"select({choice.name}, {x.name}, {self.pick(x.like).name})")

    def op_map(self, x):
        if x.is_integer:
            self.add(x.element, x.sizes, f"map({x.name}, {self.pick(x.like).name}), dimensions={braces(range(x.rank))}, "
                                         f"to_apply={self.fold(x.element, 'add')}")

    def op_iota(self, x):
        if x.rank:
            element = x.element if x.is_integer else "s32"
            self.add(element, x.sizes, f"iota(), iota_dimension={self.random.randrange(x.rank)}")

    # Moving data.

    def op_broadcast(self, x):
        rank = x.rank + self.random.choice([1, 1, 2])
        places = sorted(self.random.sample(range(rank), x.rank))
        sizes = [self.random.choice([1, 2, 3, 5, 8]) for _ in range(rank)]
        for place, size in zip(places, x.sizes):
            sizes[place] = size
        if math.prod(sizes) <= self.most_elements:
            self.add(x.element, sizes, f"broadcast({x.name}), dimensions={braces(places)}")

    def op_reshape(self, x):
        if x.count == 0:
            return
        sizes, rest = [], x.count
        while rest > 1 and len(sizes) < 3:
            sizes.append(self.random.choice([f for f in range(2, rest + 1) if rest % f == 0]))
            rest //= sizes[-1]
        sizes += [rest] if rest > 1 else []
        if self.random.random() < 0.3:
            sizes.insert(self.random.randrange(len(sizes) + 1), 1)
        self.add(x.element, sizes, f"reshape({x.name})")

    def op_transpose(self, x):
        order = self.random.sample(range(x.rank), x.rank)
        self.add(x.element, [x.sizes[i] for i in order], f"transpose({x.name}), dimensions={braces(order)}")

    def op_slice(self, x):
        bounds, sizes = [], []
        for size in x.sizes:
            start = self.random.randint(0, size)
            end, stride = self.random.randint(start, size), self.random.choice([1, 1, 1, 2, 3])
            if start == end and self.random.random() < 0.9:
                start, end = 0, size
            bounds.append(f"[{start}:{end}:{stride}]")
            sizes.append(-(-(end - start) // stride))
        self.add(x.element, sizes, f"slice({x.name}), slice={{{', '.join(bounds)}}}")

    def op_pad(self, x):
        config, sizes = [], []
        for size in x.sizes:
            low, high, inner = self.random.choice([0, 0, 1, 2, -1]), self.random.choice([0, 0, 1, 3, -1]), self.random.choice([0, 0, 0, 1, 2])
            padded = size + max(0, size - 1) * inner + low + high
            if padded < 0:
                low = high = inner = 0
                padded = size
            config.append(f"{low}_{high}_{inner}")
            sizes.append(padded)
        if x.rank and math.prod(sizes) <= self.most_elements:
            value = self.one(x.element)
            self.add(x.element, sizes, f"pad({x.name}, {value}), padding={'x'.join(config)}")

    def op_concatenate(self, x):
        if not x.rank:
            return
        d = self.random.randrange(x.rank)
        fitting = [v for v in self.values if v.element == x.element and v.rank == x.rank
                   and all(i == d or v.sizes[i] == x.sizes[i] for i in range(x.rank))]
        parts = [self.random.choice(fitting) for _ in range(self.random.choice([1, 2, 2, 3]))]
        sizes = [sum(p.sizes[d] for p in parts) if i == d else size for i, size in enumerate(x.sizes)]
        if math.prod(sizes) <= self.most_elements:
            self.add(x.element, sizes, f"concatenate({', '.join(p.name for p in parts)}), dimensions={{{d}}}")

    def op_reverse(self, x):
        if x.rank:
            which = sorted(self.random.sample(range(x.rank), self.random.randint(1, x.rank)))
            self.add(x.element, x.sizes, f"reverse({x.name}), dimensions={braces(which)}")

    def op_dynamic_slice(self, x):
        if x.rank:
            sizes = [self.random.randint(min(1, size), size) for size in x.sizes]
            self.add(x.element, sizes, f"dynamic-slice({x.name}, {', '.join(self.indices(x.rank))}), dynamic_slice_sizes={braces(sizes)}")

    def op_dynamic_update_slice(self, x):
        """A chain of updates, of which all but the last may be dead at once."""
        for _ in range(self.random.choice([1, 1, 2, 4])):
            part = self.pick(lambda v: v.element == x.element and v.rank == x.rank and all(a <= b for a, b in zip(v.sizes, x.sizes)))
            if x.rank:
                x = self.add(x.element, x.sizes, f"dynamic-update-slice({x.name}, {part.name}, {', '.join(self.indices(x.rank))})")

    def row_index(self, x):
        """Indices of rows: one a row, in or out of range."""
        count = self.random.choice([1, 3, 8, 17])
        return self.parameter("s32", [count]).name, count

    def op_gather(self, x):
        if x.count and x.rank:
            index, count = self.row_index(x)
            rows = (1, *x.sizes[1:])
            if count * math.prod(rows) <= self.most_elements:
                self.add(x.element, [count, *x.sizes[1:]],
                         f"gather({x.name}, {index}), offset_dims={braces(range(1, x.rank))}, collapsed_slice_dims={{0}}, "
                         f"start_index_map={{0}}, index_vector_dim=1, slice_sizes={braces(rows)}")

    def op_gather_windows(self, x):
        """Windows that begin at points of all dimensions, in the last dimensions of the result or the first."""
        if x.count and x.rank:
            points = self.parameter("s32", [5, x.rank]).name
            sizes = [self.random.randint(1, min(size, 4)) for size in x.sizes]
            first = self.random.choice([0, 1])
            result = [5, *sizes] if first else [*sizes, 5]
            self.add(x.element, result,
                     f"gather({x.name}, {points}), offset_dims={braces(range(first, first + x.rank))}, collapsed_slice_dims={{}}, "
                     f"start_index_map={braces(range(x.rank))}, index_vector_dim=1, slice_sizes={braces(sizes)}")

    def op_scatter(self, x):
        if x.count and x.rank:
            index, count = self.row_index(x)
            updates = self.small(x.element, [count, *x.sizes[1:]])
            self.tamed(x.element, x.sizes,
                       f"scatter({x.name}, {index}, {updates.name}), update_window_dims={braces(range(1, x.rank))}, "
                       f"inserted_window_dims={{0}}, scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, "
                       f"to_apply={self.fold(x.element, self.fold_opcode(x.element))}")

    def op_sort(self, x):
        if not x.rank or x.element in COMPLEX:
            return
        d = self.random.randrange(x.rank)
        direction = self.random.choice(["LT", "GT"])
        compare = [f"a = {x.element}[] parameter(0)", f"b = {x.element}[] parameter(1)"]
        root = f"ROOT r = pred[] compare(a, b), direction={direction}"
        if self.random.random() < 0.5:
            self.add(x.element, x.sizes, f"sort({x.name}), dimensions={{{d}}}, to_apply={self.computation(*compare, root)}")
            return
        # Stable, so that what is sorted along is determined too.
        y = self.pick(lambda v: v.sizes == x.sizes)
        compare += [f"p = {y.element}[] parameter(2)", f"q = {y.element}[] parameter(3)", root]
        both = self.raw(f"({shape(x.element, x.sizes)}, {shape(y.element, y.sizes)})",
                        f"sort({x.name}, {y.name}), dimensions={{{d}}}, is_stable=true, to_apply={self.computation(*compare)}")
        for i, v in enumerate((x, y)):
            self.add(v.element, v.sizes, f"get-tuple-element({both}), index={i}")

    # Reductions and products.

    def op_reduce(self, x):
        if x.rank:
            gone = sorted(self.random.sample(range(x.rank), self.random.randint(1, x.rank)))
            sizes = [size for i, size in enumerate(x.sizes) if i not in gone]
            opcode = self.fold_opcode(x.element)
            init = self.scalar("pred", "true") if (x.element, opcode) == ("pred", "minimum") else self.zero(x.element)
            self.tamed(x.element, sizes, f"reduce({x.name}, {init}), dimensions={braces(gone)}, to_apply={self.fold(x.element, opcode)}")

    op_reduce_again = op_reduce

    def op_reduce_pair(self, x):
        """The greatest number of a dimension and its first index."""
        if not x.rank or x.element in COMPLEX + ["pred"]:
            return
        d, t = self.random.randrange(x.rank), x.element
        index = self.add("s32", x.sizes, f"iota(), iota_dimension={d}")
        fold = self.computation(
            f"a = {t}[] parameter(0)", "i = s32[] parameter(1)", f"b = {t}[] parameter(2)", "j = s32[] parameter(3)",
            "greater = pred[] compare(a, b), direction=GT", "equal = pred[] compare(a, b), direction=EQ",
            "before = pred[] compare(i, j), direction=LT", "first = pred[] and(equal, before)", "keep = pred[] or(greater, first)",
            f"x = {t}[] select(keep, a, b)", "y = s32[] select(keep, i, j)", f"ROOT r = ({t}[], s32[]) tuple(x, y)")
        sizes = [size for i, size in enumerate(x.sizes) if i != d]
        least = self.scalar(t, 0 if t[0] == "u" else LEAST.get(t, -100))
        both = self.raw(f"({shape(t, sizes)}, {shape('s32', sizes)})",
                        f"reduce({x.name}, {index.name}, {least}, {self.scalar('s32', 1000)}), dimensions={{{d}}}, to_apply={fold}")
        self.add(t, sizes, f"get-tuple-element({both}), index=0")
        self.add("s32", sizes, f"get-tuple-element({both}), index=1")

    def window(self, x, sizes, strides, pads):
        """A reduce-window of x."""
        result = [(size + sum(pad) - window) // stride + 1 for size, window, stride, pad in zip(x.sizes, sizes, strides, pads)]
        opcode = self.fold_opcode(x.element)
        init = self.scalar("pred", "true") if (x.element, opcode) == ("pred", "minimum") else self.zero(x.element)
        window = f"size={'x'.join(map(str, sizes))} stride={'x'.join(map(str, strides))} pad={'x'.join(f'{a}_{b}' for a, b in pads)}"
        self.tamed(x.element, result, f"reduce-window({x.name}, {init}), window={{{window}}}, to_apply={self.fold(x.element, opcode)}")

    def op_reduce_window(self, x):
        if x.count and x.rank:
            pads = [(self.random.choice([0, 0, 1]), self.random.choice([0, 0, 1])) for _ in x.sizes]
            sizes = [min(self.random.choice([1, 1, 2, 3]), size + sum(pad)) for size, pad in zip(x.sizes, pads)]
            self.window(x, sizes, [self.random.choice([1, 1, 2]) for _ in x.sizes], pads)

    def op_cumulative(self, x):
        if x.count and x.rank:
            d = self.random.randrange(x.rank)
            sizes = [size if i == d else 1 for i, size in enumerate(x.sizes)]
            ahead = self.random.random() < 0.6
            self.window(x, sizes, [1] * x.rank, [(s - 1, 0) if ahead else (0, s - 1) for s in sizes])

    def op_dot(self, x):
        if not x.count or not x.rank or x.element in NARROW | {"pred"}:
            return
        a = self.random.randrange(x.rank)
        y = self.pick(lambda v: (v.element == x.element or v.is_integer and x.is_integer) and x.sizes[a] in v.sizes
                      and v.count * x.count // x.sizes[a] ** 2 < 8000)
        if not y:
            return
        b = self.random.choice([i for i, size in enumerate(y.sizes) if size == x.sizes[a]])
        batch = [(i, j) for i in range(x.rank) for j in range(y.rank) if i != a and j != b and x.sizes[i] == y.sizes[j]]
        batch = [self.random.choice(batch)] if batch and self.random.random() < 0.4 else []
        left, right = [i for i, _ in batch], [j for _, j in batch]
        sizes = [x.sizes[i] for i in left] + [s for i, s in enumerate(x.sizes) if i != a and i not in left] + \
                [s for j, s in enumerate(y.sizes) if j != b and j not in right]
        element = x.element
        if y.element != element or x.is_integer and self.random.random() < 0.5:
            element = self.random.choice(["s", "u"]) + ("64" if "64" in x.element + y.element else "32")
        batches = f"lhs_batch_dims={braces(left)}, rhs_batch_dims={braces(right)}, " if batch else ""
        self.tamed(element, sizes, f"dot({x.name}, {y.name}), {batches}lhs_contracting_dims={{{a}}}, rhs_contracting_dims={{{b}}}")

    def op_convolution(self, x):
        if x.rank != 3 or not 0 < x.count <= 3000 or x.element in NARROW | {"pred"}:
            return
        features, taps, stride = self.random.choice([1, 2, 5, 8, 17]), self.random.choice([1, 2, 3]), self.random.choice([1, 1, 2])
        low, high = self.random.choice([0, 1]), self.random.choice([0, 2])
        pixels = (x.sizes[1] + low + high - taps) // stride + 1
        if x.sizes[1] + low + high >= taps:
            kernel = self.small(x.element, [taps, x.sizes[2], features])
            self.tamed(x.element, [x.sizes[0], pixels, features],
                       f"convolution({x.name}, {kernel.name}), window={{size={taps} stride={stride} pad={low}_{high}}}, dim_labels=b0f_0io->b0f")

    def op_convolution_2d(self, x):
        """Groups of features, holes in the input and in the window, windows turned round."""
        if x.rank != 4 or not 0 < x.count <= 3000 or x.element in NARROW | {"pred"}:
            return
        groups = self.random.choice([g for g in (1, 2, 3, x.sizes[3]) if x.sizes[3] % g == 0])
        taps = [self.random.choice([1, 2, 3]) for _ in range(2)]
        strides, holes, gaps = ([self.random.choice([1, 1, 1, 2]) for _ in range(2)] for _ in range(3))
        pads = [(self.random.choice([0, 1, 2]), self.random.choice([0, 1])) for _ in range(2)]
        turned = [self.random.choice([0, 0, 1]) for _ in range(2)]
        pixels = []
        for i in range(2):
            size = (x.sizes[i + 1] - 1) * holes[i] + 1 + sum(pads[i])
            reach = (taps[i] - 1) * gaps[i] + 1
            if size < reach:
                return
            pixels.append((size - reach) // strides[i] + 1)
        features = groups * self.random.choice([1, 2, 5])
        kernel = self.small(x.element, [*taps, x.sizes[3] // groups, features])

        def by(numbers):
            return "x".join(map(str, numbers))

        window = (f"size={by(taps)} stride={by(strides)} pad={by(f'{a}_{b}' for a, b in pads)} lhs_dilate={by(holes)} "
                  f"rhs_dilate={by(gaps)} rhs_reversal={by(turned)}")
        self.tamed(x.element, [x.sizes[0], *pixels, features],
                   f"convolution({x.name}, {kernel.name}), window={{{window}}}, dim_labels=b01f_01io->b01f, feature_group_count={groups}")

    def op_select_and_scatter(self, x):
        """The gradient of a pooling: where the greatest of a window is, what its window is given."""
        if not x.rank or not x.count or x.element in NARROW | {"pred", *COMPLEX}:
            return
        sizes = [self.random.randint(1, min(3, size)) for size in x.sizes]
        strides = [self.random.choice([1, 2, size]) for size in sizes]
        windows = [(size - window) // stride + 1 for size, window, stride in zip(x.sizes, sizes, strides)]
        source = self.small(x.element, windows)
        select = self.computation(f"a = {x.element}[] parameter(0)", f"b = {x.element}[] parameter(1)",
                                  "ROOT r = pred[] compare(a, b), direction=GE")
        self.tamed(x.element, x.sizes,
                   f"select-and-scatter({x.name}, {source.name}, {self.zero(x.element)}), "
                   f"window={{size={'x'.join(map(str, sizes))} stride={'x'.join(map(str, strides))}}}, "
                   f"select={select}, scatter={self.fold(x.element, 'add')}")

    # Control flow.

    def op_while(self, x):
        """A loop of a few rounds over two arrays: one accumulates the other, rows move in place."""
        if x.count > 4000:
            return
        y, s = self.pick(x.like), shape(x.element, x.sizes)
        lines = [f"p = (s32[], {s}, {s}) parameter(0)", "i = s32[] get-tuple-element(p), index=0",
                 f"x = {s} get-tuple-element(p), index=1", f"y = {s} get-tuple-element(p), index=2",
                 f"sum = {s} {self.plus(x)}(x, y)"]
        first, second = "sum", "x"
        if x.is_float:
            lines += [f"low = {x.element}[] constant(-4)", f"high = {x.element}[] constant(4)", f"tame = {s} clamp(low, sum, high)"]
            first = "tame"
        if x.rank and self.random.random() < 0.5:
            lines.append(f"back = {s} reverse(x), dimensions={{{self.random.randrange(x.rank)}}}")
            second = "back"
        if x.rank and x.count and self.random.random() < 0.5:
            row = [1, *x.sizes[1:]]
            at = ", ".join(["i"] + ["zero"] * (x.rank - 1))
            lines += ["zero = s32[] constant(0)", f"row = {shape(x.element, row)} dynamic-slice(y, {at}), dynamic_slice_sizes={braces(row)}",
                      f"moved = {s} dynamic-update-slice({self.random.choice([second, 'y'])}, row, {at})"]
            second = "moved"
        lines += ["one = s32[] constant(1)", "next = s32[] add(i, one)",
                  f"ROOT r = (s32[], {s}, {s}) tuple(next, {first}, {self.random.choice([second, second, 'x', 'y'])})"]
        condition = self.computation(f"p = (s32[], {s}, {s}) parameter(0)", "i = s32[] get-tuple-element(p), index=0",
                                     f"n = s32[] constant({self.random.choice([0, 1, 3, 5])})", "ROOT r = pred[] compare(i, n), direction=LT")
        state = self.raw(f"(s32[], {s}, {s})", f"tuple({self.scalar('s32', 0)}, {x.name}, {y.name})")
        loop = self.raw(f"(s32[], {s}, {s})", f"while({state}), condition={condition}, body={self.computation(*lines)}")
        for i in (1, 2):
            self.add(x.element, x.sizes, f"get-tuple-element({loop}), index={i}")

    def op_conditional(self, x):
        choice = self.pick(lambda v: v.element == "pred" and v.rank == 0)
        if choice:
            s = shape(x.element, x.sizes)
            opposite = "not" if x.element == "pred" or x.element[0] == "u" else "copy" if x.element == POWERS else "negate"
            moved = f"reverse(x), dimensions={{{self.random.randrange(x.rank)}}}" if x.rank and self.random.random() < 0.7 else "copy(x)"
            branches = [self.computation(f"x = {s} parameter(0)", f"ROOT r = {s} {rest}") for rest in (f"{opposite}(x)", moved)]
            self.add(x.element, x.sizes, f"conditional({choice.name}, {x.name}, {x.name}), "
                                         f"true_computation={branches[0]}, false_computation={branches[1]}")
