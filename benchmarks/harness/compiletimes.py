"""Compares the compile times of cufort and of Flang, on the same program with and without CUDA."""
import os
import shutil
import sys
import tempfile
import time

from . import report
from .building import run_or_exit
from .suite import CaseRun, first_line


def timed(command, folder):
    start = time.perf_counter()
    run_or_exit(command, folder)
    return (time.perf_counter() - start) * 1e3


def compare(options, root):
    flang = shutil.which(options.flang)
    if not flang:
        sys.exit(f"{options.flang} is not there")
    options.cufort = os.path.abspath(options.cufort)
    commands = {"cufort": [options.cufort, "-O2", os.path.join(root, "compile", "saxpy.cuf")],
                "flang": [flang, "-O2", os.path.join(root, "compile", "saxpy_host.f90")]}
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, last in [("compile", ["-c", "-o", "x.o"]), ("compile_and_link", ["-o", "x"])]:
            runs = {side: CaseRun() for side in commands}
            for _ in range(options.rounds):
                for side, command in commands.items():
                    runs[side].samples.append(timed(command + last, folder))
            rows.append(report.Row("compile", "saxpy", name, runs.pop("cufort"), runs))
    machine = {"cores": len(os.sched_getaffinity(0)), "cufort": first_line([options.cufort, "--version"]),
               "flang": first_line([flang, "--version"])}
    report.write(options.out, "Compile times", ["flang"], rows, machine, {})
