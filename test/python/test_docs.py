# SPDX-License-Identifier: Apache-2.0
"""The blocks of docs/python.md, one after the other in one module, as a reader would type them."""

import pathlib
import re

import pytest

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "python.md"
BLOCKS = re.findall(r"^```python *(\w*)\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
names = {}


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_block(number):
    needed, block = BLOCKS[number]
    if needed:
        pytest.importorskip(needed)
    line = PAGE.read_text().split(block)[0].count("\n")
    exec(compile("\n" * line + block, str(PAGE), "exec"), names)


def test_there_are_blocks():
    assert len(BLOCKS) >= 6
