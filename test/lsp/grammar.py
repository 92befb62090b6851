# SPDX-License-Identifier: Apache-2.0
"""Colours the example of every operation as an editor would by the TextMate grammar, and compares: each
instruction's name, element type, opcode and attributes are what the grammar takes them for.

    python3 test/lsp/grammar.py GRAMMAR FOLDER"""

import json
import pathlib
import re
import sys

# One instruction on a line, as all examples are written.
INSTRUCTION = re.compile(r"^\s*(?:ROOT )?(?P<name>[\w.-]+) = (?P<shape>.*?)(?P<opcode>[a-z][a-z0-9-]*)\((?P<rest>.*)$")


def colour(patterns, line):
    """The grammar's name for each character of a line, as TextMate finds them: the first match, of several at one
    place the first in the list. Nothing in the examples goes from one line to the next."""
    names, at = [""] * len(line), 0
    while at < len(line):
        found = None
        for pattern in patterns:
            match = re.compile(pattern.get("match") or pattern["begin"]).search(line, at)
            if match and match.end() > match.start() and (found is None or match.start() < found[0].start()):
                found = match, pattern
        if not found:
            break
        match, pattern = found
        end = match.end()
        if "begin" in pattern:
            closing = re.compile(rf"(?:\\.|.)*?{pattern['end']}").match(line, end)
            end = closing.end() if closing else len(line)
        begin, name = match.start(), pattern.get("name")
        if name is None:
            (begin, end), name = match.span(1), pattern["captures"]["1"]["name"]
        names[begin:end] = [name] * (end - begin)
        at = max(end, match.end())
    return names


def check_line(patterns, line, opcodes, fail):
    match = INSTRUCTION.match(line)
    if not match:
        return
    names = colour(patterns, line)

    def expect(begin, end, wanted):
        if any(name != wanted for name in names[begin:end]):
            fail(f"`{line[begin:end]}` is {sorted(set(names[begin:end]))}, not {wanted}, in `{line.strip()}`")

    expect(*match.span("name"), "variable.other.definition.hlo")
    expect(*match.span("opcode"), "support.function.opcode.hlo")
    opcodes.add(match["opcode"])
    for kind in re.finditer(r"[a-z]+[0-9a-z]*(?=\[)", match["shape"]):
        expect(match.start("shape") + kind.start(), match.start("shape") + kind.end(), "support.type.hlo")
    outside = match["rest"]
    while outside != (blank := re.sub(r'"[^"]*"|\{[^{}]*\}', lambda each: " " * len(each.group()), outside)):
        outside = blank
    for attribute in re.finditer(r"(?<=, )[\w-]+(?==)", outside):
        expect(match.start("rest") + attribute.start(), match.start("rest") + attribute.end(),
               "entity.other.attribute-name.hlo")


def main():
    grammar, folder = json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2])
    faults = []
    for file in sorted(folder.glob("*.hlo")):
        opcodes = set()
        text = "".join(line for line in file.read_text().splitlines(True) if not line.startswith("//"))
        for line in text.splitlines():
            check_line(grammar["patterns"], line, opcodes, lambda fault: faults.append(f"{file.name}: {fault}"))
        # The example of async-done is the short form of another operation's.
        if not any(opcode == file.stem or "async" + opcode[opcode.rfind("-"):] == file.stem for opcode in opcodes):
            faults.append(f"{file.name}: {file.stem} is not among the opcodes {sorted(opcodes)}")
    print("\n".join(faults) or f"{len(list(folder.glob('*.hlo')))} examples as they are")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
