# SPDX-License-Identifier: Apache-2.0
"""Writes docs/operations.md and docs/errors.md from the definitions in compiler/hlo, and docs/passes.md from
those of the passes.

    python3 docs/generate.py [--tblgen llvm-tblgen] [--include DIR] [--programs DIR] [--check]

--check writes nothing and fails if a page is not what it would be. Each operation's example is
test/hlo/operations/OPCODE.hlo, which the lit suite runs. With --programs, where hlo-opt, hlo-run and
hloc are, it is tried anew what each of them does with the example; without, what the page says of
that stays."""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
GROUPS = [("Elementwise", "Elementwise operations"), ("Shape", "Moving and selecting data"),
          ("Compute", "Contractions, reductions, sorting, linear algebra, random numbers"),
          ("Control", "Computations, asynchronous operations, the host"),
          ("Collective", "Collectives")]
# Attributes that HLO text spells in another way than the dialect.
TEXT_NAMES = {
    ("slice", "starts"): "slice", ("slice", "limits"): None, ("slice", "strides"): None,
    ("pad", "low"): "padding", ("pad", "high"): None, ("pad", "interior"): None,
    ("constant", "value"): None,
    ("conditional", "branch_computations"):
        "branch_computations`, or `true_computation` and `false_computation",
}
# What every instruction may carry, as the table of attributes (compiler/text/AttributeRules.cpp) has it.
SHARED_ATTRIBUTES = {
    "backend_config": "settings for a backend, in quotes or braces; used only for custom calls",
    "control-predecessors": "instructions that run before this one",
    "frontend_attributes": "names with strings or braces, from the program that wrote the module",
    "metadata": "where the instruction comes from: `op_name`, `source_file`, `source_line`, `stack_frame_id`",
    "origin": "the corresponding value of the module before optimization; no effect",
    "parameter_replication": "for a parameter: which of its arrays are the same on all replicas",
    "sharding": "how the value is divided among devices",
    "statistics": "measurements of the instruction; no effect",
}
# No operation of the dialect, but an argument of the computation.
PARAMETER = """### parameter

An argument of the computation.

Status: parsed, evaluated, compiled.

Operands: none; the argument's number, from 0 on, is in the parentheses.

The text states the result's shape.

```
HloModule parameter_example

ENTRY main {
  x = f32[4] parameter(0)
  ROOT y = f32[4] abs(x)
}
```
"""
SPELLINGS = {
    "i64 dense array attribute": "integers", "64-bit signless integer attribute": "integer",
    "bool attribute": "true or false", "string attribute": "string", "any attribute": "literal",
    "flat symbol reference attribute": "computation", "32-bit float attribute": "number",
    "array attribute": "list", "type attribute": "shape", "type array attribute": "shapes"}

# Of the columns of the matrix, in their order; none: no array.
TYPES = ("pred s1 s2 s4 s8 s16 s32 s64 u1 u2 u4 u8 u16 u32 u64 f4e2m1fn f8e3m4 f8e4m3 f8e4m3b11fnuz f8e4m3fn "
         "f8e4m3fnuz f8e5m2 f8e5m2fnuz f8e8m0fnu f16 bf16 f32 f64 c64 c128 none").split()


def read_records(tblgen, includes, file="compiler/hlo/HloOps.td"):
    command = [tblgen, "--dump-json", "-I", str(ROOT)]
    for folder in includes:
        command += ["-I", folder]
    return json.loads(subprocess.run(command + [str(ROOT / file)], check=True,
                                     capture_output=True, text=True).stdout)


def describe_attribute(records, record):
    """What values an attribute takes, whether it may be left out, and its default."""
    optional, default = bool(record.get("isOptional")), record.get("defaultValue") or ""
    while isinstance(record.get("baseAttr"), dict):
        record = records[record["baseAttr"]["def"]]
        default = default or record.get("defaultValue") or ""
    cases = record.get("enum") and records[record["enum"]["def"]].get("enumerants")
    if cases:
        kind = ", ".join(f"`{records[case['def']]['str']}`" for case in cases)
    else:
        kind = SPELLINGS.get(record.get("summary", ""), record.get("summary", ""))
    if optional:
        return kind, "optional"
    return kind, f"default {default.replace('{}', 'none')}" if default else "required"


def example_of(opcode):
    return ROOT / "test/hlo/operations" / (opcode + ".hlo")


def try_example(programs, opcode):
    """What the programs do with an operation's example. Data or partners may be missing where it is
    evaluated: what counts is that the evaluator knows the operation."""
    def run(program, *arguments):
        done = subprocess.run([pathlib.Path(programs) / program, *arguments, example_of(opcode)],
                              capture_output=True, text=True, timeout=120)
        return done.returncode, done.stderr

    stages = []
    if run("hlo-opt", "--verify-only")[0] == 0:
        stages.append("parsed")
    if "has no meaning for these types" not in run("hlo-run", "--evaluate")[1]:
        stages.append("evaluated")
    with tempfile.TemporaryDirectory() as folder:
        if run("hloc", "-O0", "-o", f"{folder}/example.o")[0] == 0:
            stages.append("compiled")
    return ", ".join(stages)


def read_stages():
    """Where each operation stands, as the page has it."""
    page = ROOT / "docs/operations.md"
    text = page.read_text() if page.exists() else ""
    return dict(re.findall(r"^### (\S+)\n(?:(?!^###).*\n)*?Status: (.*)\.$", text, re.MULTILINE))


def describe_operation(records, record, stages):
    opcode = record["opName"].replace("_", "-")
    lines = [f"### {opcode}", "", record["summary"][0].upper() + record["summary"][1:] + ".", "",
             f"Status: {stages.get(opcode, 'unknown')}.", ""]
    operands, attributes = [], []
    for argument, name in record["arguments"]["args"]:
        constraint = records[argument["def"]]
        if "storageType" in constraint:
            text = TEXT_NAMES.get((opcode, name), name)
            if name == "dimension":
                text = "dimensions" if opcode != "iota" else name
            if text:
                kind, need = describe_attribute(records, constraint)
                attributes.append(f"| `{text}` | {kind} | {need} |".replace("``", "`"))
        else:
            variadic = "..." if "Variadic" in constraint["!superclasses"] else ""
            base = records[constraint["baseType"]["def"]] if "baseType" in constraint and variadic \
                else constraint
            operands.append(f"`{name}`{variadic} ({base['summary']})")
    lines += ["Operands: " + (", ".join(operands) or "none") + ".", ""]
    infers = any("HLO_Infers" in trait["def"] for trait in record["traits"])
    lines += ["The result's shape may be left out." if infers
              else "The text states the result's shape.", ""]
    if attributes:
        lines += ["| attribute | values | |", "|---|---|---|", *attributes, ""]
    for text in (record["description"], record["constraints"]):
        text = "\n".join(line[4:] if line.startswith("    ") else line.lstrip()
                         for line in text.strip("\n").split("\n")).strip()
        if text:
            lines += [text, ""]
    lines += ["```", example_of(opcode).read_text().split("\n\n", 1)[1].strip(), "```", ""]
    return lines


def check_shared_attributes():
    """SHARED_ATTRIBUTES, which are those of the parser's table."""
    rules = (ROOT / "compiler/text/AttributeRules.cpp").read_text()
    names = set(re.findall(r'^ +\{"([^"]+)", "(?:hlo\.\w+)?", &P::', rules, re.MULTILINE))
    if names != set(SHARED_ATTRIBUTES):
        sys.exit(f"SHARED_ATTRIBUTES differ from the parser's in {sorted(names ^ set(SHARED_ATTRIBUTES))}")
    return SHARED_ATTRIBUTES


def make_operations(tblgen, includes, programs):
    records = read_records(tblgen, includes)
    operations = {name: record for name, record in records.items()
                  if isinstance(record, dict) and "HLO_Op" in record.get("!superclasses", [])}
    lines = ["# Operations", "",
             "Generated by docs/generate.py from the definitions in `compiler/hlo/*.td`. `C1`, `C2` "
             "... are the constraints that the verifier checks; the programs in `test/hlo/errors` "
             "that violate them are named after them. Errors: [errors.md](errors.md).", "",
             "Status: a *parsed* operation can be parsed, verified and printed; an *evaluated* one can be run by the "
             "reference evaluator; a *compiled* one becomes native code. This is determined by running the programs "
             "on the examples.", "",
             "Every instruction may have these attributes:", "", "| attribute | meaning |", "|---|---|",
             *(f"| `{name}` | {text} |" for name, text in check_shared_attributes().items()), ""]
    stages = read_stages()
    for file, title in GROUPS:
        source = (ROOT / f"compiler/hlo/{file}Ops.td").read_text()
        names = re.findall(r"^def (HLO_\w+Op)\b", source, re.MULTILINE)
        lines += [f"## {title}", ""] + PARAMETER.split("\n") * (file == "Control")
        for name in names:
            opcode = operations[name]["opName"].replace("_", "-")
            if opcode in ("computation", "return"):
                continue
            if programs:
                stages[opcode] = try_example(programs, opcode)
            lines += describe_operation(records, operations[name], stages)
    return "\n".join(lines + make_matrix())


def make_matrix():
    """The table of test/matrix/matrix.json."""
    matrix = json.loads((ROOT / "test/matrix/matrix.json").read_text())
    types = [kind for kind in TYPES if any(kind in row for row in matrix.values())]
    cases = sum(entry["cases"] for row in matrix.values() for entry in row.values())
    lines = ["## Operations and element types", "",
             f"Results of the {cases} programs that test/matrix/matrix.py derives from the examples above: in every "
             "element type (here that of the first result, or of the first parameter if that is pred), "
             "with sizes of 0, 1, primes and one more or less than a vector, of ranks 0 to 6, in other layouts, "
             "compiled for the machine, for AVX2 and for SSE4, and compared with the reference evaluator. "
             "A number is the greatest distance in units in the last place (for integers, the difference); `r` "
             "means that some programs were refused (exit code 3), `x` that some failed; an empty cell, that none of "
             "the programs has that type.", "",
             "| | " + " | ".join(types) + " |", "|---" * (len(types) + 1) + "|"]
    for opcode, row in matrix.items():
        cells = [describe_entry(row[kind]) if kind in row else "" for kind in types]
        lines.append(f"| {opcode} | " + " | ".join(cells) + " |")
    return lines + [""]


def describe_entry(entry):
    runs = entry["refused"] + entry["failed"] < entry["cases"]
    return (f"{entry['ulp']:.3g}" if runs else "") + ("r" if entry["refused"] else "") + \
        ("x" if entry["failed"] else "")


def make_errors():
    source = (ROOT / "compiler/hlo/Errors.def").read_text()
    entry = re.compile(r'^HLO_ERROR\((\w+), (\d+), "([^"]*)", R"\(\n(.*?)\n\)", R"\(\n(.*?)\n\)"\)',
                       re.MULTILINE | re.DOTALL)
    lines = ["# Errors", "",
             "Every error in an input program ends in a code. The explanation of a code is also printed by "
             "`hloc --explain CODE`.", ""]
    for _, number, title, explanation, example in entry.findall(source):
        lines += [f"## H{int(number):04}: {title}", "", explanation, "", "```", example, "```", ""]
    return "\n".join(lines)


# Where passes are defined, in the order of the data, and the file that orders those of each.
PASSES = [("passes/Passes.td", "passes/Pipeline.cpp", ""),
          ("codegen/Passes.td", "codegen/Pipeline.cpp", "Code generation")]


def remove_indentation(text):
    return "\n".join(line.removeprefix("    ") for line in text.strip("\n").split("\n")).strip()


def describe_pass(records, record):
    lines = [f"### {record['argument']}", "", record["summary"] + ".", "",
             remove_indentation(record["description"]), ""]
    options = [records[option["def"]] for option in record["options"]]
    for option in options:
        lines.append(f"- `{option['argument']}`: {option['description'][0].lower()}{option['description'][1:]}")
    return lines + [""] * bool(options)


def describe_order(source, flags):
    """Of each function that builds a pipeline, what it adds in which order."""
    lines, upstream = [], {"CSEPass": "cse", "SymbolDCEPass": "symbol-dce"}
    for name, body in re.findall(r"^void hloc::build(\w+)Pipeline\(.*?\{\n(.*?)^\}", source, re.MULTILINE | re.DOTALL):
        steps = []
        for made, built in re.findall(r"create(\w+)\(|\bbuild(\w+)Pipeline\(", body):
            steps.append(f"`{flags.get(made) or upstream[made]}`" if made else f"*{built}*")
        lines.append(f"- *{name}*: " + ", ".join(steps))
    return lines


def read_with_includes(file):
    """The text of a file with that of the project's files that it includes."""
    return re.sub(r'^include "(passes/[^"]*)"', lambda match: read_with_includes(match.group(1)),
                  (ROOT / file).read_text(), flags=re.MULTILINE)


def make_passes(tblgen, includes):
    order, pages = [], []
    for file, pipeline, title in PASSES:
        records = read_records(tblgen, includes, file)
        pages += [f"## {title}", ""] if title else []
        flags = {}
        for heading, name in re.findall(r"^//===- (.*?) -+===//|^def (\w+) :", read_with_includes(file), re.MULTILINE):
            if heading:
                pages += [f"## {heading}", ""]
            elif "argument" in records[name]:
                flags[name] = records[name]["argument"]
                pages += describe_pass(records, records[name])
        order += describe_order((ROOT / pipeline).read_text(), flags)
    lines = ["# Passes", "",
             "Generated by docs/generate.py from the `Passes.td` of each folder of `passes`, and of `codegen`. `hlo-opt --NAME` runs a single pass;  "
             "`hloc --dump-dir` writes the module after each pass.", "",
             "## Order", "",
             "The pipelines of `passes/Pipeline.cpp` and `codegen/Pipeline.cpp`; *names* in italics refer to other pipelines.", ""]
    return "\n".join(lines + order + [""] + pages)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tblgen", default="/usr/lib/llvm-22/bin/llvm-tblgen")
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--programs")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    includes = options.include or ["/usr/lib/llvm-22/include"]
    wrong = []
    for name, text in (("operations.md", make_operations(options.tblgen, includes, options.programs)),
                       ("errors.md", make_errors()), ("passes.md", make_passes(options.tblgen, includes))):
        page = ROOT / "docs" / name
        if options.check and (not page.exists() or page.read_text() != text):
            wrong.append(name)
        elif not options.check:
            page.write_text(text)
    if wrong:
        sys.exit("docs/" + " and docs/".join(wrong) + " differ from the definitions: run docs/generate.py")


if __name__ == "__main__":
    main()
