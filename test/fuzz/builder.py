# SPDX-License-Identifier: Apache-2.0
"""What random modules (graph.py) are built with: values, instructions, computations.

Numbers are small integers in every element type, so that sums and products are exact in any order."""

import math
import random

INTEGERS = ["s32"] * 6 + ["s8"] * 3 + ["u8"] * 2 + ["s4"] * 3 + ["u4"] * 2 + ["s1", "u1", "s2", "u2", "s16", "u16", "u32", "s64", "u64"]
EIGHT_BITS = ["f8e4m3fn", "f8e5m2", "f8e3m4", "f8e4m3", "f8e4m3b11fnuz", "f8e4m3fnuz", "f8e5m2fnuz"]
FLOATS = ["f32"] * 8 + ["f64"] * 2 + ["bf16"] * 2 + ["f16"] * 2 + EIGHT_BITS + ["f4e2m1fn"]
COMPLEX = ["c64", "c128"]
# A type that has only powers of two: no zero, no signs, and sums are rounded.
POWERS = "f8e8m0fnu"
TYPES = INTEGERS + FLOATS + ["pred"] * 4 + COMPLEX + [POWERS]
# Types in which sums of several small numbers are rounded.
NARROW = {*EIGHT_BITS, "f4e2m1fn", "bf16", "f16", POWERS}
SIZES = [1, 1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 32, 33, 40, 64, 65]
# Sizes of rows that are several vectors and cache blocks long, with and without a rest.
LONG_SIZES = [100, 130, 192, 257, 300, 511, 700, 1024, 1500, 4100]
# The least number of types where it is above -100, and the greatest where it is below 3.
LEAST = {"s1": -1, "s2": -2, "s4": -8, "f4e2m1fn": -6, "f8e3m4": -15, "f8e4m3b11fnuz": -30, POWERS: 0.25}
GREATEST = {"s1": 0, "u1": 1, "s2": 1}


def braces(numbers):
    return "{" + ",".join(map(str, numbers)) + "}"


def shape(element, sizes):
    return f"{element}[{','.join(map(str, sizes))}]"


class Value:
    def __init__(self, name, element, sizes):
        self.name, self.element, self.sizes = name, element, tuple(sizes)
        self.rank, self.count = len(sizes), math.prod(sizes)
        self.is_float, self.is_integer = element in FLOATS, element in INTEGERS

    def like(self, other):
        return self.element == other.element and self.sizes == other.sizes


class GraphBuilder:
    """`instructions` are (name, shape, rest) of the entry computation, `computations` the text of the
    others by name; `has_long_rows` says whether the arrays it begins with are long in their last dimension,
    `most_elements` is the greatest size of an array."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.instructions, self.values, self.computations = [], [], {}
        self.parameters = self.names = 0
        self.has_long_rows = self.random.random() < 0.25
        self.most_elements = 100000 if self.has_long_rows else 20000

    def random_sizes(self):
        while True:
            sizes = [self.random.choice(SIZES) for _ in range(self.random.choice([0, 1, 1, 2, 2, 2, 3, 3, 4]))]
            if sizes and self.random.random() < 0.02:
                sizes[self.random.randrange(len(sizes))] = 0
            if sizes and self.has_long_rows:
                sizes[-1] = self.random.choice(LONG_SIZES)
            if math.prod(sizes) <= self.most_elements * 3 // 10:
                return sizes

    def raw(self, type_text, rest):
        self.names += 1
        self.instructions.append((f"v{self.names}", type_text, rest))
        return f"v{self.names}"

    def new_value(self, element, sizes, rest):
        """Adds an instruction whose value others do not see."""
        return Value(self.raw(shape(element, sizes), rest), element, sizes)

    def add(self, element, sizes, rest):
        """Adds an instruction whose value later ones may use."""
        self.values.append(self.new_value(element, sizes, rest))
        return self.values[-1]

    def tamed(self, element, sizes, rest):
        """The same, but floats stay small."""
        value = self.add(element, sizes, rest)
        if value.is_float:
            low, high = self.scalar(element, -4), self.scalar(element, 4)
            return self.add(element, sizes, f"clamp({low}, {value.name}, {high})")
        return value

    def scalar(self, element, number):
        return self.raw(f"{element}[]", f"constant({number})")

    def zero(self, element):
        return self.scalar(element, "(0, 0)" if element in COMPLEX else {"pred": "false", POWERS: 1}.get(element, 0))

    def one(self, element):
        """One, or the greatest number of the type if that is less."""
        return self.scalar(element, "(1, 0)" if element in COMPLEX else "true" if element == "pred" else min(1, GREATEST.get(element, 1)))

    def parameter(self, element, sizes):
        self.parameters += 1
        return self.add(element, sizes, f"parameter({self.parameters - 1})")

    def small(self, element, sizes):
        """A parameter of s8, as numbers from -4 to 4 of another type."""
        return self.tame_numbers(self.parameter("s8", sizes).name, element, sizes)

    def tame_numbers(self, numbers, element, sizes):
        """Any numbers of s8, as some from -4 to 4 of another type."""
        five = self.raw(shape("s8", sizes), f"broadcast({self.scalar('s8', 5)}), dimensions={{}}")
        rest = self.add("s8", sizes, f"remainder({numbers}, {five})")
        if element == "s8":
            return rest
        if element == "pred":
            zero = self.raw(shape("s8", sizes), f"broadcast({self.scalar('s8', 0)}), dimensions={{}}")
            return self.add("pred", sizes, f"compare({rest.name}, {zero}), direction={self.random.choice(['GT', 'LT', 'NE'])}")
        if element == POWERS:
            least = self.raw(shape("s8", sizes), f"broadcast({self.scalar('s8', 1)}), dimensions={{}}")
            rest = self.add("s8", sizes, f"maximum({rest.name}, {least})")
        return self.add(element, sizes, f"convert({rest.name})")

    def pick(self, fits=lambda value: True):
        """A value, more likely a recent one; None if none fits."""
        fitting = [v for v in self.values if fits(v)]
        if self.random.random() < 0.7:
            fitting = fitting[-12:]
        return self.random.choice(fitting) if fitting else None

    def computation(self, *lines):
        name = f"c{len(self.computations)}"
        self.computations[name] = "\n".join("  " + line for line in lines)
        return name

    def fold(self, element, opcode):
        if element == "pred":
            opcode = {"add": "or", "multiply": "and", "maximum": "or", "minimum": "and"}[opcode]
        return self.computation(f"a = {element}[] parameter(0)", f"b = {element}[] parameter(1)",
                                f"ROOT r = {element}[] {opcode}(a, b)")

    def fold_opcode(self, element):
        """What a reduction in any order is exact with."""
        return "add" if element in COMPLEX else self.random.choice(
            ["maximum", "minimum"] + (["add"] * 2 if element not in NARROW else []))

    def indices(self, count):
        return [self.parameter("s32", []).name if self.random.random() < 0.6 else self.scalar("s32", self.random.randint(-2, 5))
                for _ in range(count)]
