# SPDX-License-Identifier: Apache-2.0
"""Operations for random modules (graph.py) whose results are rounded.

Nothing in the module uses them: they are results, compared by the bounds that hlo-run derives."""

from builder import braces, shape

FUNCTIONS = ["acos", "acosh", "asin", "asinh", "atanh", "cbrt", "cosine", "cosh", "exponential", "exponential-minus-one", "log",
             "log-plus-one", "logistic", "rsqrt", "sine", "sinh", "sqrt", "tan", "tanh"]


class RoundedOperations:
    def result(self, element, sizes, rest):
        self.rounded.append(self.new_value(element, sizes, rest))

    def fraction(self, x, element):
        """Numbers of x by some small number, of any of the wide types."""
        if x.element != element:
            if x.element == "c64":
                return None
            x = self.add(element, x.sizes, f"convert({x.name})")
        by = self.scalar(element, "(0.3, -0.7)" if element[0] == "c" else self.random.choice([0.3, 0.07, 1.7]))
        all_by = self.raw(shape(element, x.sizes), f"broadcast({by}), dimensions={{}}")
        low, high = (None, None) if element[0] == "c" else (self.scalar(element, -4), self.scalar(element, 4))
        tame = x.name if low is None else self.raw(shape(element, x.sizes), f"clamp({low}, {x.name}, {high})")
        return self.raw(shape(element, x.sizes), f"multiply({tame}, {all_by})")

    def rounded_function(self, x):
        element = self.random.choice(["f32", "f32", "f64", "bf16", "f16", "c64"])
        number = self.fraction(x, element) if element != "c64" or x.element == "c64" else None
        if number:
            opcode = self.random.choice(FUNCTIONS + (["erf"] if element != "c64" else []))
            self.result(element, x.sizes, f"{opcode}({number})")

    def rounded_quotient(self, x):
        number = self.fraction(x, "f32")
        if number:
            three = self.raw(shape("f32", x.sizes), f"broadcast({self.scalar('f32', 3)}), dimensions={{}}")
            pair = self.random.choice([(number, three), (three, number)])
            self.result("f32", x.sizes, f"{self.random.choice(['divide', 'atan2', 'power', 'remainder'])}({pair[0]}, {three})")

    def rounded_sum(self, x):
        element = self.random.choice(["f32", "f64", "bf16"])
        number = self.fraction(x, element) if x.rank else None
        if number:
            gone = sorted(self.random.sample(range(x.rank), self.random.randint(1, x.rank)))
            sizes = [size for i, size in enumerate(x.sizes) if i not in gone]
            self.result(element, sizes, f"reduce({number}, {self.zero(element)}), dimensions={braces(gone)}, to_apply={self.fold(element, 'add')}")

    def rounded_dot(self, x):
        element = self.random.choice(["f32", "f64", "bf16", "f16"])
        number = self.fraction(x, element) if x.rank == 2 and 0 < x.count <= 4000 else None
        if number:
            columns = self.random.choice([1, 7, 16, 40])
            other = self.fraction(self.small(element, [x.sizes[1], columns]), element)
            self.result(element, [x.sizes[0], columns], f"dot({number}, {other}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}")

    def rounded_normalization(self, x):
        """Numbers of mean 0 and variance 1 in each feature."""
        number = self.fraction(x, "f32") if x.rank > 1 and x.count else None
        if number:
            f, s = self.random.randrange(x.rank), shape("f32", x.sizes)
            n = f"f32[{x.sizes[f]}]"
            scale, offset = (self.small("f32", [x.sizes[f]]).name for _ in range(2))
            all_three = self.raw(f"({s}, {n}, {n})", f"batch-norm-training({number}, {scale}, {offset}), epsilon=0.5, feature_index={f}")
            self.result("f32", x.sizes, f"get-tuple-element({all_three}), index=0")

    def rounded_fft(self, x):
        if x.element == "f32" and x.rank and x.sizes[-1] > 1 and x.count:
            number, n = self.fraction(x, "f32"), x.sizes[-1]
            self.result("c64", [*x.sizes[:-1], n // 2 + 1], f"fft({number}), fft_type=RFFT, fft_length={{{n}}}")

    def rounded_linear_algebra(self, x):
        """Of a matrix with a great diagonal."""
        n = self.random.choice([1, 3, 8, 20])
        element = self.random.choice(["f32", "f64"])
        s = shape(element, [n, n])
        rows, columns = (self.raw(f"s32[{n},{n}]", f"iota(), iota_dimension={d}") for d in (0, 1))
        same = self.raw(f"pred[{n},{n}]", f"compare({rows}, {columns}), direction=EQ")
        great, small = (self.raw(s, f"broadcast({self.scalar(element, v)}), dimensions={{}}") for v in (100, 0.25))
        matrix = self.raw(s, f"select({same}, {great}, {small})")
        if self.random.random() < 0.5:
            self.result(element, [n, n], f"cholesky({matrix}), lower={self.random.choice(['true', 'false'])}")
        else:
            side = self.small(element, [n, 3])
            how = self.random.choice(["NO_TRANSPOSE", "TRANSPOSE"])
            self.result(element, [n, 3], f"triangular-solve({matrix}, {side.name}), left_side=true, lower=true, transpose_a={how}")
