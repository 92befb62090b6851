# SPDX-License-Identifier: Apache-2.0
"""hloc.compile: what it takes, and what it says of what it made."""

import gzip
import pathlib
import re

import numpy as np
import pytest

import hloc
from conftest import one_operation


def test_text(twice):
    executable = hloc.compile(twice)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    y, = executable(x)
    assert type(y) is np.ndarray and y.dtype == np.float32
    np.testing.assert_array_equal(y, 2 * x)


def test_what_it_says_of_itself(twice):
    executable = hloc.compile(twice)
    assert executable.name == "twice"
    assert [str(a) for a in executable.arguments] == ["f32[2,3]"]
    argument, = executable.arguments
    assert (argument.name, argument.shape, argument.dtype) == ("x", (2, 3), np.float32)
    assert executable.object[:4] == b"\x7fELF"
    assert "twice_run" in executable.header
    assert "linux" in executable.target
    assert repr(executable) == "<hloc.Executable twice(x: f32[2,3]) -> (f32[2,3])>"
    assert hloc.compile(twice, name="other").name == "other"
    assert re.fullmatch(r"\d+\.\d+\.\d+", hloc.__version__)


def test_files(twice, tmp_path):
    (tmp_path / "a.hlo").write_text(twice)
    (tmp_path / "b.hlo.gz").write_bytes(gzip.compress(twice.encode()))
    for name in ("a.hlo", "b.hlo.gz"):
        executable = hloc.compile(tmp_path / name)
        assert executable.name == name[0]
        assert executable(np.ones((2, 3), np.float32))[0].sum() == 12
    assert hloc.compile(gzip.compress(twice.encode()))(np.ones((2, 3), np.float32))[0].sum() == 12


def write_proto_field(number, value):
    if isinstance(value, int):
        return bytes([number << 3, value])
    value = b"".join(value) if isinstance(value, list) else value.encode()
    return bytes([number << 3 | 2, len(value)]) + value


def test_protocol_buffers(tmp_path):
    field = write_proto_field
    shape = field(3, [field(2, 11), field(3, 4)])  # f32[4]
    x = field(2, [field(1, "x"), field(2, "parameter"), shape])
    y = field(2, [field(1, "y"), field(2, "negate"), shape, b"\x98\x02\x01", b"\xa0\x02\x00"])
    module = field(1, "negative") + field(3, [field(1, "main"), x, y, field(6, 1)])
    (tmp_path / "m.hlo.pb").write_bytes(field(1, [module]))  # an HloProto
    for source in (module, gzip.compress(module), tmp_path / "m.hlo.pb"):
        executable = hloc.compile(source)
        assert executable(np.ones(4, np.float32))[0].sum() == -4
    assert executable.name == "m"
    wrong = module.replace(b"negate", b"negato")
    with pytest.raises(hloc.CompileError, match="instruction `y` of computation `main`: unknown opcode `negato`"):
        hloc.compile(wrong)


def test_several_arguments_and_results():
    text = one_operation("both", ["f32[2]{0}", "s32[3]{0}"], "(s32[3]{0}, f32[2]{0})", "tuple(b, a)")
    a, b = np.array([1, 2], np.float32), np.array([3, 4, 5], np.int32)
    first, second = hloc.compile(text)(a, b)
    np.testing.assert_array_equal(first, b)
    np.testing.assert_array_equal(second, a)


def test_options(twice):
    x = np.ones((2, 3), np.float32)
    for options in ({"optimization": 0}, {"threads": 1}, {"threads": 2}, {"cpu": "x86-64-v2"},
                    {"fast_math": True}, {"flush_subnormals": True}, {"excess_precision": True},
                    {"bf16_dot": "native"}, {"bf16_dot": "exact"}, {"reproducible": True}):
        assert hloc.compile(twice, **options)(x)[0].sum() == 12
    for options in ({"optimization": 4}, {"threads": 0}, {"bf16_dot": "some"},
                    {"threads": 2, "context": hloc.Context(2)}):
        with pytest.raises(ValueError):
            hloc.compile(twice, **options)
    with pytest.raises(hloc.CompileError, match="unknown CPU 'abacus'"):
        hloc.compile(twice, cpu="abacus")


def test_what_is_no_module():
    with pytest.raises(TypeError, match="expected HLO text, the path of a file"):
        hloc.compile(3)
    with pytest.raises(hloc.CompileError, match="cannot read the file"):
        hloc.compile(pathlib.Path("none.hlo"))
    with pytest.raises(hloc.CompileError, match="empty"):
        hloc.compile("")


def test_several_participants():
    text = one_operation("all", [], "u32[]", "partition-id()").replace("HloModule all,", "HloModule all, num_partitions=2,")
    with pytest.raises(hloc.HlocError, match="several participants"):
        hloc.compile(text)


def entries(folder):
    return {path.name for path in folder.iterdir() if path.name.startswith("llvmcache-")}


def test_cache(twice, tmp_path, monkeypatch):
    cold = hloc.compile(twice, cache=tmp_path / "c")
    kept = entries(tmp_path / "c")
    assert kept
    warm = hloc.compile(twice, cache=str(tmp_path / "c"))
    assert entries(tmp_path / "c") == kept
    assert (warm.object, warm.header) == (cold.object, cold.header) == (hloc.compile(twice).object, cold.header)
    x = np.ones((2, 3), np.float32)
    np.testing.assert_array_equal(warm(x)[0], 2 * x)
    # Another level is another entry; the environment names a folder, which False ignores.
    hloc.compile(twice, cache=tmp_path / "c", optimization=1)
    assert len(entries(tmp_path / "c")) > len(kept)
    monkeypatch.setenv("HLOC_CACHE", str(tmp_path / "d"))
    hloc.compile(twice, cache=False)
    assert not (tmp_path / "d").exists()
    hloc.compile(twice)
    assert entries(tmp_path / "d") == kept


def test_time_budget(twice):
    x = np.ones((2, 3), np.float32)
    np.testing.assert_array_equal(hloc.compile(twice, time_budget=1e-3)(x)[0], 2 * x)
    for options in ({"time_budget": -1}, {"time_budget": float("nan")}, {"cache": True}, {"cache_size": -1}):
        with pytest.raises(ValueError):
            hloc.compile(twice, **options)
