"""Compares the compile times of cufort with those of Flang and LLVM, and of nvcc."""
import os
import shutil
import sys
import tempfile
import time

from . import kernelsource, report
from .building import find_nvcc, run_or_exit
from .suite import CaseRun, first_line

KERNELS = 100


def timed(commands, folder):
    """Milliseconds for all of `commands`, one after the other."""
    start = time.perf_counter()
    for command in commands:
        run_or_exit(command, folder)
    return (time.perf_counter() - start) * 1e3


def measure(program, case, sides, folder, rounds):
    """`sides` has the commands of each compiler; cufort's come first."""
    runs = {side: CaseRun() for side in sides}
    for _ in range(rounds):
        for side, commands in sides.items():
            runs[side].samples.append(timed(commands, folder))
    return report.Row("compile", program, case, runs.pop("cufort"), runs)


def small_program(options, root, folder):
    """A saxpy program, with CUDA and without."""
    ours = [options.cufort, "-O2", os.path.join(root, "compile", "saxpy.cuf")]
    theirs = [options.flang, "-O2", os.path.join(root, "compile", "saxpy_host.f90")]
    return [measure("saxpy", case, {"cufort": [ours + last], "flang": [theirs + last]}, folder, options.rounds)
            for case, last in [("compile", ["-c", "-o", "x.o"]), ("compile_and_link", ["-o", "x"])]]


def many_kernels(options, folder):
    """A file of many kernels, up to machine code for one GPU. Flang's side is its host code, and LLVM's code generation
    alone for the kernels."""
    for name, text in zip(("many.cuf", "many.cu", "many.f90"), kernelsource.sources("many", KERNELS)):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    gpu = f"-gpu=cc{options.arch}"
    run_or_exit([options.cufort, "-O2", gpu, "-emit=llvm", "many.cuf", "-o", "many.ll"], folder)
    sides = {"cufort": [[options.cufort, "-O2", gpu, "-c", "many.cuf", "-o", "many.o"],
                        [options.cufort, "-O2", gpu, "--device-link", "many.o", "-o", "image.o"]]}
    llc = shutil.which(options.llc)
    if llc:
        sides["flang"] = [[options.flang, "-O2", "-c", "many.f90", "-o", "host.o"],
                          [llc, "-O2", f"-mcpu=sm_{options.arch}", "many.ll", "-o", "many.ptx"]]
    nvcc = find_nvcc()
    if nvcc:
        sides["nvcc"] = [[nvcc, "-O3", f"-arch=sm_{options.arch}", "-c", "many.cu", "-o", "cxx.o"]]
    return measure(f"{KERNELS} kernels", "kernels", sides, folder, options.rounds)


def compare(options, root):
    if not shutil.which(options.flang):
        sys.exit(f"{options.flang} is not there")
    options.cufort = os.path.abspath(options.cufort)
    with tempfile.TemporaryDirectory() as folder:
        rows = small_program(options, root, folder) + [many_kernels(options, folder)]
    machine = {"cores": len(os.sched_getaffinity(0)), "cufort": first_line([options.cufort, "--version"]),
               "flang": first_line([options.flang, "--version"])}
    report.write(options.out, "Compile times", ["flang", "nvcc"], rows, machine, {})
