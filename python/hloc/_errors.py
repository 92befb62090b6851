# SPDX-License-Identifier: Apache-2.0
"""Exceptions, with the locations of errors."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

_SEVERITIES = ("error", "warning", "remark", "note")


@dataclasses.dataclass(frozen=True)
class Message:
    """A diagnostic of the compiler, with a location in the module or, in a note, in the program that the
    module was made from. If there is none, `line` and `column` are 0 and `file` is empty."""

    severity: str
    code: str
    text: str
    file: str
    line: int
    column: int
    notes: tuple[Message, ...] = ()


def read_messages(entries: Iterable[tuple]) -> tuple[Message, ...]:
    """The messages of hloc._native, each with the notes that follow it."""
    messages: list[Message] = []
    for severity, *rest in entries:
        message = Message(_SEVERITIES[severity], *rest)
        if message.severity == "note" and messages:
            last = messages[-1]
            messages[-1] = dataclasses.replace(last, notes=last.notes + (message,))
        else:
            messages.append(message)
    return tuple(messages)


class HlocError(Exception):
    """The base class of hloc's exceptions."""


class CompileError(HlocError):
    """An invalid module. Its text is the messages in the form that the tools print, with lines of the module.

    `messages` are all messages. `code`, `file`, `line` and `column` are those of the first error:
    its code (such as "H0100"; `hloc --explain` explains it) and its location in the module's text.
    `python_file` and `python_line` are the line of the user's program that the instruction was made
    from, None and 0 if the module does not contain it."""

    def __init__(self, messages: tuple[Message, ...], printed: str):
        super().__init__(printed.rstrip("\n"))
        self.messages = messages
        error = next((m for m in messages if m.severity == "error"), None)
        self.code = error.code if error else ""
        self.file = error.file if error else ""
        self.line = error.line if error else 0
        self.column = error.column if error else 0
        origin = next((n for n in error.notes if n.text.startswith("made from")), None) if error else None
        self.python_file = origin.file if origin else None
        self.python_line = origin.line if origin else 0


class UnsupportedError(CompileError):
    """A module that is valid, but that hloc cannot compile."""


class RunError(HlocError):
    """A call that failed. `code` is the kind of failure, such as "deadline exceeded"."""

    def __init__(self, code: str, message: str):
        super().__init__(message or code)
        self.code = code
        self.message = message
