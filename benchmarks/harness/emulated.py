"""Compares the emulated device with the same loops in C++ with OpenMP, on the machine that compiles them."""
import os
import platform
import shutil
import tempfile

from . import report
from .building import cufort_command, run_or_exit
from .measuring import Entry, rows_of, run_entry, twin
from .suite import first_line, programs, say


def build(options, root, program, folder):
    """Both sides of one program."""
    target = os.path.join(folder, program.name)
    with tempfile.TemporaryDirectory() as work:
        run_or_exit(cufort_command(options, root, program, target + ".cufort", ["-gpu=emu"]), work)
        run_or_exit([options.cxx, "-O3", "-std=c++20", "-fopenmp", "-I", os.path.join(root, "common"),
                     program.sources["openmp"], "-o", target + ".openmp"], work)


def compare(options, root):
    options.cufort = os.path.abspath(options.cufort)
    environment = dict(os.environ, CUFORT_DEVICE="emulated",
                       BENCHMARK_SIZE=os.environ.get("BENCHMARK_SIZE", "emulated"))
    rows, folder = [], tempfile.mkdtemp()
    try:
        for program in programs(root, options.only):
            if "openmp" not in program.sources:
                continue
            say(f"measuring {program.name}")
            build(options, root, program, folder)
            theirs = program.cases["openmp"]
            ours = [case for case in program.cases["cufort"] if twin(case, theirs) in theirs]
            cases = {"cufort": ours, "openmp": theirs}
            entry = Entry({"name": program.name, "folder": program.folder, "cases": cases}, options.only)
            rows += rows_of(entry, run_entry(folder, entry, options.rounds, environment))
    finally:
        shutil.rmtree(folder)
    machine = {"processor": platform.processor() or platform.machine(), "cores": len(os.sched_getaffinity(0)),
               "cufort": first_line([options.cufort, "--version"]), "c++": first_line([options.cxx, "--version"])}
    report.write(options.out, "The emulated device and OpenMP", ["openmp"], rows, machine, {})
