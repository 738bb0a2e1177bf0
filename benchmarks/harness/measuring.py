"""Runs the programs of a bundle, side by side."""
import contextlib
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time

from . import report
from .suite import PROGRAMS, CaseRun, first_line, read_output, say

TIMEOUT = 180
# How far the results of two sides may be apart; they add in different orders.
SAME = 1e-4


class Entry:
    """A program in a bundle, as `build` has listed it."""

    def __init__(self, listed, only):
        self.name, self.folder = listed["name"], listed["folder"]
        whole = re.search(only, self.folder) or re.search(only, self.name)
        self.cases = {side: [case for case in cases if whole or re.search(only, case)]
                      for side, cases in listed["cases"].items()}
        for side, cases in self.cases.items():
            if side != "cufort":
                wanted = {twin(case, listed["cases"][side]) for case in self.cases["cufort"]}
                cases[:] = [case for case in listed["cases"][side] if case in wanted]


def twin(case, others):
    """The name of the case on the other side: CUF kernels and assumed shapes have none of their own there."""
    short = case.removesuffix("_cuf").removesuffix("_assumed")
    return case if case in others or short not in others else short


def merge(runs, cases):
    """Adds what another run of the same program has printed."""
    for name, case in cases.items():
        if name in runs:
            runs[name].samples += case.samples
            runs[name].wrong = runs[name].wrong or case.wrong
        else:
            runs[name] = case


def run_side(folder, entry, side, environment):
    """The cases of one run of one side; cases that are missing are wrong."""
    program = os.path.join(folder, f"{entry.name}.{side}")
    cases, why = {}, "no output"
    try:
        done = subprocess.run([program] + entry.cases[side], env=environment, text=True, capture_output=True,
                              timeout=TIMEOUT)
        cases = read_output(done.stdout)
        if done.returncode:
            why = f"status {done.returncode}: {done.stderr.strip()[:200]}"
    except (OSError, subprocess.TimeoutExpired) as error:
        why = str(error)
    for name in entry.cases[side]:
        case = cases.setdefault(name, CaseRun())
        if case.result is None and not case.wrong:
            case.wrong = why
    return cases


def run_entry(folder, entry, rounds, environment):
    """All sides of a program in turn: side -> case -> CaseRun."""
    runs = {side: {} for side in entry.cases}
    for _ in range(rounds):
        for side, cases in runs.items():
            if entry.cases[side]:
                merge(cases, run_side(folder, entry, side, environment))
    return runs


def rows_of(entry, runs):
    """One row for each case of cufort, with the matching case of every other side."""
    rows = []
    for name, ours in runs["cufort"].items():
        others = {side: cases[twin(name, cases)] for side, cases in runs.items()
                  if side != "cufort" and twin(name, cases) in cases}
        for side, theirs in others.items():
            if None not in (ours.result, theirs.result) and abs(ours.result - theirs.result) > SAME * abs(ours.result):
                ours.wrong = f"result {ours.result:.9g}, but {theirs.result:.9g} with {side}"
        rows.append(report.Row(entry.folder, entry.name, name, ours, others))
    return rows


def milliseconds_until_ready(program, environment):
    start = time.perf_counter()
    with subprocess.Popen([program], env=environment, text=True, stdout=subprocess.PIPE) as process:
        line = process.stdout.readline()
        end = time.perf_counter()
        process.stdout.read()
    if line.strip() != "ready" or process.returncode:
        sys.exit(f"{program} did not get ready (status {process.returncode})")
    return (end - start) * 1e3


def startup_row(folder, rounds, environment):
    """The time from the start of a program to the end of its first kernel."""
    runs = {"cufort": CaseRun(), "nvcc": CaseRun()}
    for _ in range(4 * rounds):
        for side, run in runs.items():
            program = os.path.join(folder, f"startup.{side}")
            if os.path.exists(program):
                run.samples.append(milliseconds_until_ready(program, environment))
    ours = runs.pop("cufort")
    return report.Row("startup", "startup", "startup", ours, {side: run for side, run in runs.items() if run.samples})


def ceilings(folder, environment):
    """What the GPU can do: greatest bytes per second, and operations per second by kind."""
    program = os.path.join(folder, "ceiling.nvcc")
    if not os.path.exists(program):
        return {}
    output = subprocess.run([program], env=environment, text=True, capture_output=True, timeout=TIMEOUT).stdout
    found = {}
    for name, case in read_output(output).items():
        if case.samples:
            found[name] = (case.bytes or case.operations) / min(case.samples) * 1e3
    return found


@contextlib.contextmanager
def executables(root):
    """The folder of the programs: a temporary one if they are packed."""
    packed = os.path.join(root, PROGRAMS)
    if not os.path.exists(packed):
        yield root
        return
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(packed) as archive:
            archive.extractall(folder)
        yield folder


def measure(options, root):
    bundle = os.path.join(root, "bundle.json")
    if not os.path.exists(bundle):
        sys.exit("there is no bundle.json here: measure with the copy of `run` in the folder that `run build` has made")
    with open(bundle) as file:
        listed = json.load(file)
    with executables(root) as folder:
        measure_programs(options, folder, listed)


def measure_programs(options, folder, listed):
    environment = dict(os.environ, CUFORT_DEVICE=os.environ.get("CUFORT_DEVICE", "gpu"))
    limits = ceilings(folder, environment)
    rows = []
    for entry in [Entry(program, options.only) for program in listed["programs"]]:
        if entry.cases["cufort"]:
            say(f"measuring {entry.name}")
            rows += rows_of(entry, run_entry(folder, entry, options.rounds, environment))
    if re.search(options.only, "startup"):
        say("measuring startup")
        rows.append(startup_row(folder, options.rounds, environment))
    gpu = first_line(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"])
    machine = dict(listed["versions"], gpu=gpu, device=environment["CUFORT_DEVICE"])
    report.write(options.out, "cufort and CUDA C++", ["nvcc", "restrict"], rows, machine, limits)
