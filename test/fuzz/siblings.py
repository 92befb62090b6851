# SPDX-License-Identifier: Apache-2.0
"""Results of one shape for random modules (graph.py), which one kernel may compute."""

from builder import braces, shape

NUMBERS = ["f32", "f64", "bf16", "f16", "s8", "s16", "s32", "s64"]


class SiblingOperations:
    """`siblings` are results of the module."""

    def op_siblings(self, x):
        """Steps of an optimizer: weights that change by squares of transposed numbers, at a rate of any type, and
        those squares."""
        if x.rank < 2 or not x.count or x.element not in NUMBERS:
            return
        order = self.random.sample(range(x.rank), x.rank)
        sizes = [x.sizes[d] for d in order]
        turned = self.raw(shape(x.element, sizes), f"transpose({x.name}), dimensions={braces(order)}")
        squares = self.tamed(x.element, sizes, f"multiply({turned}, {turned})")
        self.siblings.append(squares)
        for _ in range(self.random.choice([1, 2])):
            rate = self.small(self.random.choice(NUMBERS), [])
            same_type = self.raw(shape(x.element, []), f"convert({rate.name})")
            rates = self.raw(shape(x.element, sizes), f"broadcast({same_type}), dimensions={{}}")
            steps = self.raw(shape(x.element, sizes), f"multiply({squares.name}, {rates})")
            weights = self.small(x.element, sizes)
            self.siblings.append(self.tamed(x.element, sizes, f"subtract({weights.name}, {steps})"))
