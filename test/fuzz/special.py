# SPDX-License-Identifier: Apache-2.0
"""Operations for random modules (graph.py) beyond arithmetic, moves, reductions and loops, all exact."""

from builder import COMPLEX, EIGHT_BITS, POWERS, braces, shape

BITS = {"bf16": 16, "f16": 16, "f32": 32, "f64": 64}
CODES = {*EIGHT_BITS, "f4e2m1fn"}
PARTS = {"c64": "f32", "c128": "f64"}
WHOLES = {"f32": "c64", "f64": "c128"}


class SpecialOperations:
    # Arithmetic.

    def op_integer_products(self, x):
        if x.is_integer:
            self.add(x.element, x.sizes, f"{self.random.choice(['power', 'mulhi'])}({x.name}, {self.pick(x.like).name})")

    def op_complex(self, x):
        if x.element in WHOLES:
            x = self.add(WHOLES[x.element], x.sizes, f"complex({x.name}, {self.pick(x.like).name})")
        if x.element in COMPLEX and self.random.random() < 0.6:
            self.tamed(PARTS[x.element], x.sizes, f"{self.random.choice(['real', 'imag'])}({x.name})")

    def op_round(self, x):
        """Halves to whole numbers."""
        if x.is_float:
            halves = self.raw(shape(x.element, x.sizes), f"broadcast({self.scalar(x.element, 0.5)}), dimensions={{}}")
            half = self.raw(shape(x.element, x.sizes), f"multiply({x.name}, {halves})")
            self.add(x.element, x.sizes, f"{self.random.choice(['floor', 'ceil', 'round-nearest-even', 'round-nearest-afz'])}({half})")

    def op_is_finite(self, x):
        if x.is_float:
            self.add("pred", x.sizes, f"is-finite({x.name})")

    def op_reduce_precision(self, x):
        if x.is_float:
            self.tamed(x.element, x.sizes, f"reduce-precision({x.name}), exponent_bits={self.random.randint(4, 8)}, "
                                           f"mantissa_bits={self.random.randint(2, 10)}")

    def op_stochastic_convert(self, x):
        if x.element in BITS:
            random = self.parameter(f"u{BITS[x.element]}", x.sizes)
            self.add(self.random.choice(["s8", "s16", "s32", "u8"]), x.sizes, f"stochastic-convert({x.name}, {random.name})")

    def op_random_bits(self, x):
        """Of an integer type; the state goes on to another generator."""
        algorithm, words = self.random.choice([("rng_three_fry", 2), ("rng_philox", 2), ("rng_philox", 3), ("rng_default", 2)])
        state = self.parameter("u64", [words])
        element = self.random.choice(["u8", "s8", "u16", "u32", "s32", "u64"])
        both = self.raw(f"(u64[{words}], {shape(element, x.sizes)})", f"rng-bit-generator({state.name}), algorithm={algorithm}")
        self.add("u64", [words], f"get-tuple-element({both}), index=0")
        self.add(element, x.sizes, f"get-tuple-element({both}), index=1")

    def op_bitcast_widths(self, x):
        """Elements as several of a quarter of their width, or as one of four times it."""
        if x.element in ("s32", "u32"):
            self.add(x.element[0] + "8", [*x.sizes, 4], f"bitcast-convert({x.name})")
        elif x.element in ("s8", "u8") and x.rank and x.sizes[-1] == 4:
            self.add(x.element[0] + "32", x.sizes[:-1], f"bitcast-convert({x.name})")

    # Order.

    def op_topk(self, x):
        if not x.rank or x.element in COMPLEX + ["pred"]:
            return
        k = self.random.randint(0, min(x.sizes[-1], 9))
        sizes = [*x.sizes[:-1], k]
        how = self.random.choice([f"topk({x.name}), k={k}, largest=true", f"topk({x.name}), k={k}, largest=false",
                                  f'custom-call({x.name}), custom_call_target="TopK"'])
        both = self.raw(f"({shape(x.element, sizes)}, {shape('s32', sizes)})", how)
        self.add(x.element, sizes, f"get-tuple-element({both}), index=0")
        self.add("s32", sizes, f"get-tuple-element({both}), index=1")

    def op_scan(self, x):
        """Running sums of the slices along a dimension, with the difference of each from the sum."""
        if not x.rank or not x.is_integer:
            return
        d = self.random.randrange(x.rank)
        sizes = [size for i, size in enumerate(x.sizes) if i != d]
        part, whole = shape(x.element, sizes), shape(x.element, x.sizes)
        step = self.computation(f"x = {part} parameter(0)", f"sum = {part} parameter(1)", f"next = {part} add(x, sum)",
                                f"out = {part} {self.random.choice(['subtract', 'xor', 'maximum'])}(next, x)",
                                f"ROOT both = ({part}, {part}) tuple(out, next)")
        backwards = self.random.choice(["", ", is_reverse=true"])
        both = self.raw(f"({whole}, {part})", f"scan({x.name}, {self.small(x.element, sizes).name}), dimensions={{{d}}}{backwards}, "
                                              f"num_carries=1, to_apply={step}")
        self.add(x.element, x.sizes, f"get-tuple-element({both}), index=0")
        self.add(x.element, sizes, f"get-tuple-element({both}), index=1")

    # Layouts.

    def op_layout(self, x):
        """A copy in another layout, which the result has in turn: either may end at the module's border."""
        if x.rank > 1:
            order = self.random.sample(range(x.rank), x.rank)
            turned = self.raw(shape(x.element, x.sizes) + braces(order), f"copy({x.name})")
            self.add(x.element, x.sizes, f"copy({turned})")

    def op_parameter_in_layout(self, x):
        if x.rank > 1 and x.is_integer:
            order = self.random.sample(range(x.rank), x.rank)
            given = self.raw(shape(x.element, x.sizes) + braces(order), f"parameter({self.parameters})")
            self.parameters += 1
            self.add(x.element, x.sizes, f"copy({given})")

    def op_mark(self, x):
        """What tells compilers something and leaves the data as they are."""
        target = self.random.choice(["Sharding", "MoveToHost", "MoveToDevice", "annotate_device_placement", "LayoutConstraint"])
        self.add(x.element, x.sizes, self.random.choice([
            f'domain({x.name}), domain={{kind="sharding", entry={{maximal device=0}}, exit={{}}}}',
            f'custom-call({x.name}), custom_call_target="{target}"']))

    def op_size(self, x):
        if x.rank:
            self.add("s32", [], f"get-dimension-size({x.name}), dimensions={{{self.random.randrange(x.rank)}}}")

    def op_bitcast_view(self, x):
        if x.rank and x.count:
            self.add(x.element, [x.count], f"bitcast({x.name})")

    def op_bitcast_memory(self, x):
        """The memory of x as integers of another width: all of it, less or more."""
        if x.is_integer and x.count:
            element = self.random.choice(["s4", "s8", "u8", "u16", "s32", "u64"])
            whole = x.count * int(x.element[1:]) // int(element[1:])
            count = max(1, whole + self.random.choice([0, 0, -1, 1, 3]))
            if count <= self.most_elements:
                self.add(element, [count], f"bitcast({x.name})")

    # Calls and order of execution.

    def plus(self, x):
        """The opcode that combines two values like x."""
        return {"pred": "xor", POWERS: "maximum"}.get(x.element, "add")

    def body(self, x):
        """A computation of two arrays like x."""
        s = shape(x.element, x.sizes)
        lines = [f"a = {s} parameter(0)", f"b = {s} parameter(1)", f"sum = {s} {self.plus(x)}(a, b)"]
        if x.is_float:
            lines += [f"low = {x.element}[] constant(-4)", f"high = {x.element}[] constant(4)", f"ROOT tame = {s} clamp(low, sum, high)"]
        elif x.rank:
            lines.append(f"ROOT back = {s} reverse(sum), dimensions={{{self.random.randrange(x.rank)}}}")
        else:
            lines.append(f"ROOT same = {s} copy(sum)")
        return self.computation(*lines)

    def op_call(self, x):
        y, body = self.pick(x.like), self.body(x)
        how = self.random.choice([f"call({x.name}, {y.name}), to_apply={body}", f"fusion({x.name}, {y.name}), kind=kLoop, calls={body}"])
        self.add(x.element, x.sizes, how)

    def op_async(self, x):
        """A computation that may go on beside others."""
        y, body, s = self.pick(x.like), self.body(x), shape(x.element, x.sizes)
        start = self.raw(f"(({s}, {s}), {s}, u32[])", f"async-start({x.name}, {y.name}), calls={body}")
        for _ in range(self.random.choice([0, 0, 1])):
            start = self.raw(f"(({s}, {s}), {s}, u32[])", f"async-update({start}), calls={body}")
        self.add(x.element, x.sizes, f"async-done({start}), calls={body}")

    def op_copy_start(self, x):
        s = shape(x.element, x.sizes)
        start = self.raw(f"({s}, {s}, u32[])", f"copy-start({x.name})")
        self.add(x.element, x.sizes, f"copy-done({start})")

    def op_order(self, x):
        if self.random.random() < 0.5:
            self.add(x.element, x.sizes, f"opt-barrier({x.name})")
        else:
            token = self.raw("token[]", "after-all()")
            self.add(x.element, x.sizes, f"add-dependency({x.name}, {token})")

    def op_switch(self, x):
        """One of several branches; a number out of range takes the last."""
        s, number = shape(x.element, x.sizes), self.parameter("s32", [])
        lines = ["copy(x)", f"reverse(x), dimensions={{{x.rank - 1}}}" if x.rank else "copy(x)", f"{'or' if x.element == 'pred' else self.plus(x)}(x, x)"]
        if x.is_float:
            lines[2] = "abs(x)"
        branches = [self.computation(f"x = {s} parameter(0)", f"ROOT r = {s} {line}") for line in lines]
        low, high = self.scalar("s32", -1), self.scalar("s32", 4)
        near = self.add("s32", [], f"clamp({low}, {number.name}, {high})")
        self.add(x.element, x.sizes, f"conditional({near.name}, {x.name}, {x.name}, {x.name}), branch_computations={{{', '.join(branches)}}}")

    def op_constant_array(self, x):
        if x.element in ("s32", "f32", "s8", "f64") and 0 < x.count <= 64:
            def nested(sizes):
                if not sizes:
                    return str(self.random.randint(-4, 4))
                return "{" + ", ".join(nested(sizes[1:]) for _ in range(sizes[0])) + "}"
            self.add(x.element, x.sizes, f"constant({nested(x.sizes)})")

    # Products.

    def group_sizes(self, groups, most):
        sizes = self.parameter("s32", [groups])
        low, high = self.scalar("s32", 0), self.scalar("s32", most)
        return self.add("s32", [groups], f"clamp({low}, {sizes.name}, {high})")

    def op_ragged_dot(self, x):
        if x.rank not in (2, 3) or not x.count or x.element not in ("f32", "f64", "s32", "s64", *COMPLEX):
            return
        if x.rank == 3:
            self.ragged_batch(x)
            return
        groups, columns = self.random.choice([1, 2, 5]), self.random.choice([1, 3, 16])
        sizes = self.group_sizes(groups, self.random.choice([2, x.sizes[0]]))
        if self.random.random() < 0.5:
            weights = self.small(x.element, [groups, x.sizes[1], columns])
            self.tamed(x.element, [x.sizes[0], columns],
                       f"ragged-dot({x.name}, {weights.name}, {sizes.name}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{1}}, "
                       "lhs_ragged_dims={0}, rhs_group_dims={0}")
        else:
            other = self.small(x.element, [x.sizes[0], columns])
            self.tamed(x.element, [groups, x.sizes[1], columns],
                       f"ragged-dot({x.name}, {other.name}, {sizes.name}), lhs_contracting_dims={{0}}, rhs_contracting_dims={{0}}, "
                       "lhs_ragged_dims={0}")

    def ragged_batch(self, x):
        """Groups along the batch dimension."""
        sizes = self.group_sizes(self.random.choice([1, 2]), x.sizes[0])
        other = self.small(x.element, [x.sizes[0], x.sizes[2], self.random.choice([1, 3])])
        self.tamed(x.element, [*x.sizes[:2], other.sizes[2]],
                   f"ragged-dot({x.name}, {other.name}, {sizes.name}), lhs_batch_dims={{0}}, rhs_batch_dims={{0}}, "
                   "lhs_contracting_dims={2}, rhs_contracting_dims={1}, lhs_ragged_dims={0}")

    def op_scaled_dot(self, x):
        if x.rank != 2 or not 0 < x.count <= 3000 or x.element not in CODES | {"f32"}:
            return
        if x.element == "f32":
            x = self.add(self.random.choice(sorted(CODES)), x.sizes, f"convert({x.name})")
        rows, depth = x.sizes
        block = self.random.choice([b for b in (1, 2, 4, 16, 32, depth) if depth % b == 0])
        columns = self.random.choice([1, 4, 9])
        other = self.small(self.random.choice(sorted(CODES)), [depth, columns])

        def scale(sizes):
            codes = self.small("f32", sizes)
            size = self.raw(shape("f32", sizes), f"abs({codes.name})")
            ones = self.raw(shape("f32", sizes), f"broadcast({self.scalar('f32', 1)}), dimensions={{}}")
            return self.raw(shape("f8e8m0fnu", sizes), f"convert({self.raw(shape('f32', sizes), f'maximum({size}, {ones})')})")

        left, right = scale([rows, depth // block]), scale([depth // block, 1])
        self.tamed(self.random.choice(["f32", "f64"]), [rows, columns],
                   f"scaled-dot({x.name}, {other.name}, {left}, {right}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}")

    def op_scatter_pair(self, x):
        """Two arrays scattered at once, at points of the first dimension."""
        if not x.count or not x.rank or not x.is_integer:
            return
        y = self.pick(lambda v: v.sizes == x.sizes and v.is_integer)
        index, count = self.row_index(x)
        updates = [self.small(v.element, [count, *x.sizes[1:]]).name for v in (x, y)]
        s, t = x.element, y.element
        fold = self.computation(f"a = {s}[] parameter(0)", f"b = {t}[] parameter(1)", f"c = {s}[] parameter(2)", f"d = {t}[] parameter(3)",
                                f"e = {s}[] add(a, c)", f"f = {t}[] maximum(b, d)", f"ROOT r = ({s}[], {t}[]) tuple(e, f)")
        both = self.raw(f"({shape(s, x.sizes)}, {shape(t, x.sizes)})",
                        f"scatter({x.name}, {y.name}, {index}, {updates[0]}, {updates[1]}), update_window_dims={braces(range(1, x.rank))}, "
                        f"inserted_window_dims={{0}}, scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, to_apply={fold}")
        for i, v in enumerate((x, y)):
            self.add(v.element, v.sizes, f"get-tuple-element({both}), index={i}")
