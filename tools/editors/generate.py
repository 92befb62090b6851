# SPDX-License-Identifier: Apache-2.0
"""Writes the grammars that editors colour HLO text with: vscode/syntaxes/hlo.tmLanguage.json and
vim/syntax/hlo.vim. Their words are those of the definitions: opcodes of compiler/hlo/*.td, element
types and keywords of the lexer, attributes of the parser's tables.

    python3 tools/editors/generate.py [--tblgen llvm-tblgen] [--include DIR] [--check]

--check writes nothing and fails if a file is not what it would be."""

import argparse
import importlib.util
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# Opcodes have asynchronous forms of these names.
ASYNC = "(?:-start|-update|-done)?"


def load_documentation():
    """docs/generate.py, which reads the definitions."""
    spec = importlib.util.spec_from_file_location("documentation", ROOT / "docs/generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_words(tblgen, includes):
    records = load_documentation().read_records(tblgen, includes)
    opcodes = {record["opName"].replace("_", "-") for record in records.values()
               if isinstance(record, dict) and "HLO_Op" in record.get("!superclasses", [])}
    opcodes = (opcodes - {"computation", "return"}) | {"parameter"}
    lexer = (ROOT / "compiler/text/Lexer.cpp").read_text()
    rules = (ROOT / "compiler/text/AttributeRules.cpp").read_text()
    header = (ROOT / "compiler/text/ParseHeader.cpp").read_text()
    return {
        "opcodes": sorted(opcodes),
        "types": cases_of(lexer, "isTypeName"),
        "keywords": cases_of(lexer, "isKeywordName"),
        "attributes": sorted(set(re.findall(r'^ +\{"([^"]+)", "[^"]*", &P::', rules, re.MULTILINE)) |
                             set(cases_of(header, "findHeaderValue")) | {"execution_thread"}),
    }


def cases_of(source, function):
    """The strings that a function compares with."""
    body = re.search(rf"\b{function}\(StringRef name\) \{{\n(.*?)^\}}", source, re.MULTILINE | re.DOTALL).group(1)
    cases = "".join(re.findall(r"\.Cases?\((.*?)\)", body, re.DOTALL))
    return sorted(set(re.findall(r'"([^"]+)"', cases)))


def one_of(words):
    """A pattern for whole words, longer ones first."""
    return "(?:" + "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word)))) + ")"


def textmate_grammar(words):
    word_end = r"(?![\w.-])"
    constants = [word for word in words["keywords"] if word in ("true", "false", "inf")]
    structure = [word for word in words["keywords"] if word not in constants]

    def rule(name, pattern, **more):
        return {"name": f"{name}.hlo", "match": pattern, **more}

    patterns = [
        {"name": "comment.block.hlo", "begin": r"/\*", "end": r"\*/"},
        rule("comment.line.double-slash", "//.*$"),
        {"name": "string.quoted.double.hlo", "begin": '"', "end": '"',
         "patterns": [{"name": "constant.character.escape.hlo", "match": r"\\."}]},
        rule("keyword.control", rf"(?<![\w.%-]){one_of(structure)}{word_end}"),
        rule("constant.language", rf"(?<![\w.%-])-?(?:{'|'.join(constants)}|nan){word_end}"),
        rule("entity.other.attribute-name", rf"(?<![\w.%-]){one_of(words['attributes'])}(?==)"),
        rule("variable.parameter", r"(?<![\w.%-])[A-Za-z_][\w.-]*(?==)"),
        rule("support.type", rf"(?<![\w.%-]){one_of(words['types'])}{word_end}"),
        rule("support.function.opcode", rf"(?<![\w.%-]){one_of(words['opcodes'])}{ASYNC}(?=\()"),
        rule("variable.other", r"%[A-Za-z_][\w.-]*"),
        {"match": r"(?<![\w.%-])([A-Za-z_][\w.-]*)(?=\s+=\s)", "captures": {"1": {"name": "variable.other.definition.hlo"}}},
        rule("constant.numeric", r"(?<![\w.%-])-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?(?![\w])"),
    ]
    return json.dumps({
        "information_for_contributors": ["Written by tools/editors/generate.py."],
        "name": "HLO", "scopeName": "source.hlo", "fileTypes": ["hlo"], "patterns": patterns}, indent=2) + "\n"


def vim_grammar(words):
    # Patterns, not keywords, where names have characters that words of Vim lack, or what follows counts.
    # Of what begins at one place, Vim takes the last that is defined.
    def pattern(words):
        longest_first = sorted(words, key=lambda word: (-len(word), word))
        return r"\%(" + r"\|".join(longest_first) + r"\)"

    constants = [word for word in words["keywords"] if word in ("true", "false", "inf")]
    structure = [word for word in words["keywords"] if word not in constants]
    before = r"[A-Za-z0-9_.%-]\@1<!"
    after = r"\%([A-Za-z0-9_.-]\)\@!"
    return rf"""" SPDX-License-Identifier: Apache-2.0
" HLO text. Written by tools/editors/generate.py.
if exists("b:current_syntax")
  finish
endif

syntax match hloNumber "{before}-\?\d\+\%(\.\d*\)\?\%([eE][+-]\?\d\+\)\?"
syntax match hloDefinition "{before}[A-Za-z_][A-Za-z0-9_.-]*\ze\s\+=\s"
syntax match hloValue "%[A-Za-z_][A-Za-z0-9_.-]*"
syntax match hloField "{before}[A-Za-z_][A-Za-z0-9_.-]*\ze="
syntax match hloAttribute "{before}{pattern(words["attributes"])}\ze="
syntax match hloType "{before}{pattern(words["types"])}{after}"
syntax match hloConstant "{before}-\?{pattern(constants + ["nan"])}{after}"
syntax match hloKeyword "{before}{pattern(structure)}{after}"
syntax match hloOpcode "{before}{pattern(words["opcodes"])}\%(-start\|-update\|-done\)\?\ze("
syntax match hloEscape contained "\\."
syntax region hloString start=+"+ skip=+\\.+ end=+"+ contains=hloEscape
syntax match hloComment "//.*$" contains=@Spell
syntax region hloComment start="/\*" end="\*/" contains=@Spell

highlight default link hloNumber Number
highlight default link hloDefinition Identifier
highlight default link hloValue Identifier
highlight default link hloField PreProc
highlight default link hloAttribute PreProc
highlight default link hloType Type
highlight default link hloConstant Constant
highlight default link hloKeyword Keyword
highlight default link hloOpcode Function
highlight default link hloEscape SpecialChar
highlight default link hloString String
highlight default link hloComment Comment

let b:current_syntax = "hlo"
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tblgen", default="/usr/lib/llvm-22/bin/llvm-tblgen")
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    words = read_words(options.tblgen, options.include or ["/usr/lib/llvm-22/include"])
    wrong = []
    for name, text in (("vscode/syntaxes/hlo.tmLanguage.json", textmate_grammar(words)),
                       ("vim/syntax/hlo.vim", vim_grammar(words))):
        file = HERE / name
        if options.check and (not file.exists() or file.read_text() != text):
            wrong.append(name)
        elif not options.check:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    if wrong:
        sys.exit("tools/editors/" + " and ".join(wrong) + " differ from the definitions: run tools/editors/generate.py")


if __name__ == "__main__":
    main()
