"""Compiles all sides of all programs into a folder that runs on a machine with a driver and Python."""
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

from .suite import PROGRAMS, Program, first_line, programs, say


def run_or_exit(command, folder):
    done = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f"failed: {' '.join(command)}\n{done.stdout}")


def find_nvcc():
    usual = "/usr/local/cuda/bin/nvcc"
    return shutil.which("nvcc") or (usual if os.path.exists(usual) else None)


def cufort_command(options, root, program, target, flags):
    """The command for one program. A program without cases does not use what is common."""
    common = [os.path.join(root, "common", "benchmark.cuf")] if program.cases["cufort"] else []
    return [options.cufort, "-O3"] + flags + common + [program.sources["cufort"], "-o", target]


def nvcc_command(nvcc, arch, root, source, target, flags):
    static = ["-cudart", "static", "-Xcompiler", "-static-libstdc++,-static-libgcc"]
    return [nvcc, "-O3", "-std=c++20", f"-arch=sm_{arch}", "-I", os.path.join(root, "common")] + static + flags + [
        source, "-o", target, "-ldl"]


def build_side(options, root, nvcc, program, side):
    """Compiles one side of one program, in a folder of its own, since compilers leave files behind."""
    target = os.path.join(options.out, f"{program.name}.{side}")
    say(f"building {os.path.basename(target)}")
    if side == "cufort":
        flags = [f"-gpu=cc{options.arch}" + (",fastmath" if program.fast else "")]
        command = cufort_command(options, root, program, target, flags)
    else:
        flags = ["-use_fast_math"] * program.fast + ["-DRESTRICT"] * (side == "restrict")
        command = nvcc_command(nvcc, options.arch, root, program.sources[side], target, flags)
    with tempfile.TemporaryDirectory() as folder:
        run_or_exit(command, folder)
    if shutil.which("strip"):
        run_or_exit(["strip", target], options.out)


def other_programs(root):
    """What has no cases: the program whose start is timed, and the one that finds the ceilings of the GPU."""
    startup, ceiling = (os.path.join(root, name, name) for name in ("startup", "ceiling"))
    return [Program("startup", "startup", {"cufort": startup + ".cuf", "nvcc": startup + ".cu"}),
            Program("ceiling", "ceiling", {"nvcc": ceiling + ".cu"})]


def build(options, root):
    options.out, options.cufort = os.path.abspath(options.out), os.path.abspath(options.cufort)
    os.makedirs(options.out, exist_ok=True)
    nvcc = find_nvcc()
    if not nvcc:
        say("nvcc is not there: the bundle has cufort's side only")
    sides = ["cufort"] + ["nvcc", "restrict"] * bool(nvcc)
    chosen = programs(root, options.only)
    everything = chosen + other_programs(root)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = [pool.submit(build_side, options, root, nvcc, program, side)
                for program in everything for side in sides if side in program.sources]
        for job in jobs:
            job.result()
    pack(options.out, everything, sides)
    copy_harness(root, options.out)
    write_listing(options, nvcc, sides, chosen)
    size = sum(os.path.getsize(os.path.join(options.out, name)) for name in os.listdir(options.out))
    say(f"{options.out}: {len(chosen)} programs, {size / 2**20:.0f} MiB")


def pack(out, everything, sides):
    """Puts the executables into one compressed file, whose size is a quarter of theirs."""
    say(f"packing {PROGRAMS}")
    with tarfile.open(os.path.join(out, PROGRAMS), "w:xz", preset=2) as archive:
        for program in everything:
            for name in [f"{program.name}.{side}" for side in sides if side in program.sources]:
                archive.add(os.path.join(out, name), name)
                os.remove(os.path.join(out, name))


def copy_harness(root, out):
    shutil.copy(os.path.join(root, "run"), out)
    shutil.copytree(os.path.join(root, "harness"), os.path.join(out, "harness"), dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("__pycache__"))


def write_listing(options, nvcc, sides, chosen):
    """What `measure` has to know of the bundle."""
    versions = {"cufort": first_line([options.cufort, "--version"]), "arch": options.arch}
    if nvcc:
        versions["nvcc"] = subprocess.run([nvcc, "--version"], text=True, capture_output=True).stdout.split("\n")[-2]
    listed = [{"name": program.name, "folder": program.folder,
               "cases": {side: program.cases[side] for side in sides if side in program.cases}} for program in chosen]
    with open(os.path.join(options.out, "bundle.json"), "w") as file:
        json.dump({"versions": versions, "programs": listed}, file, indent=1)
