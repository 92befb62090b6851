# SPDX-License-Identifier: Apache-2.0
"""Exceptions know the code, the place and the user's line."""

import numpy as np
import pytest

import hloc
from conftest import TWICE, one_operation


def test_place_and_code():
    with pytest.raises(hloc.CompileError) as caught:
        hloc.compile(TWICE.replace("add(x, x)", "add(x, y)"))
    error = caught.value
    assert (error.file, error.line, error.column, error.code) == ("twice.hlo", 5, 35, "H0001")
    assert str(error).startswith("twice.hlo:5:35: error: ")
    assert "  ROOT sum = f32[2,3]{1,0} add(x, y)\n" in str(error) and str(error).endswith("^")
    assert error.python_file is None and error.python_line == 0
    message, = error.messages
    assert message.severity == "error" and "`y`" in message.text and not message.notes


def test_users_line():
    text = TWICE.replace("f32[2,3]{1,0} add(x, x)", 'f32[9]{0} add(x, x), metadata={op_name="jit(f)/add" '
                         'source_file="/home/me/model.py" source_line=12}')
    with pytest.raises(hloc.CompileError) as caught:
        hloc.compile(text)
    assert caught.value.code == "H0100"
    assert (caught.value.python_file, caught.value.python_line) == ("/home/me/model.py", 12)
    assert "jit(f)/add" in caught.value.messages[0].notes[0].text


def test_several_errors_in_one_module():
    text = TWICE.replace("ROOT sum = f32[2,3]{1,0} add(x, x)", "a = f32[4]{0} add(x, x)\n  ROOT b = s32[2,3]{1,0} negate(x)")
    with pytest.raises(hloc.CompileError) as caught:
        hloc.compile(text)
    assert len([m for m in caught.value.messages if m.severity == "error"]) == 2


def test_stablehlo():
    with pytest.raises(hloc.CompileError, match=r"got StableHLO.*as_text\(\"hlo\"\)"):
        hloc.compile("module @jit_f {\n  func.func @main(%a: tensor<f32>) {\n    %0 = stablehlo.sine %a : tensor<f32>\n  }\n}\n")


def test_calls_that_fail():
    text = one_operation("calls", ["f32[2]{0}"], "f32[2]{0}", 'custom-call(a), custom_call_target="nobody_has_this"')
    with pytest.raises(hloc.RunError) as caught:
        hloc.compile(text)(np.zeros(2, np.float32))
    assert caught.value.code == "not found" and "nobody_has_this" in caught.value.message
    assert isinstance(caught.value, hloc.HlocError)


def test_other_bytes_than_text():
    with pytest.raises(hloc.CompileError, match="a binary file"):
        hloc.compile(b"\x00\x01\x02")
    with pytest.raises(hloc.CompileError):
        hloc.compile(b"HloModule \xff\xfe, {")
    with pytest.raises(hloc.CompileError, match="the HloModuleProto is cut off or damaged at byte 0"):
        hloc.compile(b"\n\x10m")
