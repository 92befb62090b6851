# SPDX-License-Identifier: Apache-2.0
"""The blocks of Python in the pages of docs/, those of a page one after the other in one module, as a reader
would type them."""

import pathlib
import re

import pytest

DOCS = pathlib.Path(__file__).resolve().parent.parent.parent / "docs"
PAGES = {name: (DOCS / name).read_text() for name in ("python.md", "weights.md")}
BLOCKS = [(name, needed, block) for name, text in PAGES.items()
          for needed, block in re.findall(r"^```python *(\w*)\n(.*?)^```$", text, re.M | re.S)]
names = {name: {} for name in PAGES}


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_block(number):
    page, needed, block = BLOCKS[number]
    if needed:
        pytest.importorskip(needed)
    line = PAGES[page].split(block)[0].count("\n")
    exec(compile("\n" * line + block, str(DOCS / page), "exec"), names[page])


def test_there_are_blocks():
    assert len(BLOCKS) >= 7
