# SPDX-License-Identifier: Apache-2.0
"""Operations for random modules (graph.py) whose results are rounded.

Nothing in the module uses them: they are results, compared by the bounds that hlo-run derives."""

from builder import COMPLEX, POWERS, braces, shape

FUNCTIONS = ["acos", "acosh", "asin", "asinh", "atanh", "cbrt", "cosine", "cosh", "exponential", "exponential-minus-one", "log",
             "log-plus-one", "logistic", "rsqrt", "sine", "sinh", "sqrt", "tan", "tanh"]


class RoundedOperations:
    def result(self, element, sizes, rest):
        self.rounded.append(self.new_value(element, sizes, rest))

    def fraction(self, x, element):
        """Numbers of x by some small number, of any of the wide types."""
        if x.element != element:
            if x.element in COMPLEX + [POWERS]:
                return None
            x = self.add(element, x.sizes, f"convert({x.name})")
        by = self.scalar(element, "(0.3, -0.7)" if element[0] == "c" else self.random.choice([0.3, 0.07, 1.7]))
        all_by = self.raw(shape(element, x.sizes), f"broadcast({by}), dimensions={{}}")
        low, high = (None, None) if element[0] == "c" else (self.scalar(element, -4), self.scalar(element, 4))
        tame = x.name if low is None else self.raw(shape(element, x.sizes), f"clamp({low}, {x.name}, {high})")
        return self.raw(shape(element, x.sizes), f"multiply({tame}, {all_by})")

    def rounded_function(self, x):
        element = self.random.choice(["f32", "f32", "f64", "bf16", "f16", "c64", "c128"])
        number = self.fraction(x, element) if element not in COMPLEX or x.element == element else None
        if number:
            for opcode in self.random.sample(FUNCTIONS + ["erf"] * (element not in COMPLEX), self.random.choice([1, 3])):
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
        """Numbers of mean 0 and variance 1 in each feature, or by given ones; and the gradient."""
        element = self.random.choice(["f32", "f64"])
        number = self.fraction(x, element) if x.rank > 1 and x.count else None
        if not number:
            return
        f, s = self.random.randrange(x.rank), shape(element, x.sizes)
        n = [x.sizes[f]]
        scale, offset, mean, near = (self.small(element, n).name for _ in range(4))
        variance = self.raw(shape(element, n), f"abs({near})")
        three = f"({s}, {element}{n}, {element}{n})"
        rest = f"epsilon=0.5, feature_index={f}"
        kind = self.random.choice(["training", "inference", "grad"])
        if kind == "inference":
            self.result(element, x.sizes, f"batch-norm-inference({number}, {scale}, {offset}, {mean}, {variance}), {rest}")
            return
        if kind == "training":
            all_three = self.raw(three, f"batch-norm-training({number}, {scale}, {offset}), {rest}")
        else:
            gradient = self.fraction(self.small(element, x.sizes), element)
            all_three = self.raw(three, f"batch-norm-grad({number}, {scale}, {mean}, {variance}, {gradient}), {rest}")
        for i, sizes in enumerate((x.sizes, n, n)):
            self.result(element, sizes, f"get-tuple-element({all_three}), index={i}")

    def rounded_fft(self, x):
        if x.element == "f32" and x.rank and x.sizes[-1] > 1 and x.count:
            number, n = self.fraction(x, "f32"), x.sizes[-1]
            self.result("c64", [*x.sizes[:-1], n // 2 + 1], f"fft({number}), fft_type=RFFT, fft_length={{{n}}}")

    def great_diagonal(self, element, n):
        """A symmetric matrix of a great diagonal."""
        s = shape(element, [n, n])
        rows, columns = (self.raw(f"s32[{n},{n}]", f"iota(), iota_dimension={d}") for d in (0, 1))
        same = self.raw(f"pred[{n},{n}]", f"compare({rows}, {columns}), direction=EQ")
        great, small = (self.raw(s, f"broadcast({self.scalar(element, v)}), dimensions={{}}") for v in (100, 0.25))
        return self.raw(s, f"select({same}, {great}, {small})")

    def rounded_linear_algebra(self, x):
        n, element = self.random.choice([1, 3, 8, 20]), self.random.choice(["f32", "f64"])
        matrix = self.great_diagonal(element, n)
        if self.random.random() < 0.5:
            self.result(element, [n, n], f"cholesky({matrix}), lower={self.random.choice(['true', 'false'])}")
        else:
            side = self.small(element, [n, 3])
            how = self.random.choice(["NO_TRANSPOSE", "TRANSPOSE"])
            self.result(element, [n, 3], f"triangular-solve({matrix}, {side.name}), left_side=true, lower=true, transpose_a={how}")

    def rounded_library(self, x):
        """LAPACK's routines as JAX's programs call them, with columns in memory one behind the other. Of what
        has a choice of signs, as vectors have, only the numbers are results."""
        n, element = self.random.choice([1, 3, 8, 20]), self.random.choice(["f32", "f64"])
        letter, square, column = {"f32": "s", "f64": "d"}[element], f"{element}[{n},{n}]{{0,1}}", f"{element}[{n}]"
        matrix = self.raw(square, f"copy({self.great_diagonal(element, n)})")
        routine, outputs, place, sizes, config = self.random.choice([
            ("potrf", f"{square}, s32[]", 0, [n, n], f"uplo = {self.random.choice([76, 85])} : ui8"),
            ("getrf", f"{square}, s32[{n}], s32[]", 0, [n, n], ""),
            ("syevd", f"{square}, {column}, s32[]", 1, [n], f"mode = {self.random.choice([78, 86])} : ui8, uplo = 76 : ui8"),
            ("gesdd", f"{square}, {column}, {square}, {square}, s32[]", 1, [n], "mode = 65 : ui8")])
        results = self.raw(f"({outputs})", f'custom-call({matrix}), custom_call_target="lapack_{letter}{routine}_ffi", '
                                           f"api_version=API_VERSION_TYPED_FFI, backend_config={{{config}}}")
        taken = self.raw([square, column][place], f"get-tuple-element({results}), index={place}")
        self.result(element, sizes, f"copy({taken})")
