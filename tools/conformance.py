#!/usr/bin/env python3
"""Writes docs/conformance.md and docs/conformance-host.md: what CUDA Fortran asks for, and the tests that show it.

    tools/conformance.py          writes the tables
    tools/conformance.py --check  says whether they are up to date, and changes nothing
    tools/conformance.py --root DIR ...  the same for another repository

docs/conformance-items.txt and docs/conformance-host-items.txt list the items. A test names those that it proves in
comment lines of its own:

    ! ITEMS: DI-014, DI-049..DI-054
"""
import argparse
import os
import re
import sys

ITEM = re.compile(r"([A-Z]{2,3}-\d{3}) (\S.*)")
CLAIM = re.compile(r"^\s*(?:!|//|#|[cC*])\s*ITEMS:(.*)$", re.M)
RANGE = re.compile(r"([A-Z]{2,3}-\d{3})(?:\.\.([A-Z]{2,3}-\d{3}))?")


# The subject of each page, and what its file and that of its items are called.
PAGES = [("the language of device code", "conformance"), ("host code, the runtime and the driver", "conformance-host")]


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
                fail(f"{where}: no list of items has {name}")
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


def other_pages(page):
    """A sentence that names the other pages, or nothing."""
    return [f"See [{name}.md]({name}.md) for {subject}." for subject, name in PAGES if name != page]


def table(rows, tests, page):
    """The text of a page."""
    subject = next(subject for subject, name in PAGES if name == page)
    lines = [f"# Conformance: {subject}", "",
             "What CUDA Fortran asks for, by the sections of NVIDIA's programming guide, and the tests that would fail",
             "without it. `tools/conformance.py` writes this page from the lists of items and from the tests.",
             "What is missing on purpose or for now is in [limitations.md](limitations.md).", *other_pages(page)]
    starts = [index for index, row in enumerate(rows) if row[0] == "section"]
    for start, end in zip(starts, starts[1:] + [len(rows)]):
        lines += ["", f"## {rows[start][1]}", "", *section_lines(rows[start + 1:end], tests)]
    return "\n".join(lines) + "\n"


def write_or_check(path, text, check):
    if not check:
        with open(path, "w") as page:
            page.write(text)
        return
    with open(path) as page:
        if page.read() != text:
            fail(f"docs/{os.path.basename(path)} is out of date; run tools/conformance.py")


def main():
    parser = argparse.ArgumentParser(usage="conformance.py [--check] [--root DIR]")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    options = parser.parse_args()
    docs = os.path.join(options.root, "docs")
    lists = {page: read_items(os.path.join(docs, f"{page}-items.txt")) for _, page in PAGES}
    names = [row[1] for rows in lists.values() for row in rows if row[0] == "item"]
    tests = read_tests(options.root, names)
    for page, rows in lists.items():
        write_or_check(os.path.join(docs, f"{page}.md"), table(rows, tests, page), options.check)


main()
