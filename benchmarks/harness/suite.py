"""What is in the folder of benchmarks, and what a benchmark program prints."""
import glob
import os
import re
import subprocess
import sys

# Folders without programs of the usual form.
OTHER_FOLDERS = ("common", "compile", "startup", "ceiling")
# Programs that are compiled a second time for fast, less exact arithmetic, as another program.
FAST = ("arithmetic",)
# The executables of a bundle.
PROGRAMS = "programs.tar.xz"
SUFFIXES = {"cufort": (".cuf", ".CUF"), "nvcc": (".cu",), "openmp": (".cpp",)}
CASE = re.compile(r"""begin_?case\(['"](\w+)['"]""", re.I)


def say(text):
    print(text, file=sys.stderr, flush=True)


class Program:
    """One program with several cases: its folder, its sources by side, and the cases of each side."""

    def __init__(self, name, folder, sources, fast=False):
        self.name, self.folder, self.sources, self.fast = name, folder, sources, fast
        self.cases = {side: cases_of(path) for side, path in sources.items()}
        if "nvcc" in sources and "noalias" in text_of(sources["nvcc"]):
            self.sources["restrict"], self.cases["restrict"] = sources["nvcc"], self.cases["nvcc"]

    def matches(self, only):
        return bool(re.search(only, self.folder) or re.search(only, self.name) or self.chosen("cufort", only))

    def chosen(self, side, only):
        """The cases of a side that --only asks for."""
        whole = re.search(only, self.folder) or re.search(only, self.name)
        return [case for case in self.cases.get(side, []) if whole or re.search(only, case)]


def text_of(path):
    with open(path) as source:
        return source.read()


def cases_of(path):
    return CASE.findall(text_of(path))


def programs(root, only=""):
    """All programs that --only asks for, in the order of their names."""
    found = []
    for path in sorted(glob.glob(os.path.join(root, "*", "*.cuf")) + glob.glob(os.path.join(root, "*", "*.CUF"))):
        folder, stem = os.path.basename(os.path.dirname(path)), os.path.splitext(path)[0]
        if folder in OTHER_FOLDERS:
            continue
        sources = {side: stem + suffix for side, suffixes in SUFFIXES.items() for suffix in suffixes
                   if os.path.exists(stem + suffix)}
        name = os.path.basename(stem)
        found.append(Program(name, folder, dict(sources)))
        if name in FAST:
            sources.pop("openmp", None)
            found.append(Program(name + "_fast", folder, sources, fast=True))
    return [program for program in found if program.matches(only)]


class CaseRun:
    """What one side has printed about one case."""

    def __init__(self, bytes_moved=0.0, operations=0.0, kind=8):
        self.bytes, self.operations, self.kind = bytes_moved, operations, kind
        self.samples, self.result, self.wrong = [], None, None


def read_output(text):
    """The cases in the output of a program: name -> CaseRun. common/benchmark.cuf describes the lines."""
    cases, case = {}, None
    for line in text.splitlines():
        word, _, rest = line.strip().partition(" ")
        if word == "case":
            name, moved, operations, kind = rest.split()
            case = cases[name] = CaseRun(float(moved), float(operations), int(kind))
        elif case and word == "sample":
            case.samples.append(float(rest))
        elif case and word == "result":
            case.result = float(rest)
        elif case and word == "wrong":
            case.wrong = rest.strip()
    return cases


def first_line(command):
    """The first line that a command prints, or "" if it cannot run."""
    try:
        return subprocess.run(command, text=True, capture_output=True, check=True).stdout.strip().split("\n")[0]
    except (OSError, subprocess.CalledProcessError):
        return ""
