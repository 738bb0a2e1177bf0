#!/usr/bin/env python3
"""Writes docs/conformance.md: what CUDA Fortran asks for, and the tests that show it.

    tools/conformance.py          writes the table
    tools/conformance.py --check  says whether it is up to date, and changes nothing
    tools/conformance.py --root DIR ...  the same for another repository

docs/conformance-items.txt lists the items. A test names those that it proves in comment lines of its own:

    ! ITEMS: DI-014, DI-049..DI-054
"""
import argparse
import os
import re
import sys

ITEM = re.compile(r"([A-Z]{2}-\d{3}) (\S.*)")
CLAIM = re.compile(r"^\s*(?:!|//|#|[cC*])\s*ITEMS:(.*)$", re.M)
RANGE = re.compile(r"([A-Z]{2}-\d{3})(?:\.\.([A-Z]{2}-\d{3}))?")


def fail(message):
    sys.exit(f"conformance.py: error: {message}")


def read_items(path):
    """The lines of the list as (kind, text, ...): section, part, or item with its title and reason."""
    rows = []
    with open(path) as source:
        for number, line in enumerate(source.read().split("\n"), 1):
            item = ITEM.fullmatch(line)
            if not line or line.startswith("#"):
                continue
            if line.startswith(("== ", "-- ")):
                rows.append(["section" if line[0] == "=" else "part", line[3:]])
            elif item:
                rows.append(["item", item[1], item[2], ""])
            elif line.startswith("  ") and rows and rows[-1][0] == "item":
                rows[-1][3] = (rows[-1][3] + " " + line.strip()).strip()
            else:
                fail(f"{path}:{number}: neither a heading, an item nor a reason: {line}")
    names = [row[1] for row in rows if row[0] == "item"]
    if len(names) != len(set(names)):
        fail(f"{path}: {next(name for name in names if names.count(name) > 1)} is there twice")
    return rows


def expand(claim, names, where):
    """The items of one ITEMS line. A range stands for the items between its ends in the order of the list."""
    found = []
    for word in claim.split(","):
        match = RANGE.fullmatch(word.strip())
        if not match:
            fail(f"{where}: '{word.strip()}' is no item; write AB-001 or AB-001..AB-009")
        for name in filter(None, match.groups()):
            if name not in names:
                fail(f"{where}: docs/conformance-items.txt has no item {name}")
        first, last = names.index(match[1]), names.index(match[2] or match[1])
        if last < first:
            fail(f"{where}: {match[0]} runs backwards")
        found += names[first:last + 1]
    return found


def read_tests(root, names):
    """Item -> the tests that name it, in the order of their paths."""
    tests = {name: [] for name in names}
    for folder, _, files in sorted(os.walk(os.path.join(root, "test"))):
        for file in sorted(files):
            path = os.path.relpath(os.path.join(folder, file), root)
            with open(os.path.join(root, path), errors="replace") as source:
                text = source.read()
            for claim in CLAIM.finditer(text):
                where = f"{path}:{text.count(chr(10), 0, claim.start()) + 1}"
                for name in expand(claim[1], names, where):
                    if path not in tests[name]:
                        tests[name].append(path)
    return tests


def outcome(reason, tests):
    """The last cell of an item's row."""
    links = [f"[{os.path.basename(path)}](../{path})" for path in tests]
    return ", ".join(links) or (reason and f"none: {reason}") or "no test"


def section_lines(rows, tests):
    """One section: how much of it is tested, then the table of each of its parts."""
    items = [row for row in rows if row[0] == "item"]
    tested = sum(bool(tests[row[1]]) for row in items)
    excused = sum(bool(row[3]) and not tests[row[1]] for row in items)
    yield f"{tested} of {len(items)} items have a test, {excused} have none for a reason."
    head = ["", "| Item | What | Tests |", "|---|---|---|"]
    if rows[0][0] == "item":
        yield from head
    for row in rows:
        if row[0] == "part":
            yield from ["", f"### {row[1]}"] + head
        else:
            yield f"| {row[1]} | {row[2]} | {outcome(row[3], tests[row[1]])} |"


def table(rows, tests):
    """The text of docs/conformance.md."""
    lines = ["# Conformance", "",
             "What CUDA Fortran asks for, by the sections of NVIDIA's programming guide, and the tests that would fail",
             "without it. `tools/conformance.py` writes this page from `docs/conformance-items.txt` and from the tests.",
             "What is missing on purpose or for now is in [limitations.md](limitations.md)."]
    starts = [index for index, row in enumerate(rows) if row[0] == "section"]
    for start, end in zip(starts, starts[1:] + [len(rows)]):
        lines += ["", f"## {rows[start][1]}", "", *section_lines(rows[start + 1:end], tests)]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(usage="conformance.py [--check] [--root DIR]")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    options = parser.parse_args()
    rows = read_items(os.path.join(options.root, "docs", "conformance-items.txt"))
    names = [row[1] for row in rows if row[0] == "item"]
    text = table(rows, read_tests(options.root, names))
    path = os.path.join(options.root, "docs", "conformance.md")
    if not options.check:
        with open(path, "w") as page:
            page.write(text)
        return
    with open(path) as page:
        if page.read() != text:
            fail("docs/conformance.md is out of date; run tools/conformance.py")


main()
