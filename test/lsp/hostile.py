# SPDX-License-Identifier: Apache-2.0
"""Sends the language server what no editor would, and expects it to answer every request and to end as it is told.

    python3 test/lsp/hostile.py SERVER MODULE... [--seed N] [--rounds N]

Messages that are none, damaged modules, positions anywhere, edits of everything, files that are closed: made at
random of the modules, always the same for one seed."""

import argparse
import json
import pathlib
import queue
import random
import subprocess
import sys
import threading

PLACES = ("hover", "definition", "references", "documentHighlight", "prepareRename", "rename", "completion")
WHOLE = ("documentSymbol", "foldingRange")
# None of these is a request with an answer.
NO_MESSAGES = (b"", b"{", b"[]", b"null", b"7", b'"x"', b"{}", b'{"jsonrpc":"2.0"}', b'{"jsonrpc":"1.0","id":1,"method":"x"}',
               b'{"jsonrpc":"2.0","id":1}', b'{"jsonrpc":"2.0","method":7}', b'{"jsonrpc":"2.0","method":"nothing"}',
               b'{"jsonrpc":"2.0","method":"textDocument/didOpen"}', b'{"jsonrpc":"2.0","method":"textDocument/didOpen","params":[1]}',
               b'{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"x"}}}',
               b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":3}}', b"[" * 100000, b'{"a":' * 100000,
               b"\xff\xfe\x00", b'{"jsonrpc":"2.0","method":"\xff"}')
WORDS = ("{", "}", "(", ")", "[", "]", "\"", "/*", "*/", "//", "%", "=", ",", "ROOT ", "ENTRY ", "\0", "\r", "\n", "é", "🙂", "\\",
         "to_apply={", "constant({", "f32[", "9" * 40, "%x = ", "HloModule ", "metadata={", "->", "#1", "'", "while", "\t")


class Session:
    """A server, and the answers that came from it."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.answers = queue.Queue()
        self.asked = 0
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        out = self.process.stdout
        while line := out.readline():
            if line.startswith(b"Content-Length: "):
                out.readline()
                message = json.loads(out.read(int(line.split()[1])))
                if "id" in message:
                    self.answers.put(message)
        self.answers.put(None)

    def send_bytes(self, body):
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def notify(self, method, params):
        self.send_bytes(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def ask(self, method, params):
        """Sends a request and waits for its answer."""
        self.asked += 1
        number = f"request {self.asked}"
        self.send_bytes(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode())
        while True:
            answer = self.answers.get(timeout=60)
            if answer is None:
                sys.exit(f"the server ended with {self.process.wait()} at {method} {params}")
            if answer["id"] == number:
                return answer

    def end(self):
        assert "result" in self.ask("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(timeout=60)


def damage(chance, text):
    """The text with some parts gone, doubled, or replaced by what is somewhere else or stands in no text."""
    for _ in range(chance.randrange(4)):
        begin = chance.randrange(len(text) + 1)
        end = min(len(text), begin + chance.choice((0, 0, 1, 3, 20, 200)))
        part = chance.choice((chance.choice(WORDS), text[begin:end] * 2, "", text[-(end - begin) or len(text):]))
        text = text[:begin] + part + text[end:]
    return text


def anywhere(chance, text):
    lines = text.split("\n")
    line = chance.randrange(len(lines) + 2)
    length = len(lines[line]) if line < len(lines) else 5
    return {"line": chance.choice((line, line, line, -1, 2**31 - 1)),
            "character": chance.choice((chance.randrange(length + 3),) * 5 + (-1, 2**31 - 1))}


def play(chance, session, text, number):
    uri = f"file:///tmp/module{number}.hlo"
    document = {"uri": uri}
    text = damage(chance, text)
    session.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "hlo", "version": 0, "text": text}})
    for version in range(1, 4):
        for _ in range(6):
            method = chance.choice(PLACES)
            session.ask("textDocument/" + method,
                        {"textDocument": document, "position": anywhere(chance, text), "newName": chance.choice(("x", "%y", "", "f32", "é")),
                         "context": {"includeDeclaration": True}})
        session.ask("textDocument/" + chance.choice(WHOLE), {"textDocument": document})
        session.send_bytes(chance.choice(NO_MESSAGES))
        if chance.random() < 0.1:
            session.notify("textDocument/didClose", {"textDocument": document})
        begin, end = anywhere(chance, text), anywhere(chance, text)
        change = {"text": chance.choice(WORDS), "range": {"start": begin, "end": chance.choice((begin, end))}}
        session.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version},
                                                  "contentChanges": [change] * chance.randrange(3)})
    if chance.random() < 0.7:
        session.notify("textDocument/didClose", {"textDocument": document})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("server")
    parser.add_argument("modules", nargs="+", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=60)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    texts = [module.read_text() for module in options.modules]
    session = Session(options.server)
    session.ask("initialize", {"capabilities": {}})
    for number in range(options.rounds):
        play(chance, session, chance.choice(texts), number % 7)
    print(f"seed {options.seed}: {session.asked} requests answered, ended with {session.end()}")


if __name__ == "__main__":
    main()
