"""Compiles cufort's side of every program and runs it with tiny sizes on the emulated device."""
import concurrent.futures
import os
import sys
import tempfile

from .building import cufort_command, run_or_exit
from .measuring import Entry, run_side
from .suite import programs


def check_program(options, root, program):
    """The lines that say how its cases ended, and whether all are right."""
    environment = dict(os.environ, CUFORT_DEVICE="emulated", BENCHMARK_SIZE="test")
    entry = Entry({"name": program.name, "folder": program.folder, "cases": {"cufort": program.cases["cufort"]}}, "")
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, program.name + ".cufort")
        run_or_exit(cufort_command(options, root, program, target, ["-gpu=emu"]), folder)
        cases = run_side(folder, entry, "cufort", environment)
    lines = [f"{program.folder}/{program.name}/{name}: {case.wrong or 'right'}" for name, case in cases.items()]
    return lines, not any(case.wrong for case in cases.values())


def check(options, root):
    options.cufort = os.path.abspath(options.cufort)
    chosen = [program for program in programs(root, options.only) if not program.fast]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda program: check_program(options, root, program), chosen))
    for lines, _ in results:
        print("\n".join(lines))
    right = all(right for _, right in results)
    print("all right" if right else "something is wrong")
    sys.exit(not right)
