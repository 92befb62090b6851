# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package share."""

import pytest

TWICE = """HloModule twice, entry_computation_layout={(f32[2,3]{1,0})->f32[2,3]{1,0}}

ENTRY main {
  x = f32[2,3]{1,0} parameter(0)
  ROOT sum = f32[2,3]{1,0} add(x, x)
}
"""


def one_operation(name, arguments, result, right_side):
    """A module of one instruction; `arguments` are shapes, of parameters a, b, ..."""
    lines = [f"  {'abc'[i]} = {shape} parameter({i})" for i, shape in enumerate(arguments)]
    layout = f"entry_computation_layout={{({','.join(arguments)})->{result}}}"
    return f"HloModule {name}, {layout}\n\nENTRY main {{\n" + "\n".join(lines) + f"\n  ROOT r = {result} {right_side}\n}}\n"


@pytest.fixture
def twice():
    return TWICE
