# SPDX-License-Identifier: Apache-2.0
"""Threads that calls use: as many as they are given, and the same bits with any number."""

import threading

import numpy as np
import pytest

import hloc
from test_save import LARGE


def count_threads():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("Threads:"))


def test_same_bits_with_any_number():
    x = np.random.default_rng(2).random((512, 512), np.float32)
    results = [hloc.compile(LARGE, **options)(x)[0]
               for options in ({"threads": 1}, {"threads": 2}, {"threads": 3}, {"context": hloc.Context(2)}, {})]
    for other in results[1:]:
        np.testing.assert_array_equal(results[0], other)


def test_one_thread_starts_no_others():
    executable = hloc.compile(LARGE, threads=1)
    before = count_threads()
    executable(np.ones((512, 512), np.float32))
    assert count_threads() <= before


def test_contexts():
    context = hloc.Context(2)
    assert context.threads == 2
    first, second = hloc.compile(LARGE, context=context), hloc.compile(LARGE, context=context)
    x = np.ones((512, 512), np.float32)
    assert (first(x)[0] == second(x)[0]).all()
    for wrong in (0, -1):
        with pytest.raises(ValueError):
            hloc.Context(wrong)


def test_compiling_on_several_threads():
    failed = []

    def work():
        try:
            hloc.compile(LARGE)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_others_run_while_a_module_does():
    """Python's lock is given up: a thread that counts goes on."""
    executable = hloc.compile(LARGE, threads=1)
    x = np.ones((512, 512), np.float32)
    counts, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counts[0] += 1
            done.wait(0.0001)

    thread = threading.Thread(target=count)
    thread.start()
    for _ in range(50):
        executable(x)
    done.set()
    thread.join()
    assert counts[0] > 10
